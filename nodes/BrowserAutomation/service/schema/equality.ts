import { isJsonObject, type JsonValue } from '../json/json';
import type { Budget } from './budget';

/** Characters that are compared in about the time of one step. */
export const CHARACTERS_A_STEP = 64;

/** Text that is the same for equal values and differs for others, whatever the order of members. */
export function fingerprint(value: JsonValue, budget: Budget): string {
	budget.spend(1);
	if (Array.isArray(value)) return `[${value.map((item) => fingerprint(item, budget)).join()}]`;
	if (!isJsonObject(value)) {
		const text = JSON.stringify(value);
		budget.spend(text.length / CHARACTERS_A_STEP);
		return text;
	}
	const members = Object.keys(value)
		.sort()
		.map((name) => `${JSON.stringify(name)}:${fingerprint(value[name] ?? null, budget)}`);
	return `{${members.join()}}`;
}

/** Whether two values are equal as JSON: by content, objects without regard to order. */
export function isEqual(one: JsonValue, other: JsonValue, budget: Budget): boolean {
	budget.spend(1);
	if (one === other) return true;
	if (Array.isArray(one)) {
		if (!Array.isArray(other) || one.length !== other.length) return false;
		return one.every((item, index) => isEqual(item, other[index] ?? null, budget));
	}
	if (!isJsonObject(one) || !isJsonObject(other)) return false;
	const names = Object.keys(one);
	return (
		names.length === Object.keys(other).length &&
		names.every(
			(name) =>
				Object.hasOwn(other, name) && isEqual(one[name] ?? null, other[name] ?? null, budget),
		)
	);
}
