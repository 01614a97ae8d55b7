import { toDate, toDateTime } from './dateTime';
import { InputError } from './errors';
import { isJsonObject, parseJson, textAt, type JsonObject, type JsonValue } from './json';
import { flatten } from './schema/flatten';
import { formFields, type FieldKind, type FormField } from './schema/form';
import type { Problem } from './schema/keyword';
import { validate } from './schema/validate';

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
 * is none: an unpublished bot shows none (interface: V3 bots and templates).
 */
export function inputSchemaOf(record: JsonValue | undefined): JsonObject | undefined {
	const schema = isJsonObject(record) ? record.input_schema : undefined;
	if (isJsonObject(schema)) return schema;
	const text = textAt(record, 'input_schema');
	const read = text === undefined ? undefined : parseOrKeep(text);
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
	const fields = schema === undefined ? [] : formFields(schema);
	const given = 'json' in filled ? filled.json : readFields(fields, filled);
	if (schema === undefined) return given;
	const input = withDefaults(fields, given);
	const problems = validate(schema, input);
	if (problems.length > 0) throw unfitInput(problems);
	return input;
}

function readFields(known: FormField[], { fields, kinds, timeZone }: FilledFields): JsonObject {
	const input: JsonObject = {};
	for (const [name, raw] of Object.entries(fields)) {
		if (raw === undefined || raw === null || raw === '') continue;
		const field = known.find((candidate) => candidate.name === name);
		const value =
			field === undefined
				? readAs(kinds.get(name), raw, timeZone)
				: readField(field, raw, timeZone);
		if (value !== undefined) input[name] = value;
	}
	return input;
}

function readField(
	{ kind, schema, choices }: FormField,
	raw: unknown,
	timeZone: string,
): JsonValue | undefined {
	if (kind === 'choice') {
		return choices.find(({ value }) => String(value) === String(raw))?.value ?? toJson(raw);
	}
	if (kind === 'dateTime') return readMoment(schema.format, raw, timeZone);
	if (kind === 'json' && typeof raw === 'string') {
		const parsed = parseOrKeep(raw);
		return validate(schema, raw).length === 0 && validate(schema, parsed).length > 0 ? raw : parsed;
	}
	return readAs(kind, raw, timeZone);
}

/** What cannot be read as what it should be is left as it is: the check against the schema says so. */
function readAs(
	kind: FieldKind | undefined,
	raw: unknown,
	timeZone: string,
): JsonValue | undefined {
	const value = toJson(raw);
	switch (kind) {
		case 'text':
			return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
		case 'number':
			return typeof value === 'string' && isNumeric(value) ? Number(value) : value;
		case 'boolean':
			return value === 'true' || value === 'false' ? value === 'true' : value;
		case 'dateTime':
			return readMoment('date-time', raw, timeZone);
		case 'list':
		case 'object':
			return typeof value === 'string' ? parseOrKeep(value) : value;
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
	timeZone: string,
): JsonValue | undefined {
	if (format === 'date') return toDate(raw, timeZone) ?? toJson(raw);
	try {
		return toDateTime(raw, '', timeZone);
	} catch {
		return toJson(raw);
	}
}

function parseOrKeep(text: string): JsonValue {
	try {
		return parseJson(text);
	} catch {
		return text;
	}
}

/** A value of an expression as JSON: n8n's date objects become text. */
function toJson(raw: unknown): JsonValue | undefined {
	const text: string | undefined = JSON.stringify(raw);
	return text === undefined ? undefined : parseJson(text);
}

function withDefaults(fields: FormField[], given: JsonObject): JsonObject {
	const input = { ...given };
	for (const { name, required, schema } of fields) {
		if (required && !Object.hasOwn(input, name) && schema.default !== undefined) {
			input[name] = schema.default;
		}
	}
	return input;
}

const PROBLEMS_SHOWN = 20;

function unfitInput(problems: Problem[]): InputError {
	const shown = problems
		.slice(0, PROBLEMS_SHOWN)
		.map(({ label, text }) => (label === '' ? `the input ${text}` : `${label} ${text}`));
	const more = problems.length - PROBLEMS_SHOWN;
	return new InputError(
		`The input does not fit: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
		'Correct the fields named above and run again. No run was started with this input.',
	);
}

/** Whether an input can be filled in as a form: its schema names its members, or allows none. */
export function isForm(schema: JsonObject): boolean {
	const { properties, type } = flatten(schema, schema);
	return isJsonObject(properties) || type === 'object';
}
