import { isJsonObject, objectIn, type JsonObject, type JsonValue } from '../json/json';
import { shorten } from '../text';
import {
	choicesOf,
	isSchema,
	listIn,
	type Schema,
	SchemaDocument,
	type TypeName,
	typesOf,
} from './schema';
import { nameList } from './wording';

/** How a field is filled in. A `json` field takes values of several kinds, as JSON. */
export type FieldKind =
	'text' | 'number' | 'boolean' | 'date' | 'dateTime' | 'choice' | 'list' | 'object' | 'json';

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
	/** Only of the field for more: the members that it fills. */
	members?: FormField[];
}

/** The field for all members whose names can be no fields: an object of them. */
export const MORE_FIELDS = 'moreFields';

/**
 * What the JSON editor of a field that may be left out begins with, and by which it is known that it was left
 * alone: n8n marks an empty one as wrong. Without the space it is a value.
 */
export const UNTOUCHED_JSON: Partial<Record<FieldKind, string>> = { list: '[ ]', object: '{ }' };

const MAX_FIELDS = 500;
const MAX_CHOICES = 1_000;

/** Names of which n8n keeps no value in any object of a workflow. */
export const UNKEPT_NAME = /^(__proto__|constructor|prototype)$/;

/**
 * A text without what n8n takes for an argument of a model, wherever an agent's tool keeps it: one more argument, or none of
 * them (1.123 and 2.41: `extractFromAICalls` in n8n-workflow).
 */
