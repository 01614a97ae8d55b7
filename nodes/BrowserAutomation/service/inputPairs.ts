import { InputError } from './errors';
import { isJsonObject, type JsonValue } from './json';

/** One input of a V2 task: its value is always text (V2: run-task). */
export type InputPair = { name: string; value: string };

/**
 * Inputs of a V2 task from an object by name, or from a list of objects with `name` and `value`.
 * What is not text becomes text the service accepts: objects and lists as JSON, numbers and
 * booleans as they are written. Inputs without a value (null) are left out.
 *
 * @param label the name of the field, for the message
 * @throws InputError when it is neither, or an input has a value but no name
 */
export function toInputPairs(inputs: JsonValue, label: string): InputPair[] {
	if (isJsonObject(inputs)) {
		return Object.entries(inputs).flatMap(([name, value]) => toPair(name, value, label));
	}
	if (Array.isArray(inputs)) {
		return inputs.flatMap((pair) => {
			if (!isJsonObject(pair) || !('name' in pair)) throw notInputs(label);
			return toPair(toText(pair.name ?? null), pair.value ?? null, label);
		});
	}
	throw notInputs(label);
}

function toPair(name: string, value: JsonValue, label: string): InputPair[] {
	if (value === null) return [];
	const trimmed = name.trim();
	if (trimmed !== '') return [{ name: trimmed, value: toText(value) }];
	if (value === '') return [];
	throw new InputError(
		`An input in ${label} has a value but no name`,
		'Enter its name as the workflow has it, or remove it.',
	);
}

function toText(value: JsonValue): string {
	if (value === null) return '';
	return typeof value === 'string' ? value : JSON.stringify(value);
}

function notInputs(label: string): InputError {
	return new InputError(
		`${label} is neither an object nor a list of names and values`,
		'Enter e.g. { "keyword": "laptop" } or [{ "name": "keyword", "value": "laptop" }].',
	);
}
