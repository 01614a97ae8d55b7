import { ofFormat } from './dateTime';
import { InputError } from '../errors';
import {
	isJsonObject,
	objectIn,
	parseUserJson,
	readJson,
	textAt,
	toJson,
	type JsonObject,
	type JsonValue,
} from '../json/json';
import { MORE_FIELDS, readForm, UNTOUCHED_JSON, type FieldKind, type FormField } from './form';
import { SchemaDocument } from './schema';
import { validate } from './validate';
import { fieldLabel, quotedList } from './wording';

/** A filled form: each field as n8n gives it, e.g. numbers as text and dates as objects. */
export interface FilledForm {
	values: Record<string, unknown>;
	/** How fields are to be read, and which are required, where the schema itself is not known. */
	kinds: ReadonlyMap<string, FieldKind>;
	required: ReadonlySet<string>;
	/** Which hold what they began with: not sent where the schema no longer names them. */
	untouched?: ReadonlySet<string>;
	/** In which dates and times without an offset are meant. */
	timeZone: string;
}

/** What a user filled in for a run, before it is the input that the service takes: a form, or JSON. */
export type FilledInput = FilledForm | { json: JsonObject };

/**
 * The schema of a run's input, or of its output, in the answer to a read of a bot or template. Undefined
 * where there is none: an unpublished bot shows none (docs/service.md: V3 bots and templates).
 */
export function schemaIn(
	record: JsonValue | undefined,
	key: 'input_schema' | 'output_schema' = 'input_schema',
): JsonObject | undefined {
	const schema = isJsonObject(record) ? record[key] : undefined;
	const read = isJsonObject(schema) ? schema : readJson(textAt(record, key) ?? '');
	return isJsonObject(read) ? read : undefined;
}

/**
 * The input as the service takes it, checked against the schema of the bot or template. Fields left
 * empty are left out; a required one that has a default gets it.
 *
 * @param schema undefined where it is not known: then a form is asked for its required fields alone, JSON for nothing
 * @throws InputError that names every wrong field
 */
export function toInput(schema: JsonObject | undefined, filled: FilledInput): JsonObject {
	const root = schema ?? ('json' in filled || { required: [...filled.required] });
	const document = new SchemaDocument(root);
	const fields = readForm(root, document);
	const given = 'json' in filled ? filled.json : readFilledForm(document, fields, filled);
	const members = (fields ?? []).flatMap((field) => field.members ?? field);
	const defaults = members.flatMap(({ name, required, schema: { default: value } }) =>
		required && value !== undefined ? [[name, value] as const] : [],
	);
	const input = { ...Object.fromEntries(defaults), ...given };
	const problems = validate(document, input);
	if (problems.length === 0) return input;
	const more = problems.length - PROBLEMS_SHOWN;
	const shown = [...problems.slice(0, PROBLEMS_SHOWN), ...(more > 0 ? [`and ${more} more`] : [])];
	const gone = schema === undefined || 'json' in filled ? [] : unknownFields(schema, given);
	const asked = members.filter(({ name, required }) => required && !Object.hasOwn(input, name));
	const change = gone.length === 0 ? '' : `${formChange(gone, asked)}. `;
	throw new InputError(
		`${change}The input does not fit: ${shown.join('; ')}`,
		`${change === '' ? '' : 'Open this node to see the new form. '}Correct the fields named above and run again. No run was started with this input.`,
	);
}

const PROBLEMS_SHOWN = 20;

/** How the form has changed since it was filled in. @param gone what it has no more @param asked what it lacks */
function formChange(gone: string[], asked: FormField[]): string {
	const changed = 'The bot’s form has changed: it';
	const filled = quotedList(gone);
	if (asked.length === 0)
		return `${changed} no longer has ${filled}, which this node still fills in`;
	const labels = quotedList(asked.map(({ label }) => label));
	return `${changed} now asks for ${labels}; this node still fills in ${filled}`;
}

/** What a schema may have that tells of members which are not among its properties. */
const FURTHER_MEMBERS = ['anyOf', 'dependentSchemas', 'if', 'oneOf', 'patternProperties'];

/**
 * The members of an input that its schema does not name, so that the bot may ignore them. None where the schema tells of
 * others beside those that it names, or names none.
 */
