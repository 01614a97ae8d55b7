import { toDate, toDateTime } from './dateTime';
import { InputError } from '../errors';
import { isJsonObject, parseJson, textAt, type JsonObject, type JsonValue } from '../json/json';
import { Budget } from './budget';
import { makeExample, type ExampleInput } from './example';
import { MORE_FIELDS, readForm, UNTOUCHED_JSON, type FieldKind, type FormField } from './form';
import type { Problem } from './keyword';
import type { Schema } from './schema';
import { mayFit, validate } from './validate';
import { fieldLabel, shorten } from './wording';
import { parseUserJson } from '../json/userJson';

/** What a user filled in for a run, before it is the input that the service takes. */
export type FilledInput = FilledFields | WrittenInput;

/** A form: each field as n8n gives it, e.g. numbers as text and dates as objects. */
export interface FilledFields {
	fields: Record<string, unknown>;
	/** How fields are to be read where the schema itself is not known. */
	kinds: ReadonlyMap<string, FieldKind>;
	/** In which dates and times without an offset are meant. */
	timeZone: string;
}

/** An input written as JSON. */
export interface WrittenInput {
	json: JsonObject;
}

/**
 * The schema of a run's input in the answer to a read of a bot or template. Undefined where there
 * is none: an unpublished bot shows none (docs/service.md: V3 bots and templates).
 */
export function inputSchemaOf(record: JsonValue | undefined): JsonObject | undefined {
	return schemaAt(record, 'input_schema');
}

/** The schema of a bot's output, where the service shows one. */
export function outputSchemaOf(record: JsonValue | undefined): JsonObject | undefined {
	return schemaAt(record, 'output_schema');
}

function schemaAt(record: JsonValue | undefined, key: string): JsonObject | undefined {
	const schema = isJsonObject(record) ? record[key] : undefined;
	if (isJsonObject(schema)) return schema;
	const text = textAt(record, key);
	const read = text === undefined ? undefined : parseOrKeep(text, parseJson);
	return isJsonObject(read) ? read : undefined;
}

/**
 * The input as the service takes it, checked against the schema of the bot or template. Fields left
 * empty are left out; a required one that has a default gets it.
 *
 * @param schema undefined where it is not known: then nothing is checked
 * @throws InputError that names every wrong field
 */
export function toInput(schema: JsonObject | undefined, filled: FilledInput): JsonObject {
	const budget = new Budget();
	const root = schema ?? true;
	const { fields, others } = readForm(root, budget) ?? { fields: [], others: [] };
	const known = { root, fields, budget };
	const given = 'json' in filled ? filled.json : readFields(known, filled);
	if (schema === undefined) return given;
	const input = withDefaults([...fields, ...others], given);
	const problems = validate(schema, input, budget);
	if (problems.length > 0) throw unfitInput(problems);
	return input;
}

/**
 * An input to begin with: what was filled in, and an example of what else is required. Fields that
 * the schema does not name are left out.
 *
 * @returns undefined where the schema speaks of no object, or is too much work
 * @throws InputError for a number that has lost digits
 */
export function exampleInput(schema: JsonObject, filled: FilledFields): ExampleInput | undefined {
	const budget = new Budget();
	const fields = readForm(schema, budget)?.fields ?? [];
	return makeExample(schema, readFields({ root: schema, fields, budget }, filled), budget);
}

/** What is known of a form. */
interface KnownForm {
	/** The schema that those of the fields are parts of. */
	root: Schema;
	fields: FormField[];
	budget: Budget;
}

/** How one field is read. */
interface Reading extends KnownForm {
	/** What the field is called. */
	label: string;
	timeZone: string;
}

function readFields(known: KnownForm, { fields, kinds, timeZone }: FilledFields): JsonObject {
	const input: Array<[name: string, value: JsonValue]> = [];
	for (const [name, raw] of Object.entries(fields)) {
		const field = known.fields.find((candidate) => candidate.name === name);
		const kind = name === MORE_FIELDS ? 'object' : (field?.kind ?? kinds.get(name));
		if (isLeftEmpty(raw, kind)) continue;
		const reading = { ...known, label: fieldLabel(name, field?.schema), timeZone };
		const value = field === undefined ? readAs(kind, raw, reading) : readField(field, raw, reading);
		if (name === MORE_FIELDS) input.push(...membersOf(value));
		else if (value !== undefined) input.push([name, value]);
	}
	return Object.fromEntries(input);
}

