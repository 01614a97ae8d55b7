import { isJsonObject, type JsonObject, type JsonValue } from '../json';
import { flatten } from './flatten';
import { isSchema, schemaList, schemasIn, typesOf, type Schema, type TypeName } from './schema';

/** How a field is filled in. A `json` field takes values of several kinds, as JSON. */
export type FieldKind =
	'text' | 'number' | 'boolean' | 'dateTime' | 'choice' | 'list' | 'object' | 'json';

/** What a choice stands for. */
export type ChoiceValue = string | number | boolean;

/** One of the values that a field can have. */
export interface Choice {
	label: string;
	value: ChoiceValue;
}

/** One field of an input form. */
export interface FormField {
	/** The member of the input that it fills. */
	name: string;
	/** Its title, what it is for, and what is allowed. */
	label: string;
	required: boolean;
	kind: FieldKind;
	/** The schema of the member, with its references resolved. */
	schema: JsonObject;
	/** Only for `choice`. */
	choices: Choice[];
	/** What the field holds until the user changes it. */
	initial: JsonValue | undefined;
}

/** The fields of a form for the members of a schema, in its order. */
export function formFields(root: Schema): FormField[] {
	const { properties, required } = flatten(root, root);
	const needed = Array.isArray(required) ? required : [];
	return schemasIn(properties).flatMap(([name, member]) => {
		if (member === false) return [];
		const schema = flatten(root, member);
		const kind = kindOf(root, schema);
		return {
			name,
			label: labelOf(name, schema),
			required: needed.includes(name),
			kind,
			schema,
			choices: kind === 'choice' ? choicesOf(root, schema) : [],
			initial: schema.default ?? schema.const,
		};
	});
}

function kindOf(root: Schema, schema: JsonObject): FieldKind {
	if (choicesOf(root, schema).length > 0) return 'choice';
	const types = typesOf(schema).filter((type) => type !== 'null');
	if (types.length > 0) return kindOfTypes(types, schema.format);
	if (isJsonObject(schema.properties)) return 'object';
	if (isSchema(schema.items)) return 'list';
	const forms = formsOf(root, schema);
	const kinds = new Set(forms.map((form) => kindOf(root, form)));
	const [only] = kinds;
	return only !== undefined && kinds.size === 1 ? only : 'json';
}

function kindOfTypes(types: TypeName[], format: JsonValue | undefined): FieldKind {
	if (types.every((type) => type === 'integer' || type === 'number')) return 'number';
	if (types.length > 1) return 'json';
	switch (types[0]) {
		case 'string':
			return format === 'date-time' || format === 'date' ? 'dateTime' : 'text';
		case 'boolean':
			return 'boolean';
		case 'array':
			return 'list';
		default:
			return 'object';
	}
}

/** The forms that a value may take, but for `null`. */
function formsOf(root: Schema, schema: JsonObject): JsonObject[] {
	return [...schemaList(schema.oneOf), ...schemaList(schema.anyOf)]
		.map((form) => flatten(root, form))
		.filter((form) => form.const !== null && form.type !== 'null');
}

/** The values of a schema that allows only some: by `enum`, by `const`, or by forms that are each `const`. */
function choicesOf(root: Schema, schema: JsonObject): Choice[] {
	const listed = schema.const !== undefined ? [schema.const] : schema.enum;
	if (Array.isArray(listed)) {
		const values = listed.filter((value) => value !== null);
		return toChoices(values.map((value) => ({ label: String(value), value })));
	}
	const forms = formsOf(root, schema);
	return toChoices(
		forms.map(({ const: value, title }) => ({ label: title ?? value, value: value ?? null })),
	);
}

/** Choices, unless one of them is no value that a list can offer. */
function toChoices(found: Array<{ label: JsonValue | undefined; value: JsonValue }>): Choice[] {
	const choices = found.flatMap(({ label, value }) =>
		isChoiceValue(value) ? { label: String(label), value } : [],
	);
	return choices.length === found.length ? choices : [];
}

function isChoiceValue(value: JsonValue): value is ChoiceValue {
	return ['string', 'number', 'boolean'].includes(typeof value);
}

const DESCRIPTION_MAX_LENGTH = 160;

/**
 * E.g. "Maximum results (1 to 500): How many products to collect at most". The editor cuts what does
 * not fit, so what matters most comes first.
 */
function labelOf(name: string, schema: JsonObject): string {
	const { title, description } = schema;
	const label = typeof title === 'string' && title.trim() !== '' ? title.trim() : name;
	const purpose = typeof description === 'string' ? shorten(description.trim()) : '';
	const allowed = allowedValues(schema);
	return `${label}${allowed === '' ? '' : ` (${allowed})`}${purpose === '' ? '' : `: ${purpose}`}`;
}

function shorten(text: string): string {
	const short =
		text.length > DESCRIPTION_MAX_LENGTH ? `${text.slice(0, DESCRIPTION_MAX_LENGTH)}…` : text;
	return short.replace(/\.$/, '');
}

function allowedValues({ format, minimum, maximum, type }: JsonObject): string {
	if (format === 'date') return 'date';
	if (format === 'date-time') return 'workflow’s time zone';
	if (type === 'array') return 'JSON list';
	if (type === 'object') return 'JSON object';
	if (typeof minimum === 'number' && typeof maximum === 'number') return `${minimum} to ${maximum}`;
	if (typeof minimum === 'number') return `from ${minimum}`;
	return typeof maximum === 'number' ? `up to ${maximum}` : '';
}
