import { toPairs, type InputPair } from '../service/schema/inputPairs';
import { readJson } from './reading';

/**
 * Names and values from a list that the user adds to one by one (`{ pair: [{ name, value }] }`).
 * Rows that are still empty are left out.
 *
 * @throws InputError naming the field
 */
export function readPairs(raw: unknown, label: string): InputPair[] {
	const rows: unknown = typeof raw === 'object' && raw !== null && 'pair' in raw ? raw.pair : raw;
	const isEmpty = typeof rows === 'object' && rows !== null && Object.keys(rows).length === 0;
	return isEmpty ? [] : toPairs(readJson(rows, label) ?? [], label);
}
