import { explain } from './errorCodes';
import { ServiceError } from '../errors';
import { isJsonObject, readJson, textAt, type JsonObject, type JsonValue } from '../json/json';

/** The response envelope (docs/service.md: Response envelope). */
interface Envelope {
	/** Undefined where a refusing answer brings none. */
	code: number | undefined;
	msg: string | undefined;
	traceId: string | undefined;
	data: JsonValue | undefined;
}

/** What an envelope has beside its code, and a resource with a code of its own has not. */
const ENVELOPE_MARKS = ['msg', 'message', 'traceId', 'ts', 'data'];

/**
 * Reads an envelope, also one whose code is a number as text; undefined when the body is a resource
 * of its own.
 */
export function readEnvelope(body: JsonValue | undefined): Envelope | undefined {
	if (!isJsonObject(body)) return undefined;
	const code = codeIn(body);
	const isMarked = ENVELOPE_MARKS.some((key) => key in body) || Object.keys(body).length === 1;
	return code === undefined || !isMarked ? undefined : toEnvelope(body, code);
}

/**
 * Reads what a refusing answer says, however it says it: in an envelope or some of it, in other JSON,
 * e.g. that of RFC 9457, in plain text or on a web page. Undefined for what says nothing.
 *
 * @param text the body as it came
 */
export function readRefusal(text: string): Envelope | undefined {
	const body = readJson(text);
	if (isJsonObject(body)) return toEnvelope(body, codeIn(body));
	const msg = wordsOf(body === undefined ? excerptOf(text) : body);
	return msg === undefined ? undefined : { code: undefined, msg, traceId: undefined, data: null };
}

function toEnvelope(body: JsonObject, code: number | undefined): Envelope {
	const words = WORDS.map((key) => wordsOf(body[key]));
	return {
		code,
		msg: words.find((text) => text !== undefined),
		traceId: textAt(body, 'traceId'),
		data: body.data,
	};
}

function codeIn({ code }: JsonObject): number | undefined {
	if (typeof code === 'string' && /^-?\d{1,15}$/.test(code)) return Number(code);
	return Number.isInteger(code) ? Number(code) : undefined;
}

/** Where services put their words: the envelope's name first, then what gateways before it use. */
const WORDS = ['msg', 'message', 'error_description', 'detail', 'errors', 'error', 'title'];

/** How many of several errors are told. */
const MOST_ERRORS = 3;

/** The longest words that are worth showing, in characters. */
const WORDS_MAX_LENGTH = 500;

function wordsOf(value: JsonValue | undefined): string | undefined {
	const text = textOf(value).trim();
	if (text === '' || text === '{}') return undefined;
	return text.length > WORDS_MAX_LENGTH ? `${text.slice(0, WORDS_MAX_LENGTH)}…` : text;
}

/** Of an error in an object its words, of several errors the first ones'. */
function textOf(value: JsonValue | undefined): string {
	if (value === undefined || value === null || typeof value === 'boolean') return '';
	if (Array.isArray(value))
		return value
			.slice(0, MOST_ERRORS)
			.flatMap((one) => wordsOf(one) ?? [])
			.join('; ');
	if (!isJsonObject(value)) return String(value);
	const inner = WORDS.map((key) => wordsOf(value[key])).find((words) => words !== undefined);
	return inner ?? JSON.stringify(value);
}

/** As much of a text or a web page as its words are looked for in, in characters. */
const PAGE_MAX_LENGTH = 16_384;

/** What a text says; of a web page what a browser would show of its beginning, else its title. */
export function excerptOf(text: string): string {
	const start = text.slice(0, PAGE_MAX_LENGTH);
	if (!/^\s*</.test(start)) return start;
	const shown = start.replace(/<!--[^]*?-->|<(script|style|title)\b[^]*?<\/\1\s*>/gi, ' ');
	const words = [shown, start].map((page) =>
		page
			.replace(/<[^<>]*>?/g, ' ')
			.replace(/\s+/g, ' ')
			.trim(),
	);
	return words.find((found) => found !== '') ?? '';
}

/**
 * The error behind a refusing answer. The message says what happened and keeps the service's own
 * words and code; the advice says what to do and names the trace ID.
 *
 * @param retryAfterMs what Retry-After asked for, in milliseconds
 * @param path of the request
 */
export function refusal(
	httpStatus: number,
	envelope: Envelope | undefined,
	retryAfterMs?: number,
	path = '',
): ServiceError {
	const hasWords = envelope?.msg !== undefined;
	const { what, advice: usual } = explain(envelope?.code, httpStatus, { hasWords, path });
	const advice = withMoment(usual, retryAfterMs);
	const code = envelope?.code === undefined ? `HTTP ${httpStatus}` : `code ${envelope.code}`;
	const trace = envelope?.traceId === undefined ? '' : ` Trace ID: ${envelope.traceId}.`;
	return new ServiceError(`${withWords(what, envelope?.msg)} (${code})`, `${advice}${trace}`, {
		code: envelope?.code,
		msg: envelope?.msg,
		traceId: envelope?.traceId,
		httpStatus,
		retryAfterMs,
	});
}

/** Advice to try again, with the moment that the service named. */
function withMoment(advice: string, retryAfterMs = 0): string {
	const seconds = Math.ceil(retryAfterMs / 1000);
	if (seconds === 0) return advice;
	const moment = seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
	return advice.replace(/^Try again (later|in a minute)/, `Try again in ${moment}`);
}

/** Our words and the service's, unless one of them says all that the other does. */
function withWords(ours: string, theirs: string | undefined): string {
	const [ourWords, theirWords] = [contentOf(ours), contentOf(theirs ?? '')];
	if (theirs === undefined || [...theirWords].every((word) => ourWords.has(word))) return ours;
	if ([...ourWords].every((word) => theirWords.has(word))) {
		return theirs.charAt(0).toUpperCase() + theirs.slice(1);
	}
	return `${ours}: ${theirs}`;
}

/** Longer texts say more than ours in any case, in characters. */
const LONGEST_COMPARED = 1_000;

const FILLERS = new Set(
	'a already an are does has have is its of that the this to was were'.split(' '),
);

/** Words that the service uses for the same thing. */
const SYNONYMS = new Map([
	['completed', 'ended'],
	['task', 'run'],
]);

/** The words of a sentence that carry its meaning, in the singular. */
function contentOf(sentence: string): Set<string> {
	const words =
		sentence
			.toLowerCase()
			.slice(0, LONGEST_COMPARED)
			.match(/[\p{L}\p{N}]+/gu) ?? [];
	return new Set(
		words
			.filter((word) => word.length > 1 && !FILLERS.has(word))
			.map((word) => word.replace(/s$/, ''))
			.map((word) => SYNONYMS.get(word) ?? word),
	);
}