function membersOf(value: JsonValue | undefined): Array<[name: string, value: JsonValue]> {
	if (isJsonObject(value)) return Object.entries(value);
	throw new InputError(
		'More fields is not a JSON object',
		'Give each field by its name, e.g. { "keyword": "laptop" }.',
	);
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
	if (kind === 'choice') {
		const chosen = choices.find(({ value }) => String(value) === String(raw));
		return chosen?.value ?? toJson(raw, reading);
	}
	if (kind === 'dateTime') return readMoment(schema.format, raw, reading);
	if (kind === 'json' && typeof raw === 'string') return readAny(schema, raw, reading);
	return readAs(kind, raw, reading);
}

/** Text for a value of any kind: JSON, unless the schema wants just this text and not what it says. */
function readAny(schema: JsonObject, text: string, reading: Reading): JsonValue {
	const { root, budget } = reading;
	const fits = (value: JsonValue): boolean => mayFit(root, schema, value, budget);
	const parsed = parseOrKeep(text, parseJson);
	if (fits(text) && (parsed === text || !fits(parsed))) return text;
	return readJson(text, reading);
}

/** What cannot be read as what it should be is left as it is: the check against the schema says so. */
function readAs(
	kind: FieldKind | undefined,
	raw: unknown,
	reading: Reading,
): JsonValue | undefined {
	if (kind === 'dateTime') return readMoment('date-time', raw, reading);
	const value = toJson(raw, reading);
	switch (kind) {
		case 'text':
			return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
		case 'number':
			return typeof value === 'string' && isNumeric(value) ? Number(value) : value;
		case 'boolean':
			return value === 'true' || value === 'false' ? value === 'true' : value;
		case 'list':
		case 'object':
			return typeof value === 'string' ? readJson(value, reading) : value;
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

/** A moment as the service takes it; a date only as far as the day. */
function readMoment(
	format: JsonValue | undefined,
	raw: unknown,
	reading: Reading,
): JsonValue | undefined {
	const { timeZone } = reading;
	if (format === 'date') return toDate(raw, timeZone) ?? toJson(raw, reading);
	try {
		return toDateTime(raw, '', timeZone);
	} catch {
		return toJson(raw, reading);
	}
}

/** JSON of a field; text that is none is left. @throws InputError for a number that loses digits */
function readJson(text: string, { label }: Reading): JsonValue {
	return parseOrKeep(text, (found) => parseUserJson(found, label));
}

function parseOrKeep(text: string, parse: (text: string) => JsonValue): JsonValue {
	let failure: unknown;
	try {
		return parse(text);
	} catch (error) {
		failure = error;
	}
	if (failure instanceof SyntaxError) return text;
	throw failure;
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

function withDefaults(fields: FormField[], given: JsonObject): JsonObject {
	const defaults = fields.flatMap(({ name, required, schema }): Array<[string, JsonValue]> => {
		const isLacking = required && !Object.hasOwn(given, name) && schema.default !== undefined;
		return isLacking ? [[name, schema.default ?? null]] : [];
	});
	return Object.fromEntries([...Object.entries(given), ...defaults]);
}

const PROBLEMS_SHOWN = 20;
const LABEL_MAX_LENGTH = 300;

function unfitInput(problems: Problem[]): InputError {
	const shown = problems
		.slice(0, PROBLEMS_SHOWN)
		.map(
			({ label, text }) =>
				`${label === '' ? 'the input' : shorten(label, LABEL_MAX_LENGTH)} ${text}`,
		);
	const more = problems.length - PROBLEMS_SHOWN;
	return new InputError(
		`The input does not fit: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
		'Correct the fields named above and run again. No run was started with this input.',
	);
}
