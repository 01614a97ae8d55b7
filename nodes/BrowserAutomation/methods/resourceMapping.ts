import type {
	FieldType,
	ILoadOptionsFunctions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';

import { toNodeError } from '../execution/failures';
import { connect } from '../transport/client';
import { asPlainText, isExpression } from './expressions';
import { inputSchemaOf } from '../service/inputSchema';
import { isJsonObject, textAt, type JsonObject, type JsonValue } from '../service/json';
import { path, type ServiceRequest } from '../service/request';
import { EMPTY_JSON, readForm, type FieldKind, type FormField } from '../service/schema/form';

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
	request(id: string): ServiceRequest;
	schemaOf(record: JsonValue | undefined): JsonObject | undefined;
}

const BOT: Subject = {
	noun: 'bot',
	parameter: 'botId',
	request: (id) => ({ method: 'GET', path: path`/v3/bots/${id}` }),
	schemaOf: inputSchemaOf,
};

/** What takes input beside bots, by the resource that runs it. */
const SUBJECTS: Record<string, Subject> = {
	template: {
		noun: 'template',
		parameter: 'templateId',
		request: (id) => ({ method: 'GET', path: path`/v3/bots/templates/${id}` }),
		schemaOf: inputSchemaOf,
	},
	workflow: {
		noun: 'workflow',
		parameter: 'workflowId',
		request: (id) => ({
			method: 'GET',
			path: '/v2/workflow/get-workflow',
			query: { workflow_id: id },
		}),
		schemaOf: schemaOfNames,
	},
	workflowTemplate: {
		noun: 'workflow template',
		parameter: 'templateId',
		request: (id) => ({
			method: 'GET',
			path: '/v2/workflow/get-official-workflow-template',
			query: { workflow_template_id: id },
		}),
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
	// The trigger has no resources: it says what it starts.
	const started = this.getCurrentNodeParameter('start') ?? this.getCurrentNodeParameter('resource');
	const { noun: kind, parameter, request, schemaOf } = SUBJECTS[String(started)] ?? BOT;
	const chosen = this.getCurrentNodeParameter(parameter, { extractValue: true });
	if (typeof chosen !== 'string' || chosen === '') {
		return noFields(`Choose a ${kind} above. Its input fields appear here.`);
	}
	try {
		const client = await connect(this);
		const schema = schemaOf(await client.send(request(chosen)));
		if (schema === undefined) {
			return noFields(
				`The service shows no input fields for this ${kind}. It may not be published, or choose Using JSON above.`,
			);
		}
		const form = readForm(schema);
		if (form === undefined) {
			return noFields(`The input of this ${kind} is no form. Choose Using JSON above.`);
		}
		if (form.fields.length > 0) return { fields: form.fields.map(toMapperField) };
		return noFields(
			form.isClosed
				? `This ${kind} needs no input.`
				: `This ${kind} names no input fields. If it takes input, choose Using JSON above.`,
		);
	} catch (error) {
		throw toNodeError(this.getNode(), error, 0);
	}
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
function initialValue({ initial, kind }: FormField): string | number | boolean | undefined {
	if (initial === undefined || initial === null) return EMPTY_JSON[kind];
	if (kind === 'list' || kind === 'object') return JSON.stringify(initial, null, 2);
	if (kind === 'json') return typeof initial === 'string' ? initial : JSON.stringify(initial);
	return isPlain(initial) ? initial : undefined;
}

function isPlain(value: JsonValue): value is string | number | boolean {
	return ['string', 'number', 'boolean'].includes(typeof value);
}
