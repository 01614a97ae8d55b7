import { isJsonObject, type JsonObject, type JsonValue } from '../json/json';
import { Budget } from './budget';
import { flatten, listIn } from './flatten';
import { openBounds } from './numbers';
import {
	isManageable,
	isSchema,
	schemaList,
	schemasIn,
	typesOf,
	type Schema,
	type TypeName,
} from './schema';
import { nameList, shorten } from './wording';

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

/** What is at hand while a form is made. */
interface Making {
	root: Schema;
	budget: Budget;
}

/**
 * The form for the members of a schema, in its order.
 *
 * @returns undefined where there can be none: the schema speaks of no object, has too many members, or
 * is more work than a form is worth. Such an input can be given as JSON.
 */
export function readForm(root: Schema, budget = new Budget()): Form | undefined {
	return isManageable(root) ? budget.tryTo(() => makeForm({ root, budget })) : undefined;
}

function makeForm(making: Making): Form | undefined {
	const { root, budget } = making;
	const whole = flatten(root, root, budget);
	if (!isJsonObject(whole.properties) && whole.type !== 'object') return undefined;
	const members = schemasIn(whole.properties).filter(([, member]) => member !== false);
	if (members.length > MOST_FIELDS) return undefined;
	const needed = new Set(listIn(whole.required));
	const [own, others]: [FormField[], FormField[]] = [[], []];
	for (const [name, member] of members) {
		const schema = flatten(root, member, budget);
		const isUsable = !UNUSABLE_NAME.test(name) && name !== MORE_FIELDS;
		(isUsable ? own : others).push({
			name,
			label: labelOf(name, schema),
			required: needed.has(name),
			...lookOf(making, schema, new Set()),
			schema,
			initial: schema.default ?? schema.const,
		});
	}
	const isClosed = whole.additionalProperties === false && whole.patternProperties === undefined;
	const fields = others.length === 0 ? own : [...own, fieldForMore(others)];
	return { fields, others, isClosed };
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
function lookOf(making: Making, schema: JsonObject, seen: Set<JsonObject>): Look {
	const listed = schema.const !== undefined ? [schema.const] : schema.enum;
	const forms = formsOf(making, schema, seen);
	const choices = Array.isArray(listed) ? listedChoices(listed) : choicesAmong(forms);
	if (choices.length > 0) return { kind: 'choice', choices };
	const types = typesOf(schema).filter((type) => type !== 'null');
	if (types.length > 0) return { kind: kindOfTypes(types, schema.format), choices };
	if (isJsonObject(schema.properties)) return { kind: 'object', choices };
	if (isSchema(schema.items)) return { kind: 'list', choices };
	const kinds = new Set(
		forms.map((form) => making.budget.descend(() => lookOf(making, form, seen).kind)),
	);
	const [only] = kinds;
	return { kind: only !== undefined && kinds.size === 1 ? only : 'json', choices };
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

/** The forms that a value may take, each once, but for `null`. */
function formsOf(making: Making, schema: JsonObject, seen: Set<JsonObject>): JsonObject[] {
	const { root, budget } = making;
	return [...schemaList(schema.oneOf), ...schemaList(schema.anyOf)].flatMap((form) => {
		if (!isJsonObject(form) || seen.has(form)) return [];
		seen.add(form);
		const flat = flatten(root, form, budget);
		return flat.const === null || flat.type === 'null' ? [] : [flat];
	});
}

/** The values of a schema that allows only some, by `enum` or by `const`. */
function listedChoices(listed: JsonValue[]): Choice[] {
	const values = listed.filter((value) => value !== null);
	return toChoices(values.map((value) => ({ label: value, value })));
}

/** The values of a schema whose forms allow only one each. */
function choicesAmong(forms: JsonObject[]): Choice[] {
	return toChoices(
		forms.map(({ const: value, title }) => ({ label: title ?? value, value: value ?? null })),
	);
}

/** Choices, unless one of them is no value that a list can offer. */
function toChoices(found: Array<{ label: JsonValue | undefined; value: JsonValue }>): Choice[] {
	if (found.length > MOST_CHOICES) return [];
	const choices = found.flatMap(({ label, value }) =>
		isChoiceValue(value) ? { label: String(label), value } : [],
	);
	return choices.length === found.length ? choices : [];
}

function isChoiceValue(value: JsonValue): value is ChoiceValue {
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

function bounded(words: string, limit: JsonValue | undefined): string[] {
	return typeof limit === 'number' ? [`${words} ${limit}`] : [];
}

function allowedValues(schema: JsonObject): string {
	const { format, minimum, maximum, type } = schema;
	if (format === 'date') return 'date';
	if (format === 'date-time') return 'date and time';
	if (type === 'array') return 'JSON list';
	if (type === 'object') return 'JSON object';
	const { above, below } = openBounds(schema);
	const from = above === undefined ? bounded('from', minimum) : [`over ${above}`];
	const to = below === undefined ? bounded('up to', maximum) : [`under ${below}`];
	const isClosed = above === undefined && below === undefined;
	if (isClosed && from.length + to.length === 2) return `${String(minimum)} to ${String(maximum)}`;
	return [...from, ...to].join(', ');
}
