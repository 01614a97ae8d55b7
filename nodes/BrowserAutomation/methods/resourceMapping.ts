import {
	isResourceMapperValue,
	type FieldType,
	type ILoadOptionsFunctions,
	type ResourceMapperField,
	type ResourceMapperFields,
} from 'n8n-workflow';

import { failureText, toNodeError } from '../execution/failures';
import { isToolType } from '../execution/host';
import { forModel } from './argumentNames';
import { asPlainText, choosable, isPlain } from './lists';
import { chosenIn, connectForEditor, recordRequest } from './subjects';
import { inputFieldsField } from '../fields/input';
import { HelpfulError } from '../service/errors';
import type { ServiceClient } from '../service/http/client';
import { isTransient } from '../service/http/retry';
import { exampleInput } from '../service/schema/example';
import type { FilledForm } from '../service/schema/inputSchema';
import { partOf, type JsonValue } from '../service/json/json';
import { html } from '../execution/markup';
import {
	isPlainValue,
	readForm,
	UNTOUCHED_JSON,
	type FieldKind,
	type FormField,
	type PlainValue,
} from '../service/schema/form';
import { nameList } from '../service/schema/wording';

/** n8n's types; a value of several kinds is written as text, because JSON fields take one kind each. */
const TYPES: Record<FieldKind, FieldType> = {
	text: 'string',
	number: 'number',
	boolean: 'boolean',
	date: 'dateTime',
	dateTime: 'dateTime',
	choice: 'options',
	list: 'array',
	object: 'object',
	json: 'string',
};

/**
 * The input form of the chosen bot, template or workflow, made of what it takes. Where it cannot be read, it says why:
 * n8n's editor shows no error of this method (2.41: `getResourceMapperFields` in its store of node types).
 */
export async function getInputFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const { noun, id } = chosenIn(this);
	if (id === undefined) return noFields(`Choose a ${noun} above. Its input fields appear here.`);
	try {
		return inputForm(this, await readChosen(this, await connectForEditor(this)));
	} catch (error) {
		return unreadForm(this, error);
	}
}

/** The form as n8n stores it. */
function storedForm(context: ILoadOptionsFunctions) {
	const form = context.getCurrentNodeParameter(inputFieldsField.name);
	if (!isResourceMapperValue(form)) return { fields: [], values: {} };
	return { fields: form.schema.filter(({ id }) => id !== REASON), values: form.value ?? {} };
}

/** The ID of the field that says why a filled form cannot be read. It takes no value. */
const REASON = 'reason of browserAutomation';

/**
 * Why the form cannot be read, as a note. A filled form stays, below a field whose label says it; n8n would empty a form
 * without fields.
 *
 * @throws what may be over in a moment, where a form stays as it is
 */
function unreadForm(context: ILoadOptionsFunctions, error: unknown): ResourceMapperFields {
	const nodeError = toNodeError(context.getNode(), error, 0);
	const { message, description } = nodeError;
	const { fields: filled } = storedForm(context);
	if (filled.length === 0) return noFields(html`${message}. ${description ?? ''}`.text);
	if (isTransient(error)) throw nodeError;
	const reason: ResourceMapperField = {
		id: REASON,
		displayName: asPlainText(message),
		type: 'string',
		required: false,
		defaultMatch: false,
		display: true,
		readOnly: true,
	};
	return { fields: [reason, ...filled] };
}

function inputForm(context: ILoadOptionsFunctions, record: JsonValue | undefined) {
	const { noun, subject } = chosenIn(context);
	const schema = subject.inputSchemaOf?.(record);
	if (schema === undefined) {
		if (partOf(record, 'published_at') === null) {
			const lack = `This ${noun} is not published, so it cannot run`;
			throw new HelpfulError(lack, 'Publish it in the service.');
		}
		throw new HelpfulError(
			`The service shows no input fields for this ${noun}`,
			"It may not be published, or choose 'Using JSON' above.",
		);
	}
	const form = readForm(schema);
	if (form === undefined) {
		return noFields(`The input of this ${noun} is no form. Choose 'Using JSON' above.`);
	}
	if (form.length === 0) {
		return noFields(
			schema.additionalProperties === false && schema.patternProperties === undefined
				? `This ${noun} needs no input.`
				: `This ${noun} has no input fields. If it takes input, choose 'Using JSON' above.`,
		);
	}
	const shown = isToolType(context.getNode()) ? forModel(form) : form;
	const fields = shown.map(toMapperField);
	return { fields: [...fieldsGone(context, fields), ...fields] };
}

