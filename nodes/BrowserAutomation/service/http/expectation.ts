import { ServiceError } from '../errors';
import { isJsonObject, textAt, type JsonValue } from '../json/json';
import { itemsIn } from './pages';
import type { Expectation, ServiceRequest } from './request';

/**
 * Checks an answer lightly against what its operation promises (docs/service.md: Endpoints).
 *
 * @param payload the envelope's `data`, or the resource itself
 * @throws ServiceError that says what is missing; an answer about another record is not retried
 */
export function checkPayload({ expects, method }: ServiceRequest, payload?: JsonValue): void {
	if (expects === undefined) return;
	const lack = lackIn(expects, payload);
	const words = lack ?? otherIn(expects, payload);
	if (words === undefined) return;
	const isOther = lack === undefined;
	const advice = isOther ? 'Check the ID, then try again.' : undefined;
	throw new ServiceError(
		`The service’s answer ${words}`,
		method === 'GET'
			? advice
			: 'The request may have been carried out: check before you repeat it.',
		isOther ? { httpStatus: 200 } : {},
	);
}

/** What is missing in an answer, as the end of the sentence "The service's answer …". */
function lackIn(expects: Expectation, payload: JsonValue | undefined): string | undefined {
	const list = typeof expects === 'string' ? itemsIn(payload) : undefined;
	if (list !== undefined) {
		const isNone = (value: JsonValue): boolean =>
			isEmpty(value) || (expects === 'records' && !isJsonObject(value));
		return list.some(isNone) ? 'has something in its list that is no record' : undefined;
	}
	if (isEmpty(payload)) return 'is empty';
	if (typeof expects === 'string') return 'has no list in it';
	if (!isJsonObject(payload)) return 'is no object';
	const missing = Object.keys(expects).find((name) => textAt(payload, name) === undefined);
	return missing && `has no ${missing}`;
}

/** The other record that an answer is about, as the end of the same sentence. */
function otherIn(expects: Expectation, payload: JsonValue | undefined): string | undefined {
	if (typeof expects === 'string') return undefined;
	const other = Object.entries(expects).find(
		([name, value]) => value !== null && textAt(payload, name) !== value,
	);
	return other && `is about ${other[0]} ${textAt(payload, other[0])}, not ${other[1]}`;
}

function isEmpty(payload: JsonValue | undefined): boolean {
	if (payload === undefined || payload === null) return true;
	return isJsonObject(payload) && Object.keys(payload).length === 0;
}
