import { ofFormat } from './dateTime';
import { readJson, type JsonObject, type JsonValue } from '../json/json';
import { UNTOUCHED_JSON, type FieldKind, type FormField } from './form';
import type { SchemaDocument } from './schema';
import { validate } from './validate';
import { fieldLabel } from './wording';
import { parseUserJson } from '../json/userJson';

/** A filled form: each field as n8n gives it, e.g. numbers as text and dates as objects. */
export interface FilledForm {
	values: Record<string, unknown>;
	/** How fields are to be read where the schema itself is not known. */
	kinds: ReadonlyMap<string, FieldKind>;
	/** In which dates and times without an offset are meant. */
	timeZone: string;
}

/** How one field is read. */
interface Reading extends SchemaDocument {
	/** What the field is called. */
	label: string;
	timeZone: string;
}

/**
 * What was filled in, as the values that the service takes. Fields left empty are left out. What
 * cannot be read as what it should be is left as it is: the check against the schema says so.
 *
 * @param fields those that the schema names
 * @throws InputError for a number that has lost digits
 */
export function readFilledForm(
	document: SchemaDocument,
	fields: FormField[],
	{ values, kinds, timeZone }: FilledForm,
): JsonObject {
	const input: Array<[name: string, value: JsonValue]> = [];
	for (const [name, raw] of Object.entries(values)) {
		const field = fields.find((candidate) => candidate.name === name);
		const kind = field?.kind ?? kinds.get(name);
		if (isLeftEmpty(raw, kind)) continue;
		const reading = { ...document, label: fieldLabel(name, field?.schema), timeZone };
		const value = field === undefined ? readAs(kind, raw, reading) : readField(field, raw, reading);
		if (value !== undefined) input.push([name, value]);
	}
	return Object.fromEntries(input);
}

/** Whether nothing was filled in: a list or object that was emptied is a value. */
function isLeftEmpty(raw: unknown, kind: FieldKind | undefined): boolean {
	if (raw === undefined || raw === null || raw === '') return true;
	return kind !== undefined && raw === UNTOUCHED_JSON[kind];
}

function readField(
	{ kind, schema, choices }: FormField,
	raw: unknown,
	reading: Reading,
): JsonValue | undefined {
	const chosen = choices.find(({ value }) => String(value) === String(raw));
	if (chosen !== undefined) return chosen.value;
	if (kind === 'json' && typeof raw === 'string') return readAny(schema, raw, reading);
	return readAs(kind, raw, reading, schema.format);
}

/** Text for a value of any kind: JSON, unless the schema wants just this text and not what it says. */
function readAny(schema: JsonObject, text: string, reading: Reading): JsonValue {
	const { root, budget } = reading;
	const fits = (value: JsonValue): boolean => validate(root, value, budget, schema).length === 0;
	const parsed = readJson(text) ?? text;
	return fits(text) && (parsed === text || !fits(parsed)) ? text : ifJson(text, reading);
}

function readAs(
	kind: FieldKind | undefined,
	raw: unknown,
	reading: Reading,
	format?: JsonValue,
): JsonValue | undefined {
	const moment = kind === 'dateTime' ? ofFormat(raw, format, reading.timeZone) : undefined;
	const value = moment ?? toJson(raw, reading);
	if (kind === 'text' && value !== undefined && typeof value !== 'string') {
		return JSON.stringify(value);
	}
	if (typeof value !== 'string') return value;
	switch (kind) {
		case 'number':
			return isNumeric(value) ? Number(value) : value;
		case 'boolean':
			return value === 'true' || (value === 'false' ? false : value);
		case 'list':
		case 'object':
			return ifJson(value, reading);
		default:
			return value;
	}
}

/** Whether text is a number that loses no digit as one. */
function isNumeric(text: string): boolean {
	const number = Number(text);
	if (text.trim() === '' || !Number.isFinite(number)) return false;
	return !Number.isInteger(number) || Number.isSafeInteger(number);
}

/** What text says as JSON; the text itself where it is none. @throws InputError for a number that loses digits */
function ifJson(text: string, { label }: Reading): JsonValue {
	return readJson(text) === undefined ? text : parseUserJson(text, label);
}

/**
 * A value of an expression as JSON: n8n's date objects become text.
 *
 * @throws InputError for a number that has lost digits
 */
function toJson(raw: unknown, { label }: Reading): JsonValue | undefined {
	const text: string | undefined = JSON.stringify(raw);
	return text === undefined ? undefined : parseUserJson(text, label);
}
