import { InputError } from '../service/errors';
import { isJsonObject, partOf, textAt, type JsonObject } from '../service/json/json';
import { MORE_FIELDS, UNKEPT_NAME, type FieldKind } from '../service/schema/form';
import { toInputPairs, type InputPair } from '../service/schema/inputPairs';
import { toInput, type FilledForm, type FilledInput } from '../service/schema/inputSchema';
import type { FieldSet } from './field';
import { choice, field, notice } from './fieldBuilders';
import { readJsonValue, readJsonObject } from './parseValue';

const inputModeField = choice('inputMode', 'Specify Input', {
	noDataExpression: true,
	default: 'fields',
	choices: {
		fields: ['Using Fields Below', 'Fill in the form'],
		json: ['Using JSON', 'E.g. from an expression or an AI agent'],
	},
});

/** What the form and the example are made for: they are made anew when one of these changes. */
const CHOSEN = ['botId.value', 'templateId.value', 'workflowId.value'];

/** The form that n8n makes of what the chosen bot, template or workflow takes. */
export const inputFieldsField = field({
	displayName: 'Input',
	name: 'inputFields',
	type: 'resourceMapper',
	noDataExpression: true,
	required: true,
	default: { mappingMode: 'defineBelow', value: null },
	description: 'Fields left empty are not sent. Dates and times are in the workflow’s time zone.',
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
	showWhen: { inputMode: ['fields'] },
	read: (raw, label, context): FilledForm => {
		const { value, schema }: JsonObject = isJsonObject(raw) ? raw : {};
		const fields = Array.isArray(schema) ? schema : [];
		const gone = fields.filter((one) => partOf(one, 'removed') === true);
		const removed = new Set(gone.map((one) => textAt(one, 'id')));
		const ids = fields.map((one) => textAt(one, 'id') ?? '');
		const lost = ids.find((id) => UNKEPT_NAME.test(id) && !removed.has(id));
		if (lost !== undefined) {
			throw new InputError(
				`${label} has the field "${lost}", of which n8n keeps no value`,
				"Give it under 'More fields', or choose 'Using JSON' under 'Specify Input'.",
			);
		}
		// A field that n8n's editor removes loses its value, one that a program removes need not.
		const kept = Object.entries(isJsonObject(value) ? value : {}).filter(
			([id]) => !removed.has(id),
		);
		const values = Object.fromEntries(kept);
		const isUntouched = (id: string, index: number): boolean =>
			partOf(fields[index], 'defaultValue') === values[id];
		return {
			values,
			untouched: new Set(ids.filter(isUntouched)),
			kinds: new Map(fields.flatMap(kindOfField)),
			required: new Set(
				fields.flatMap((one) => {
					const id = textAt(one, 'id');
					const isAsked = partOf(one, 'required') === true && !removed.has(id);
					return isAsked && id !== undefined && id !== MORE_FIELDS ? id : [];
				}),
			),
			timeZone: context.getTimezone(),
		};
	},
});

const KINDS: Record<string, FieldKind> = {
	array: 'list',
	boolean: 'boolean',
	dateTime: 'dateTime',
	number: 'number',
	object: 'object',
};

/** Of the schema that n8n keeps with a form's values. Workflows made by a program may leave it out. */
function kindOfField(field: unknown): Array<[name: string, kind: FieldKind]> {
	const stored = KINDS[textAt(field, 'type') ?? ''];
	const isDay = stored === 'dateTime' && textAt(field, 'displayName')?.endsWith('(date)');
	const kind = isDay ? 'date' : stored;
	const id = textAt(field, 'id');
	return kind === undefined || id === undefined ? [] : [[id, kind]];
}

/**
 * Bears the form's name while the input is JSON: n8n forgets the values of a parameter that it does
 * not show, and so keeps them. Not in an agent's tool: there n8n would ask the model for the values
 * that the form left to it.
 */
const keptFormNotice = notice(
	inputFieldsField.name,
	"The form keeps its values. If you go back to 'Using Fields Below', this JSON is lost.",
	{ showWhen: { inputMode: ['json'] }, hideWhen: { '/descriptionType': ['auto', 'manual'] } },
);

/** Shows an example of the JSON: a form without fields, because only forms ask the service. It holds no value. */
const inputExampleNotice = field({
	displayName: 'Example',
	name: 'inputExample',
	type: 'resourceMapper',
	noDataExpression: true,
	default: { mappingMode: 'defineBelow', value: null },
	description: 'An example to copy. It is not sent.',
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
	showWhen: { inputMode: ['json'] },
	read: () => undefined,
});

/** In an agent's tool, as long as n8n describes it, which it does by the operation alone: two tools look the same to the model. */
const describeToolNotice = notice(
	'describeTool',
	"The model sees the name and the description of this node, which are the same for each bot at first. Rename the node, and choose 'Set Manually' to say what it finds, when to use it and how often. Let the model fill in fields by the button beside each.",
	{ showWhen: { '/descriptionType': ['auto'] } },
);

/** The form, or what helps to write the input as JSON. */
const FORM_FIELDS = [
	describeToolNotice,
	inputModeField,
	inputFieldsField,
	keptFormNotice,
	inputExampleNotice,
];

/** What the input as JSON looks like, e.g. from an expression or an AI agent. */
const JSON_INPUT = {
	displayName: 'Input (JSON)',
	name: 'input',
	type: 'json' as const,
	default: '{}',
	showWhen: { inputMode: ['json'] },
};

const inputField = field({
	...JSON_INPUT,
	description: 'A JSON object, by the input_schema that Get shows. Enter {} if no input is needed.',
	hint: 'e.g. { "keyword": "laptop" }',
	read: readJsonObject,
});

const taskInputField = field({
	...JSON_INPUT,
	description:
		'A JSON object, or a list of objects with name and value. Get shows the names as input_parameters. Enter {} if no input is needed.',
	hint: 'e.g. { "keyword": "laptop", "pages": 3 }',
	read: (raw, label) => {
		const inputs = raw === null ? raw : readJsonValue(raw, label);
		return inputs === undefined ? [] : toInputPairs(inputs, label);
	},
});

/** The input of a run as the user gave it, in either way. */
export const INPUT: FieldSet<FilledInput> = {
	fields: [...FORM_FIELDS, inputField],
	read: (values) =>
		values(inputModeField) === 'json' ? { json: values(inputField) } : values(inputFieldsField),
};

/** The input of a task as the user gave it, in either way. Fields left empty are left out. */
export const TASK_INPUT: FieldSet<InputPair[]> = {
	fields: [...FORM_FIELDS, taskInputField],
	read: (values) =>
		values(inputModeField) === 'json'
			? values(taskInputField)
			: toInputPairs(toInput(undefined, values(inputFieldsField)), "'Input'"),
};
