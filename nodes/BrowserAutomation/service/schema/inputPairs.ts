import { InputError } from '../errors';
import { isJsonObject, type JsonValue } from '../json/json';

/** One input of a V2 task: its value is always text (V2: run-task). */
export type InputPair = { name: string; value: string };

/**
 * Inputs of a V2 task from an object by name, or from a list of objects with `name` and `value`.
 * What is not text becomes text the service accepts: objects and lists as JSON, numbers and
 * booleans as they are written. Inputs without a value (null) are left out.
 *
 * @param label the name of the field, for the message
 * @throws InputError when it is neither, an input has a value but no name, or a name comes twice
 */
export function toInputPairs(inputs: JsonValue, label: string): InputPair[] {
	const pairs = toPairs(inputs, label);
	const names = new Set<string>();
	const twice = pairs.find(({ name }) => names.has(name) || !names.add(name));
	if (twice === undefined) return pairs;
	throw new InputError(
		`${label} has "${twice.name}" twice`,
		'Give each input once. Spaces around its name do not count.',
	);
}

/** The same, of names that may come more than once. @throws InputError likewise */
export function toPairs(inputs: JsonValue, label: string): InputPair[] {
	return namedValues(inputs, label).flatMap(([name, value]) => toPair(name, value, label));
}

function namedValues(inputs: JsonValue, label: string): Array<[name: string, value: JsonValue]> {
	if (isJsonObject(inputs)) return Object.entries(inputs);
	if (!Array.isArray(inputs)) throw notInputs(label);
	return inputs.map((pair) => {
		if (!isJsonObject(pair) || !('name' in pair)) throw notInputs(label);
		return [toText(pair.name ?? null), pair.value ?? null];
	});
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
