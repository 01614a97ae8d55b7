import type { Field, Values } from './field';
import { isJsonObject, type JsonObject } from '../service/json/json';
import type { FilledForm } from '../service/schema/filledForm';
import type { FieldKind } from '../service/schema/form';
import type { FilledInput } from '../service/schema/inputSchema';
import { readJsonObject } from './parseValue';

type InputMode = 'fields' | 'json';

/** How the user gives the input of a run. */
export const inputModeField: Field<InputMode> = {
	name: 'inputMode',
	parameter: {
		displayName: 'Specify Input',
		type: 'options',
		noDataExpression: true,
		default: 'fields',
		description: 'Fill in the bot’s form, or pass JSON, e.g. from an expression or an AI agent',
		options: [
			{ name: 'Using Fields Below', value: 'fields' },
			{ name: 'Using JSON', value: 'json' },
		],
	},
	read: (raw) => (raw === 'json' ? 'json' : 'fields'),
};

/** What the form and the example are made for: they are made anew when one of these changes. */
const CHOSEN = ['botId.value', 'templateId.value', 'workflowId.value'];

/** The form that n8n makes of what the chosen bot, template or workflow takes. */
export const inputFieldsField: Field<FilledForm> = {
	name: 'inputFields',
	parameter: {
		displayName: 'Input',
		type: 'resourceMapper',
		noDataExpression: true,
		required: true,
		default: { mappingMode: 'defineBelow', value: null },
		description:
			'The input of the run. Fields left empty are not sent. Dates and times are in the workflow’s time zone.',
		typeOptions: {
			loadOptionsDependsOn: CHOSEN,
			resourceMapper: {
				resourceMapperMethod: 'getInputFields',
				mode: 'add',
				valuesLabel: 'Input',
				fieldWords: { singular: 'field', plural: 'fields' },
				addAllFields: true,
				supportAutoMap: false,
				noFieldsError: 'No input fields to show.',
				refreshStaleSchemaOnOpen: true,
			},
		},
	},
	showWhen: { inputMode: ['fields'] },
	read: readForm,
};

/**
 * A form's values, and what kind each field is. Workflows made by a program may leave the fields'
 * schema out.
 */
function readForm(raw: unknown, timeZone: string): FilledForm {
	const { value, schema }: JsonObject = isJsonObject(raw) ? raw : {};
	const fields = Array.isArray(schema) ? schema : [];
	return {
		values: isJsonObject(value) ? value : {},
		kinds: new Map(fields.flatMap(kindOfField)),
		timeZone,
	};
}

const KINDS: Record<string, FieldKind> = {
	array: 'list',
	boolean: 'boolean',
	dateTime: 'dateTime',
	number: 'number',
	object: 'object',
};

function kindOfField(field: unknown): Array<[name: string, kind: FieldKind]> {
	if (!isJsonObject(field) || typeof field.id !== 'string') return [];
	const kind = KINDS[String(field.type)];
	return kind === undefined ? [] : [[field.id, kind]];
}

/**
 * Bears the form's name while the input is JSON: n8n forgets the values of a parameter that it does
 * not show, and so keeps them. Not in an agent's tool: there n8n would ask the model for the values
 * that the form left to it. It holds no value of its own.
 */
const keptFormNote: Field<undefined> = {
	name: inputFieldsField.name,
	parameter: {
		displayName:
			'The form keeps its values. If you go back to Using Fields Below, this JSON is lost.',
		type: 'notice',
		default: '',
	},
	showWhen: { inputMode: ['json'] },
	hideWhen: { '/descriptionType': ['auto', 'manual'] },
	read: () => undefined,
};

/** Shows an example of the JSON: a form without fields, because only forms ask the service. It holds no value. */
const inputExampleNote: Field<undefined> = {
	name: 'inputExample',
	parameter: {
		displayName: 'Example',
		type: 'resourceMapper',
		noDataExpression: true,
		default: { mappingMode: 'defineBelow', value: null },
		description: 'Example JSON for the bot, to copy. It is not sent.',
		typeOptions: {
			loadOptionsDependsOn: CHOSEN,
			resourceMapper: {
				resourceMapperMethod: 'getInputExample',
				mode: 'add',
				fieldWords: { singular: 'example', plural: 'examples' },
				addAllFields: true,
				supportAutoMap: false,
				hideNoDataError: true,
			},
		},
	},
	showWhen: { inputMode: ['json'] },
	read: () => undefined,
};

/** The form, or what helps to write the input as JSON. */
export const FORM_FIELDS: ReadonlyArray<Field<unknown>> = [
	inputModeField,
	inputFieldsField,
	keptFormNote,
	inputExampleNote,
];

/** The input as JSON, e.g. from an expression or an AI agent. */
const inputField: Field<JsonObject> = {
	name: 'input',
	parameter: {
		displayName: 'Input (JSON)',
		type: 'json',
		default: '{}',
		description:
			'The input as a JSON object. Bot > Get and Template > Get show the whole input_schema. Enter {} if no input is needed.',
		hint: 'e.g. { "keyword": "laptop" }',
	},
	showWhen: { inputMode: ['json'] },
	readsNull: true,
	read: (raw) => readJsonObject(raw, 'Input'),
};

/** What a user fills in for the input of a run. */
export const INPUT_FIELDS: ReadonlyArray<Field<unknown>> = [...FORM_FIELDS, inputField];

/**
 * The input of a run as the user gave it, in either way.
 *
 * @throws InputError when the JSON is none
 */
export function readFilledInput(values: Values): FilledInput {
	return values(inputModeField) === 'json'
		? { json: values(inputField) }
		: values(inputFieldsField);
}
