import { ServiceError } from '../errors';
import { isJsonObject, textAt, type JsonObject, type JsonValue } from '../json/json';
import { listIn } from './pages';
import type { ServiceRequest } from './request';

/**
 * What an answer has to be: a list, in any of the service's shapes, one of records, or an object with
 * these members, each with the value that is given, or any value for `null`. Of `{}` it has to hold
 * anything.
 */
export type Expectation = 'list' | 'records' | Readonly<Record<string, string | null>>;

/**
 * Checks an answer lightly against what its operation promises (docs/service.md: Endpoints).
 *
 * @param payload the envelope's `data`, or the resource itself
 * @throws ServiceError that says what is missing; one about something else is not worth another try
 */
export function checkPayload(
	{ expects, method }: ServiceRequest,
	payload: JsonValue | undefined,
): void {
	if (expects === undefined) return;
	const lack =
		typeof expects === 'string' ? lackOfList(expects, payload) : lackOfObject(expects, payload);
	if (lack === undefined) return;
	const isRead = method === 'GET';
	throw new ServiceError(
		`The service’s answer ${lack.text}`,
		isRead
			? `Check ${lack.isOther ? 'the ID' : 'that the Base URL of the credential is the service’s API'}, then try again.`
			: 'The request may have been carried out all the same: look before you repeat it.',
		lack.isOther ? { httpStatus: 200 } : {},
	);
}

interface Lack {
	/** The end of the sentence "The service's answer …". */
	text: string;
	/** Whether it is about something else than was asked for. */
	isOther: boolean;
}

function lackOfList(expects: 'list' | 'records', payload: JsonValue | undefined): Lack | undefined {
	const list = listIn(payload);
	if (list === undefined) {
		return { text: isEmpty(payload) ? 'is empty' : 'has no list in it', isOther: false };
	}
	const isNone = expects === 'records' ? (value: JsonValue) => !isJsonObject(value) : () => false;
	if (!list.some((value) => isEmpty(value) || isNone(value))) return undefined;
	return { text: 'has something in its list that is no record', isOther: false };
}

function lackOfObject(
	members: Readonly<Record<string, string | null>>,
	payload: JsonValue | undefined,
): Lack | undefined {
	if (isEmpty(payload)) return { text: 'is empty', isOther: false };
	if (!isJsonObject(payload)) {
		const kind = Array.isArray(payload) ? 'a list' : `a ${typeof payload}`;
		return { text: `is ${kind}, not an object`, isOther: false };
	}
	const object: JsonObject = payload;
	const missing = Object.keys(members).find((name) => textAt(object, name) === undefined);
	if (missing !== undefined) return { text: `has no ${missing}`, isOther: false };
	const other = Object.entries(members).find(
		([name, value]) => value !== null && textAt(object, name) !== value,
	);
	if (other === undefined) return undefined;
	const [name, value] = other;
	return { text: `is about ${name} ${textAt(object, name)}, not ${value}`, isOther: true };
}

function isEmpty(payload: JsonValue | undefined): boolean {
	if (payload === undefined || payload === null) return true;
	return isJsonObject(payload) && Object.keys(payload).length === 0;
}
