import { explain } from './errorCodes';
import { isPassing } from './retry';
import { ServiceError } from '../errors';
import { isJsonObject, readJson, textAt, type JsonObject, type JsonValue } from '../json/json';
import { shorten } from '../text';

/** The response envelope (docs/service.md: Response envelope). */
interface Envelope {
	/** Undefined where a refusing answer brings none. */
	code: number | undefined;
	msg: string | undefined;
	traceId: string | undefined;
	data: JsonValue | undefined;
}

/** Members beside `code` that tell an envelope from a resource that has a code of its own. */
const ENVELOPE_MARKS = ['msg', 'message', 'traceId', 'ts', 'data'];

/** Reads an envelope, also one whose code is a number as text; undefined when the body is a resource of its own. */
export function readEnvelope(body: JsonValue | undefined): Envelope | undefined {
	if (!isJsonObject(body)) return undefined;
	const isMarked = ENVELOPE_MARKS.some((key) => key in body) || Object.keys(body).length === 1;
	return codeIn(body) === undefined || !isMarked ? undefined : toEnvelope(body);
}

/**
 * Reads what a refusing answer says, however it says it: in an envelope or some of it, in other JSON,
 * e.g. that of RFC 9457, in plain text or on a web page.
 *
 * @param text the body as it came
 */
export function readRefusal(text: string): Envelope {
	const json = readJson(text);
	const body = json === undefined ? excerptOf(text) : json;
	return toEnvelope(isJsonObject(body) ? body : { msg: body });
}

function toEnvelope(body: JsonObject): Envelope {
	const { data } = body;
	return { code: codeIn(body), msg: wordsIn(body), traceId: textAt(body, 'traceId'), data };
}

function codeIn({ code }: JsonObject): number | undefined {
	if (typeof code === 'string' && /^-?\d{1,15}$/.test(code)) return Number(code);
	return Number.isInteger(code) ? Number(code) : undefined;
}

/** Where messages are: the envelope's name first, then those of gateways. */
const WORDS = ['msg', 'message', 'error_description', 'detail', 'errors', 'error', 'title'];

/** How much of a message is shown, in characters. */
const WORDS_MAX_LENGTH = 500;

function wordsIn(object: JsonObject): string | undefined {
	return WORDS.map((key) => wordsOf(object[key])).find(Boolean);
}

function wordsOf(value: JsonValue | undefined): string | undefined {
	const text = textOf(value).trim();
	if (text === '' || text === '{}') return undefined;
	return shorten(text, WORDS_MAX_LENGTH);
}

/** The words of an error in an object; of several errors, those of the first three. */
function textOf(value: JsonValue = null): string {
	if (value === null || typeof value === 'boolean') return '';
	if (Array.isArray(value)) {
		const errors = value.slice(0, 3).map(wordsOf);
		return errors.filter((words) => words !== undefined).join('; ');
	}
	if (!isJsonObject(value)) return String(value);
	return wordsIn(value) ?? JSON.stringify(value);
}

/** How much of a text or a web page is searched for its words, in characters. */
const PAGE_MAX_LENGTH = 16_384;

/** What a text says; of a web page its title, or else what a browser would show of its beginning. */
export function excerptOf(text: string): string {
	const start = text.slice(0, PAGE_MAX_LENGTH);
	if (!/^\s*</.test(start)) return start;
	const title = /<title\b[^>]*>([^<]*)/i.exec(start)?.[1] ?? '';
	const shown = start.replace(/<!--[^]*?-->|<(script|style)\b[^]*?<\/\1\s*>|<[^<>]*>?/gi, ' ');
	return [title, shown].map((words) => words.replace(/\s+/g, ' ').trim()).find(Boolean) ?? '';
}

/**
 * The error behind a refusing answer. The message says what happened and keeps the service's own
 * words and code; the advice says what to do and names the trace ID. A code that is an HTTP status which may pass (429, 5xx)
 * counts as the answer's own status, unless that one may pass, too.
 *
 * @param answered the answer's HTTP status
 * @param retryAfterMs what Retry-After asked for, in milliseconds
 * @param path of the request
 */
export function refusal(
	answered: number,
	envelope: Envelope | undefined,
	retryAfterMs?: number,
	path = '',
): ServiceError {
	const { code, msg, traceId } = envelope ?? {};
	const isStatus = code !== undefined && code < 600 && isPassing(code) && !isPassing(answered);
	const httpStatus = isStatus ? code : answered;
	const [what, advice] = explain(code, httpStatus, path);
	const said = code === undefined ? `HTTP ${httpStatus}` : `code ${code}`;
	const trace = traceId === undefined ? '' : ` Trace ID: ${traceId}.`;
	return new ServiceError(
		`${withWords(what, msg)} (${said})`,
		`${withMoment(advice, retryAfterMs)}${trace}`,
		{ code, msg, traceId, httpStatus, retryAfterMs },
	);
}

/** Advice to try again, with the time of Retry-After. */
function withMoment(advice: string, retryAfterMs = 0): string {
	const seconds = Math.ceil(retryAfterMs / 1000);
	if (seconds === 0) return advice;
	const moment = seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
	return advice.replace(/^Try again (later|in a minute)/, `Try again in ${moment}`);
}

/** Our words and the service's, unless one of them says all that the other does. */
function withWords(ours: string, theirs = ''): string {
	const [own, said] = [contentOf(ours), contentOf(theirs)];
	if (said.every((word) => own.includes(word))) return ours;
	if (own.some((word) => !said.includes(word))) return `${ours}: ${theirs}`;
	return theirs.charAt(0).toUpperCase() + theirs.slice(1);
}

const FILLERS = 'already an are does has is its of that the this to was'.split(' ');

/** The words of a sentence that carry its meaning. The service calls a run a task, which is completed when it has ended. */
function contentOf(sentence: string): string[] {
	const words = sentence.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
	return words
		.filter((word) => !FILLERS.includes(word) && !/^\p{L}$/u.test(word))
		.map((word) => word.replace(/^task$/, 'run').replace(/^completed$/, 'ended'));
}
