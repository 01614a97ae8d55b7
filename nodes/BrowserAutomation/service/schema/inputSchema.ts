import { InputError } from '../errors';
import { isJsonObject, parseJson, textAt, type JsonObject, type JsonValue } from '../json/json';
import { makeExample, type ExampleInput } from './example';
import { parseOrKeep, readFilledForm, type FilledForm } from './filledForm';
import { readForm } from './form';
import type { Problem } from './keyword';
import { budgetFor } from './schema';
import { validate } from './validate';
import { shorten } from './wording';

/** What a user filled in for a run, before it is the input that the service takes: a form, or JSON. */
export type FilledInput = FilledForm | { json: JsonObject };

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
	const root = schema ?? true;
	const document = { root, budget: budgetFor(root) };
	const { fields, others } = readForm(root, document.budget) ?? { fields: [], others: [] };
	const given = 'json' in filled ? filled.json : readFilledForm(document, fields, filled);
	const lacking = [...fields, ...others].flatMap<[string, JsonValue]>(
		({ name, required, schema }) =>
			required && schema.default !== undefined && !Object.hasOwn(given, name)
				? [[name, schema.default]]
				: [],
	);
	const input = Object.fromEntries([...Object.entries(given), ...lacking]);
	const problems = validate(root, input, document.budget);
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
export function exampleInput(schema: JsonObject, filled: FilledForm): ExampleInput | undefined {
	const document = { root: schema, budget: budgetFor(schema) };
	const fields = readForm(schema, document.budget)?.fields ?? [];
	return makeExample(schema, readFilledForm(document, fields, filled), document.budget);
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
