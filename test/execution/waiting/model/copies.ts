import { parse, stringify } from 'flatted';

/** A copy as n8n's database would give it back. */
export function copyOf<T>(value: T): T {
	return parse(stringify(value));
}
