import type {
	FieldType,
	ILoadOptionsFunctions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';

import { failureText, toNodeError } from '../execution/failures';
import { isUsedAsTool } from '../execution/toolUse';
import { connect } from '../transport/client';
import { BOTS, TEMPLATES, WORKFLOW_TEMPLATES, WORKFLOWS } from './choices';
import { asPlainText, isExpression } from './expressions';
import { inputFieldsField } from '../fields/input';
import { readId } from '../fields/parseValue';
import { HelpfulError } from '../service/errors';
import { exampleInput } from '../service/schema/example';
import { inputSchemaOf, type FilledForm } from '../service/schema/inputSchema';
import { isJsonObject, textAt, type JsonObject, type JsonValue } from '../service/json/json';
import { html } from '../execution/markup';
import type { ServiceRequest } from '../service/http/request';
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
	dateTime: 'dateTime',
	choice: 'options',
	list: 'array',
	object: 'object',
	json: 'string',
};

/** Something that takes input, and where its form comes from. */
interface Subject {
	/** As the sentences of the form call it. */
	noun: string;
	/** The parameter in which it is chosen. */
	parameter: string;
	recordRequest(id: string): ServiceRequest;
	schemaOf(record: JsonValue | undefined): JsonObject | undefined;
}

const BOT: Subject = { ...BOTS, noun: 'bot', parameter: 'botId', schemaOf: inputSchemaOf };

/** What takes input beside bots, by the resource that runs it. */
const SUBJECTS: Record<string, Subject> = {
	template: {
		...TEMPLATES,
		noun: 'template',
		parameter: 'templateId',
		schemaOf: inputSchemaOf,
	},
	workflow: {
		...WORKFLOWS,
		noun: 'workflow',
		parameter: 'workflowId',
		schemaOf: schemaOfNames,
	},
	workflowTemplate: {
		...WORKFLOW_TEMPLATES,
		noun: 'workflow template',
		parameter: 'templateId',
		schemaOf: schemaOfNames,
	},
};

/** V2 tells the names of the inputs, and nothing of their kinds: all are sent as text. */
function schemaOfNames(record: JsonValue | undefined): JsonObject | undefined {
	const inputs = isJsonObject(record) ? record.input_parameters : undefined;
	if (!Array.isArray(inputs)) return undefined;
	const names = inputs.flatMap((input) =>
		isJsonObject(input) ? (textAt(input, 'name') ?? []) : [],
	);
	const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
	return { type: 'object', properties };
}

/**
 * The input form of the chosen bot, template or workflow, made of what it takes.
 *
 * @throws NodeApiError or NodeOperationError that says why it cannot be shown
 */
export async function getInputFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const { noun, readSchema } = chosenSubject(this);
	if (readSchema === undefined) {
		return noFields(`Choose a ${noun} above. Its input fields appear here.`);
	}
	try {
		return inputForm(this, noun, await readSchema());
	} catch (error) {
		throw toNodeError(this.getNode(), error, 0);
	}
}

function inputForm(
	context: ILoadOptionsFunctions,
	noun: string,
	schema: JsonObject | undefined,
): ResourceMapperFields {
	if (schema === undefined) {
		const isFilled = Object.keys(filledForm(context).values).length > 0;
		const lack = `The service shows no input fields for this ${noun}`;
		if (!isFilled) return noFields(`${lack}. It may not be published, or choose Using JSON above.`);
		// n8n's editor would empty a filled form that has no fields any more; after an error it leaves it as it is.
		throw new HelpfulError(
			`${lack} any more`,
			'It may not be published. What was filled in is kept.',
		);
	}
	const form = readForm(schema);
	if (form === undefined) {
		return noFields(`The input of this ${noun} is no form. Choose Using JSON above.`);
	}
	if (form.length === 0) {
		return noFields(
			`This ${noun} has no input fields. If it takes input, choose Using JSON above.`,
		);
	}
	const fields = isUsedAsTool(context) ? form.map(forModel) : form;
	return { fields: fields.map(toMapperField) };
}

function filledForm(context: ILoadOptionsFunctions): FilledForm {
	const raw = context.getCurrentNodeParameter(inputFieldsField.name);
	return inputFieldsField.read(raw, context.getTimezone());
}

/** Longest example that is shown, in characters. */
const EXAMPLE_MAX_LENGTH = 5_000;

/**
 * An example of the input as JSON, as a note without fields: n8n lets no node fill in one parameter
 * when another changes. It holds what the form was filled with. A failure is a note, too: the JSON
 * can be written without an example.
 */
export async function getInputExample(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const { noun, readSchema } = chosenSubject(this);
	if (readSchema === undefined) {
		return noFields(`Choose a ${noun} above. An example of its input appears here.`);
	}
	try {
		const schema = await readSchema();
		const filled = filledForm(this);
		const example = schema && exampleInput(schema, filled);
		if (example === undefined) return noFields(`No example can be made for this ${noun}.`);
		const text = JSON.stringify(example.input, null, 2);
		if (text.length > EXAMPLE_MAX_LENGTH) return noFields('The example is too long to be shown.');
		const others =
			example.others.length === 0 ? '' : `Further fields: ${nameList(example.others)}.`;
		const ofForm = Object.keys(filled.values).length > 0 ? ', with the values of the form' : '';
		return noFields(
			html`An example for this ${noun}${ofForm}. Copy it to begin with:
				<pre>${text}</pre>
				${others}`.text,
		);
	} catch (error) {
		return noFields(html`No example: ${failureText(this.getNode(), error)}`.text);
	}
}

/** What was chosen to be run. */
interface ChosenSubject {
	noun: string;
	/** Asks the service for its schema; undefined where nothing is chosen. */
	readSchema: (() => Promise<JsonObject | undefined>) | undefined;
}

function chosenSubject(context: ILoadOptionsFunctions): ChosenSubject {
	// The trigger has no resources: it says what it starts.
	const started =
		context.getCurrentNodeParameter('start') ?? context.getCurrentNodeParameter('resource');
	const { noun, parameter, recordRequest, schemaOf } = SUBJECTS[String(started)] ?? BOT;
	const chosen = context.getCurrentNodeParameter(parameter, { extractValue: true });
	if (typeof chosen !== 'string' || chosen === '') return { noun, readSchema: undefined };
	const readSchema = async (): Promise<JsonObject | undefined> => {
		const client = await connect(context);
		return schemaOf(await client.send(recordRequest(readId(chosen, `This ${noun}`))));
	};
	return { noun, readSchema };
}

/** n8n's editor names a model's argument by the label, of which it takes so many characters (2.41, `focusPanel.store`). */
const ARGUMENT_LENGTH = 63;

/** n8n lets a model fill in no list of choices: it becomes text whose label names as many of them as the argument can. */
function forModel(field: FormField): FormField {
	if (field.choices.length === 0) return field;
	const names = field.choices.map(({ value }) => String(value));
	const labels = names
		.slice(0, ARGUMENT_LENGTH)
		.map((_, most) => `${field.label} (${nameList(names, most + 1)})`);
	const fitting = labels.filter(({ length }) => length <= ARGUMENT_LENGTH);
	return { ...field, kind: 'text', label: fitting.at(-1) ?? field.label };
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
			options: choices
				.filter(({ value }) => !isExpression(value))
				.map((choice) => ({ name: asPlainText(choice.label), value: choice.value })),
		}),
		...(defaultValue !== undefined && !isExpression(defaultValue) && { defaultValue }),
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
