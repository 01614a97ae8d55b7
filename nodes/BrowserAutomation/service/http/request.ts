import { InputError } from '../errors';
import type { BytesAnswer } from './content';
import type { JsonObject, JsonValue } from '../json/json';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'OPTIONS' | 'HEAD';

/**
 * What an answer has to be: a list, in any of the service's shapes, one of records, or an object with
 * these members, each with the value that is given, or any value for `null`. `{}` asks only that it
 * holds anything.
 */
export type Expectation = 'list' | 'records' | Readonly<Record<string, string | null>>;

/** One request in the service's terms. The path is relative to the base URL and starts with `/`. */
export interface ServiceRequest {
	method: HttpMethod;
	path: string;
	/** Parameters that are undefined are left out; a list repeats its name. */
	query?: Record<string, string | number | boolean | string[] | undefined>;
	body?: JsonValue;
	headers?: Record<string, string>;
	/** When all is to be over, repetitions too, in milliseconds since 1970. */
	until?: number;
	/** Whether it may be sent again where that may help; by default a read may. */
	mayRepeat?: boolean;
	/** Gets each answer as it came; true when that is all, and nothing is to be read in it. */
	take?(answer: BytesAnswer): boolean;
	/** What the answer has to be; anything when missing. */
	expects?: Expectation;
	/** The single thing that it is about, for its errors: `{ task_id }`. */
	about?: JsonObject;
}

/** Half a character, as where a text was cut inside one. */
export const LONE_SURROGATE = /\p{Surrogate}/u;

/** The text that an expression gives where it finds nothing, or an object. */
export const NO_VALUE = /^(?:undefined|null|NaN|\[object .*\])$/;

/**
 * Builds a path from a template, each value becoming exactly one segment:
 * path`/v3/bots/${botId}/runs`.
 *
 * @throws InputError for a value that would leave its segment (empty, `.` or `..`) or has no encoding
 */
export function path(parts: TemplateStringsArray, ...segments: string[]): string {
	return parts.reduce((built, part, index) => built + segment(segments[index - 1] ?? '') + part);
}

function segment(value: string): string {
	if (!['', '.', '..'].includes(value) && !LONE_SURROGATE.test(value)) {
		return encodeURIComponent(value);
	}
	throw new InputError(
		`"${value}" is not an ID`,
		'Enter the ID as the service shows it: at least one character, neither "." nor "..", and not cut inside a character.',
	);
}

/** The request's path with its query parameters. */
export function pathWithQuery({ path: pathname, query }: ServiceRequest): string {
	const parameters = new URLSearchParams();
	for (const [name, value] of Object.entries(query ?? {})) {
		for (const one of [value ?? []].flat()) parameters.append(name, String(one));
	}
	return parameters.size === 0 ? pathname : `${pathname}?${parameters.toString()}`;
}
