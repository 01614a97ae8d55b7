import { isJsonObject, type JsonObject, type JsonValue } from '../json/json';
import { flatten, formsOf, isObjectSchema, listIn } from './flatten';
import {
	budgetFor,
	isSchema,
	openBounds,
	schemasIn,
	typesOf,
	type Schema,
	type SchemaDocument,
	type TypeName,
} from './schema';
import { nameList, shorten } from './wording';

/** How a field is filled in. A `json` field takes values of several kinds, as JSON. */
export type FieldKind =
	'text' | 'number' | 'boolean' | 'dateTime' | 'choice' | 'list' | 'object' | 'json';

/** A value that a list of choices can offer. */
export type PlainValue = string | number | boolean;

/** One of the values that a field can have. */
interface Choice {
	label: string;
	value: PlainValue;
}

/** One field of an input form. */
export interface FormField {
	/** The member of the input that it fills. */
	name: string;
	/** Its title, and what is allowed. */
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

/**
 * What the JSON editor of a field that may be left out begins with, and by which it is known that it was left
 * alone: n8n marks an empty one as wrong. Without the space it is a value.
 */
export const UNTOUCHED_JSON: Partial<Record<FieldKind, string>> = { list: '[ ]', object: '{ }' };

/** The field for all members whose names can be no fields: an object of them. */
export const MORE_FIELDS = 'moreFields';

/** An input as a form. */
export interface Form {
	fields: FormField[];
	/** Members that are given together, in the field for more. */
	others: FormField[];
	/** Whether the input can have no other members. */
	isClosed: boolean;
}

const MOST_FIELDS = 500;
const MOST_CHOICES = 1_000;

/** Names under which n8n, its editor, or JavaScript keeps no value as it keeps others: "=" begins an expression. */
const UNUSABLE_NAME = /^(__proto__|constructor|prototype|\s*)$|^=|[\n\r\u2028\u2029]/;

/**
 * The form for the members of a schema, in its order.
 *
 * @returns undefined where there can be none: the schema speaks of no object, has too many members, or
 * is more work than a form is worth. Such an input can be given as JSON.
 */
export function readForm(root: Schema, budget = budgetFor(root)): Form | undefined {
	const document = { root, budget };
	return budget.tryTo(() => {
		const whole = flatten(document, root);
		const members = schemasIn(whole.properties).filter(([, member]) => member !== false);
		if (!isObjectSchema(whole) || members.length > MOST_FIELDS) return undefined;
		const needed = new Set(listIn(whole.required));
		const all = members.map(([name, member]) => fieldFor(document, name, member, needed.has(name)));
		const others = all.filter(({ name }) => UNUSABLE_NAME.test(name) || name === MORE_FIELDS);
		const fields = all.filter((field) => !others.includes(field));
		if (others.length > 0) fields.push(fieldForMore(others));
		const isClosed = whole.additionalProperties === false && whole.patternProperties === undefined;
		return { fields, others, isClosed };
	});
}

function fieldFor(
	document: SchemaDocument,
	name: string,
	member: Schema,
	isRequired: boolean,
): FormField {
	const own = flatten(document, member);
	const [form, ...others] = formsOf(document, own);
	// Beside null there is often but one form: what it says is meant for the field.
	const schema = others.length > 0 ? own : { ...form, ...own };
	return {
		name,
		label: labelOf(name, schema),
		required: isRequired,
		...lookOf(document, schema, new Set()),
		schema,
		initial: schema.default ?? schema.const,
	};
}

function fieldForMore(others: FormField[]): FormField {
	const names = others.map(({ name }) => JSON.stringify(name));
	return {
		name: MORE_FIELDS,
		label: `More fields (JSON object): ${nameList(names)}`,
		required: others.some(({ required }) => required),
		kind: 'object',
		schema: { type: 'object', title: 'More fields' },
		choices: [],
		initial: undefined,
	};
}

/** How a field looks: what kind it is, and its choices. */
type Look = Pick<FormField, 'kind' | 'choices'>;

/** @param seen the forms of the value that were looked at: a form may lead back to itself */
function lookOf(document: SchemaDocument, schema: JsonObject, seen: Set<JsonObject>): Look {
	const listed = schema.const !== undefined ? [schema.const] : schema.enum;
	const looks = formsOf(document, schema, seen).map((form) => lookOfForm(document, form, seen));
	const choices = Array.isArray(listed) ? toChoices(listed) : choicesAmong(looks);
	if (choices.length > 0 && choices.length <= MOST_CHOICES) return { kind: 'choice', choices };
	const types = typesOf(schema).filter((type) => type !== 'null');
	if (types.length > 0) return { kind: kindOfTypes(types, schema.format), choices: [] };
	if (isJsonObject(schema.properties)) return { kind: 'object', choices: [] };
	if (isSchema(schema.items)) return { kind: 'list', choices: [] };
	const [kind = 'json', ...others] = new Set(looks.map((look) => look.kind));
	return { kind: kind === 'choice' || others.length > 0 ? 'json' : kind, choices: [] };
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

/** How a form of a value looks. The title of one that allows one value is that value's. */
function lookOfForm(document: SchemaDocument, form: JsonObject, seen: Set<JsonObject>): Look {
	const look = document.budget.descend(() => lookOf(document, form, seen));
	if (form.const === undefined || form.title === undefined) return look;
	const label = String(form.title);
	return { ...look, choices: look.choices.map(({ value }) => ({ label, value })) };
}

/** The choices of all forms, where each is one of choices. */
function choicesAmong(looks: Look[]): Choice[] {
	return looks.every(({ kind }) => kind === 'choice')
		? looks.flatMap(({ choices }) => choices)
		: [];
}

/** Values as choices, without `null`; none where there are too many, or one is no value that a list can offer. */
function toChoices(listed: JsonValue[]): Choice[] {
	if (listed.length > MOST_CHOICES) return [];
	const values = listed.filter((value) => value !== null);
	const choices = values.filter(isPlainValue).map((value) => ({ label: String(value), value }));
	return choices.length === values.length ? choices : [];
}

/** Whether a list of choices can offer a value. */
export function isPlainValue(value: JsonValue): value is PlainValue {
	return ['string', 'number', 'boolean'].includes(typeof value);
}

const TITLE_MAX_LENGTH = 200;

/**
 * E.g. "Maximum results (1 to 500)". The editor has a line of some twenty characters for it, and no other place for what a
 * field is for.
 */
function labelOf(name: string, schema: JsonObject): string {
	const { title } = schema;
	const label = typeof title === 'string' && title.trim() !== '' ? title.trim() : name;
	const allowed = allowedValues(schema);
	return `${shorten(label, TITLE_MAX_LENGTH)}${allowed === '' ? '' : ` (${allowed})`}`;
}

function allowedValues(schema: JsonObject): string {
	const { format, minimum, maximum, type } = schema;
	if (format === 'date') return 'date';
	if (format === 'date-time') return 'date and time';
	if (type === 'array') return 'JSON list';
	if (type === 'object') return 'JSON object';
	const { above, below } = openBounds(schema);
	const from = above === undefined ? minimum : undefined;
	const to = below === undefined ? maximum : undefined;
	if (typeof from === 'number' && typeof to === 'number') return `${from} to ${to}`;
	const bounds: Array<[words: string, bound: JsonValue | undefined]> = [
		['over', above],
		['from', from],
		['under', below],
		['up to', to],
	];
	return bounds
		.flatMap(([words, bound]) => (typeof bound === 'number' ? `${words} ${bound}` : []))
		.join(', ');
}