export function withoutArguments(text: string): string {
	return text.replace(/\$(?=fromAI\s*\()/gi, '$ ');
}

/** Names under which n8n, its editor, or JavaScript keeps no value as it keeps others: "=" begins an expression. */
const UNUSABLE_NAME = /^(__proto__|constructor|prototype|\s*)$|^=|[\n\r\u2028\u2029]/;

/**
 * The form for the members of a schema, in its order.
 *
 * @returns undefined where there can be none: the schema speaks of no object, has too many members, or
 * is more work than a form is worth. Such an input can be given as JSON.
 */
export function readForm(
	root: Schema,
	document = new SchemaDocument(root),
): FormField[] | undefined {
	return document.tryTo(() => {
		const all = fieldsOf(document, document.flatten(root));
		const isUnusable = ({ name }: FormField): boolean =>
			UNUSABLE_NAME.test(name) || name === MORE_FIELDS || name !== withoutArguments(name);
		const more = all?.filter(isUnusable) ?? [];
		if (more.length === 0) return all;
		return [...(all ?? []).filter((field) => !more.includes(field)), fieldForMore(more)];
	});
}

function fieldForMore(members: FormField[]): FormField {
	const names = members.map(({ name }) => JSON.stringify(name));
	return {
		name: MORE_FIELDS,
		label: `More fields (JSON object): ${nameList(names)}`,
		required: members.some(({ required }) => required),
		kind: 'object',
		schema: { type: 'object', title: 'More fields' },
		choices: [],
		initial: undefined,
		members,
	};
}

/**
 * A field for each member of a flat schema, whatever its name; undefined where it speaks of no object,
 * or of too many members.
 *
 * @throws TooMuchWork
 */
export function fieldsOf(document: SchemaDocument, whole: JsonObject): FormField[] | undefined {
	const { properties, required, type } = whole;
	const members = Object.entries(objectIn(properties));
	if (!isJsonObject(properties) && type !== 'object') return undefined;
	if (members.length > MAX_FIELDS) return undefined;
	const needed = new Set(listIn(required));
	return members.flatMap(([name, member]) => {
		const isField = isSchema(member) && member !== false;
		return isField ? fieldFor(document, name, member, needed.has(name)) : [];
	});
}

function fieldFor(
	document: SchemaDocument,
	name: string,
	member: Schema,
	required: boolean,
): FormField {
	const own = document.flatten(member);
	const forms = document.formsOf(own);
	// Beside null there is often but one form: what it says is meant for the field.
	const schema = forms.length > 1 ? own : { ...forms[0], ...own };
	const kind = kindOf(schema) ?? kindAmong(forms);
	const initial = schema.default ?? schema.const;
	// n8n would send a switch that nobody has touched.
	const isYesOrNo = kind === 'boolean' && !required && typeof initial !== 'boolean';
	const listed = choicesOf(schema) === undefined ? choicesAmong(forms) : choicesIn(schema);
	const choices = listed.length === 0 && isYesOrNo ? choicesIn({ enum: [true, false] }) : listed;
	const isChoice = choices.length > 0 && choices.length <= MAX_CHOICES;
	return {
		name,
		label: labelOf(titleOf(name, schema), schema),
		required,
		kind: isChoice ? 'choice' : kind,
		schema,
		choices: isChoice ? choices : [],
		initial,
	};
}

const KINDS: Record<TypeName, FieldKind> = {
	string: 'text',
	integer: 'number',
	number: 'number',
	boolean: 'boolean',
	array: 'list',
	object: 'object',
	null: 'json',
};

/** The kind of field for a flat schema; undefined where that depends on its forms. */
export function kindOf(schema: JsonObject): FieldKind | undefined {
	const { format, properties, items } = schema;
	const types = typesOf(schema).filter((type) => type !== 'null');
	const [kind, ...others] = new Set(types.map((type) => KINDS[type]));
	if (kind === undefined && isJsonObject(properties)) return 'object';
	if (kind === undefined) return isSchema(items) ? 'list' : undefined;
	if (others.length > 0) return 'json';
	if (kind === 'text' && format === 'date') return 'date';
	return kind === 'text' && format === 'date-time' ? 'dateTime' : kind;
}

/** The kind that all forms of a value have. */
function kindAmong(forms: JsonObject[]): FieldKind {
	const kinds = forms.map((form) => (choicesIn(form).length > 0 ? undefined : kindOf(form)));
	const [kind, ...others] = new Set(kinds);
	if (kind === undefined) return 'json';
	const isMoment = kinds.every((one) => one === 'date' || one === 'dateTime');
	return others.length === 0 ? kind : isMoment ? 'dateTime' : 'json';
}

/** The choices of all forms, where each is one of choices. The title of one that allows one value is that value's. */
function choicesAmong(forms: JsonObject[]): Choice[] {
	const choices = forms.map((form) => choicesIn(form, form.title));
	return choices.every(({ length }) => length > 0) ? choices.flat() : [];
}

/** What a schema allows, without `null`; no choices where there are too many, or one that a list cannot offer. */
function choicesIn(schema: JsonObject, title?: JsonValue): Choice[] {
	const values = (choicesOf(schema) ?? []).filter((value) => value !== null);
	if (values.length > MAX_CHOICES || !values.every(isPlainValue)) return [];
	const label = schema.const === undefined ? undefined : title;
	return values.map((value) => ({ label: String(label ?? value), value }));
}

/** Whether a list of choices can offer a value. */
export function isPlainValue(value: JsonValue): value is PlainValue {
	return ['string', 'number', 'boolean'].includes(typeof value);
}

/** What the editor calls a member: its title, else its name. */
export function titleOf(name: string, { title }: JsonObject): string {
	return shorten(typeof title === 'string' && title.trim() !== '' ? title.trim() : name, 200);
}

/**
 * A title with what is allowed, e.g. "Maximum results (1 to 500)". The editor has a line of some twenty characters for it, and
 * no other place for what a field is for.
 */
export function labelOf(title: string, schema: JsonObject): string {
	const allowed = allowedValues(schema);
	return allowed === '' ? title : `${title} (${allowed})`;
}

function allowedValues({ format, type, minimum, maximum }: JsonObject): string {
	if (format === 'date') return 'date';
	if (format === 'date-time') return 'date and time';
	if (type === 'array') return 'JSON list';
	if (type === 'object') return 'JSON object';
	if (typeof minimum !== 'number') return typeof maximum === 'number' ? `up to ${maximum}` : '';
	return typeof maximum === 'number' ? `${minimum} to ${maximum}` : `from ${minimum}`;
}
