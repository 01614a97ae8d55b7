import { ServiceError } from '../errors';
import { isJsonObject, type JsonValue } from '../json/json';

const HIDDEN = '(hidden)';

/** Marks where a text was cut. */
const CUT = '…';

/** Where a text was cut, a beginning of a secret with so many characters counts as the secret. */
const MIN_BEGINNING = 6;

/** A text without the secrets, also where they are percent-encoded, escaped for JSON, or cut. */
export function redact(text: string, secrets: readonly string[]): string {
	return secrets.flatMap(spellings).reduce(withoutSpelling, text);
}

/** A JSON value whose texts and names are without the secrets. */
export function redactJson<T extends JsonValue>(value: T, secrets: readonly string[]): T;
export function redactJson(value: JsonValue, secrets: readonly string[]): JsonValue {
	if (typeof value === 'string') return redact(value, secrets);
	if (Array.isArray(value)) return value.map((element) => redactJson(element, secrets));
	if (!isJsonObject(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, one]) => [redact(name, secrets), redactJson(one, secrets)]),
	);
}

function spellings(secret: string): string[] {
	if (secret === '') return [];
	const escaped = JSON.stringify(secret).slice(1, -1);
	const encoded = encodeURIComponent(secret.replace(/\p{Surrogate}/gu, '\ufffd'));
	return [...new Set([secret, encoded, escaped])];
}

/** A text without a spelling of the secret, nor its beginning where the text ends or was cut. */
function withoutSpelling(text: string, secret: string): string {
	const parts = text.replaceAll(secret, HIDDEN).split(CUT);
	const shown = parts.map((part) => {
		let length = secret.length - 1;
		while (length >= MIN_BEGINNING && !part.endsWith(secret.slice(0, length))) length--;
		return length < MIN_BEGINNING ? part : part.slice(0, -length) + HIDDEN;
	});
	return shown.join(CUT);
}

/** An error of the service without the secret in any of its words; any other error as it is. */
export function withoutSecret(error: unknown, secret: string): unknown {
	if (!(error instanceof ServiceError) || secret === '') return error;
	const hide = (text: string): string => redact(text, [secret]);
	const { msg, traceId } = error.facts;
	return new ServiceError(hide(error.message), hide(error.advice), {
		...error.facts,
		msg: msg === undefined ? undefined : hide(msg),
		traceId: traceId === undefined ? undefined : hide(traceId),
	});
}
