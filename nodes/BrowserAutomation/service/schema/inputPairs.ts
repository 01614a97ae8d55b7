import { InputError } from '../errors';
import { isJsonObject, type JsonValue } from '../json/json';

/** One input of a V2 task: its value is always text (V2: run-task). */
export type InputPair = { name: string; value: string };

/**
 * Inputs of a V2 task from an object by name, or from a list of objects with `name` and `value`, in which a
 * name may come more than once. What is not text becomes text the service accepts: objects and lists as JSON,
 * numbers and booleans as they are written. Inputs without a value (null) are left out.
 *
 * @param label how the message names the field, e.g. `'Input'`
 * @throws InputError when it is neither, or an input has a value but no name
 */
export function toInputPairs(inputs: JsonValue, label: string): InputPair[] {
	const rows = isJsonObject(inputs)
		? Object.entries(inputs).map(([name, value]) => ({ name, value }))
		: inputs;
	if (!Array.isArray(rows)) throw notInputs(label);
	return rows.flatMap((row) => {
		if (!isJsonObject(row) || !('name' in row)) throw notInputs(label);
		const [name, value] = [toText(row.name), toText(row.value)];
		if ((row.value ?? null) === null || (name.trim() === '' && value === '')) return [];
		if (name.trim() !== '') return [{ name, value }];
		throw new InputError(
			`An input in ${label} has a value but no name`,
			'Enter its name as the workflow has it, or remove it.',
		);
	});
}

function toText(value: JsonValue | undefined): string {
	if (value === undefined || value === null) return '';
	return typeof value === 'string' ? value : JSON.stringify(value);
}

function notInputs(label: string): InputError {
	return new InputError(
		`${label} is neither an object nor a list of names and values`,
		'Enter e.g. { "keyword": "laptop" } or [{ "name": "keyword", "value": "laptop" }].',
	);
}
