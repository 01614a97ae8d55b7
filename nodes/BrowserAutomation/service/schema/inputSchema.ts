import { InputError } from '../errors';
import { isJsonObject, readJson, textAt, type JsonObject, type JsonValue } from '../json/json';
import { Budget } from './budget';
import { readFilledForm, type FilledForm } from './filledForm';
import { readForm } from './form';
import { validate } from './validate';

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
	const read = isJsonObject(schema) ? schema : readJson(textAt(record, key) ?? '');
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
	const document = { root, budget: new Budget() };
	const fields = readForm(root, document.budget) ?? [];
	const given = 'json' in filled ? filled.json : readFilledForm(document, fields, filled);
	const lacking = fields.flatMap<[string, JsonValue]>(({ name, required, schema }) =>
		required && schema.default !== undefined && !Object.hasOwn(given, name)
			? [[name, schema.default]]
			: [],
	);
	const input = Object.fromEntries([...Object.entries(given), ...lacking]);
	const problems = validate(root, input, document.budget);
	if (problems.length > 0) throw unfitInput(problems);
	return input;
}

const PROBLEMS_SHOWN = 20;

function unfitInput(problems: string[]): InputError {
	const shown = problems.slice(0, PROBLEMS_SHOWN).join('; ');
	const more = problems.length - PROBLEMS_SHOWN;
	return new InputError(
		`The input does not fit: ${shown}${more > 0 ? `; and ${more} more` : ''}`,
		'Correct the fields named above and run again. No run was started with this input.',
	);
}
