import type {
	FieldType,
	ILoadOptionsFunctions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';

import { toNodeError } from '../execution/failures';
import { connect } from '../transport/client';
import { inputSchemaOf } from '../service/inputSchema';
import type { JsonValue } from '../service/json';
import { path } from '../service/request';
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

/**
 * The input form of the chosen bot or template, made of its input schema.
 *
 * @throws NodeApiError or NodeOperationError that says why it cannot be shown
 */
export async function getInputFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	// The trigger has no resources: it says what it starts.
	const started = this.getCurrentNodeParameter('start') ?? this.getCurrentNodeParameter('resource');
	const kind = started === 'template' ? 'template' : 'bot';
	const chosen = this.getCurrentNodeParameter(`${kind}Id`, { extractValue: true });
	if (typeof chosen !== 'string' || chosen === '') {
		return noFields(`Choose a ${kind} above. Its input fields appear here.`);
	}
	try {
		const client = await connect(this);
		const owner = kind === 'bot' ? path`/v3/bots/${chosen}` : path`/v3/bots/templates/${chosen}`;
		const schema = inputSchemaOf(await client.send({ method: 'GET', path: owner }));
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
		displayName: label,
		required,
		type: TYPES[kind],
		display: true,
		defaultMatch: false,
		canBeUsedToMatch: false,
		readOnly: false,
		removed: false,
		...(kind === 'choice' && {
			options: choices.map((choice) => ({ name: choice.label, value: choice.value })),
		}),
		...(defaultValue !== undefined && { defaultValue }),
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
