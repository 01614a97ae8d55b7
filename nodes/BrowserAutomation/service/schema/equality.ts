import { isJsonObject, type JsonValue } from '../json/json';
import { CHARACTERS_A_STEP, type Budget } from './budget';

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