export function unknownFields(schema: JsonObject, input: JsonObject): string[] {
	const document = new SchemaDocument(schema);
	const flat = document.tryTo(() => document.flatten(schema)) ?? {};
	const named = objectIn(flat.properties);
	const tellsOfOthers =
		isJsonObject(flat.additionalProperties) || FURTHER_MEMBERS.some((key) => key in flat);
	if (tellsOfOthers || Object.keys(named).length === 0) return [];
	return Object.keys(input).filter((name) => !Object.hasOwn(named, name));
}

/** How one field is read. */
interface Reading {
	document: SchemaDocument;
	/** Undefined where the schema does not name the field. */
	field: FormField | undefined;
	kind: FieldKind | undefined;
	/** What the field is called. */
	label: string;
	timeZone: string;
}

/**
 * What was filled in, as the values that the service takes. Fields left empty are left out. What
 * cannot be read as what it should be is left as it is: the check against the schema says so.
 *
 * @param fields those that the schema names; undefined where it names none
 * @throws InputError for a number that has lost digits, and for further fields that are no JSON object
 */
export function readFilledForm(
	document: SchemaDocument,
	fields: FormField[] | undefined,
	{ values, kinds, required, timeZone, untouched }: FilledForm,
): JsonObject {
	const input: Array<[name: string, value: JsonValue]> = [];
	for (const [name, raw] of Object.entries(values)) {
		const field = fields?.find((candidate) => candidate.name === name);
		if (fields !== undefined && field === undefined && untouched?.has(name)) continue;
		const kind = name === MORE_FIELDS ? 'object' : (field?.kind ?? kinds.get(name));
		const isBlank = typeof raw === 'string' && raw.trim() === '';
		const isChoice = field !== undefined && field.choices.length > 0;
		if (isBlank && !isChoice && (field?.required ?? required.has(name))) continue;
		// A list or object that was emptied is a value.
		if ((raw ?? '') === '' || (kind !== undefined && raw === UNTOUCHED_JSON[kind])) continue;
		const label = fieldLabel(name, field?.schema);
		const value = readValue(raw, { document, field, kind, label, timeZone });
		if (name === MORE_FIELDS) input.push(...membersOf(value));
		else if (value !== undefined) input.push([name, value]);
	}
	return Object.fromEntries(input);
}

function membersOf(value: JsonValue | undefined): Array<[name: string, value: JsonValue]> {
	if (isJsonObject(value)) return Object.entries(value);
	throw new InputError(
		"'More fields' is not a JSON object",
		'Give each field by its name, e.g. { "keyword": "laptop" }.',
	);
}

function readValue(raw: unknown, reading: Reading): JsonValue | undefined {
	const { field, kind, label, timeZone } = reading;
	const chosen = field?.choices.find(({ value }) => String(value) === String(raw));
	if (chosen !== undefined) return chosen.value;
	if (field?.kind === 'json' && typeof raw === 'string') return readAny(field, raw, reading);
	const isMoment = kind === 'date' || kind === 'dateTime';
	const value = (isMoment ? ofFormat(raw, kind, timeZone) : undefined) ?? toJson(raw, label);
	if (kind === 'text' && value !== undefined && typeof value !== 'string') {
		return JSON.stringify(value);
	}
	if (typeof value !== 'string') return value;
	if (kind === 'number') return isNumeric(value) ? Number(value) : value;
	if (kind === 'boolean') return value === 'true' || (value === 'false' ? false : value);
	return kind === 'list' || kind === 'object' ? ifJson(value, reading) : value;
}

/** Text for a value of any kind: JSON, unless the schema wants just this text and not what it says. */
function readAny({ schema }: FormField, text: string, reading: Reading): JsonValue {
	const fits = (value: JsonValue): boolean =>
		validate(reading.document, value, schema).length === 0;
	const parsed = readJson(text) ?? text;
	return fits(text) && (parsed === text || !fits(parsed)) ? text : ifJson(text, reading);
}

/** Whether text is a number that loses no digit as one. */
function isNumeric(text: string): boolean {
	const number = text.trim() === '' ? NaN : Number(text);
	return Number.isInteger(number) ? Number.isSafeInteger(number) : Number.isFinite(number);
}

/** What text says as JSON; the text itself where it is none. @throws InputError for a number that loses digits */
function ifJson(text: string, { label }: Reading): JsonValue {
	return readJson(text) === undefined ? text : parseUserJson(text, label);
}