/** The filled fields that the bot has no more, so that what they hold can be moved: n8n forgets what is in no field. */
function fieldsGone(
	context: ILoadOptionsFunctions,
	fields: ResourceMapperField[],
): ResourceMapperField[] {
	const known = new Set(fields.map(({ id }) => id));
	const stored = storedForm(context);
	return stored.fields.flatMap((field) => {
		const { id, defaultValue, removed } = field;
		const value = stored.values[id] ?? '';
		const isLeft = removed === true || value === '' || value === defaultValue;
		if (known.has(id) || isLeft) return [];
		const displayName = asPlainText(`No longer asked for: ${id}`);
		return [{ ...field, displayName, required: false, removed: false }];
	});
}

function filledForm(context: ILoadOptionsFunctions): FilledForm {
	const raw = context.getCurrentNodeParameter(inputFieldsField.name);
	return inputFieldsField.read(raw, context);
}

/** How much of an example is shown, in characters. */
const EXAMPLE_MAX_LENGTH = 5_000;

/**
 * An example of the input as JSON, as a note without fields: n8n lets no node fill in one parameter
 * when another changes. It holds what the form was filled with. A failure is a note, too: the JSON
 * can be written without an example.
 */
export async function getInputExample(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const { noun, id, subject } = chosenIn(this);
	if (id === undefined) {
		return noFields(`Choose a ${noun} above. An example of its input appears here.`);
	}
	try {
		const schema = subject.inputSchemaOf?.(await readChosen(this, await connectForEditor(this)));
		const filled = filledForm(this);
		const example = schema && exampleInput(schema, filled);
		if (example === undefined) return noFields(`No example can be made for this ${noun}.`);
		const text = JSON.stringify(example.input, null, 2);
		if (text.length > EXAMPLE_MAX_LENGTH) return noFields('The example is too long to be shown.');
		const others = example.others.length > 0 ? `Further fields: ${nameList(example.others)}.` : '';
		const values =
			Object.keys(filled.values).length > 0
				? 'The values of the form, and made-up ones for what is left empty'
				: `Made-up values for this ${noun}`;
		return noFields(
			html`${values}. Copy them to begin with:
				<pre>${text}</pre>
				${others}`.text,
		);
	} catch (error) {
		return noFields(html`No example: ${failureText(this.getNode(), error)}`.text);
	}
}

async function readChosen(context: ILoadOptionsFunctions, client: ServiceClient) {
	const { subject, id } = chosenIn(context);
	return await client.send(recordRequest(subject, subject.field.read(id, context)));
}

function noFields(emptyFieldsNotice: string): ResourceMapperFields {
	return { fields: [], emptyFieldsNotice };
}

function toMapperField(field: FormField): ResourceMapperField {
	const { name, label, required, kind, choices } = field;
	const defaultValue = initialValue(field);
	return {
		id: name,
		displayName: asPlainText(label),
		required,
		type: TYPES[kind],
		display: true,
		defaultMatch: false,
		canBeUsedToMatch: false,
		readOnly: false,
		removed: false,
		...(kind === 'choice' && {
			options: choosable(choices.map(({ label, value }) => ({ name: label, value }))),
		}),
		...(defaultValue !== undefined && isPlain(defaultValue) && { defaultValue }),
	};
}

/** What the form starts with: plain values as they are, lists and objects as JSON text. */
function initialValue({ initial, kind, required }: FormField): PlainValue | undefined {
	if (initial === undefined || initial === null) {
		const untouched = UNTOUCHED_JSON[kind];
		return required ? untouched?.replace(' ', '') : untouched;
	}
	if (kind === 'list' || kind === 'object') return JSON.stringify(initial, null, 2);
	if (kind === 'json') return typeof initial === 'string' ? initial : JSON.stringify(initial);
	return isPlainValue(initial) ? initial : undefined;
}
