import { BASE_URL, InputError } from '../errors';
import type { ServiceRequest } from './request';

/** Time and size limits of a credential's requests. */
export interface RequestLimits {
	/** How many a node sends at the same time. */
	concurrency: number;
	/** How long an answer may take, from the request to its last byte, in milliseconds. */
	timeoutMs: number;
	/** How large an answer may be, unpacked, and so a file that rows are read from, in bytes. */
	maxBytes: number;
}

/** The credential's fields for these limits, under the names that credentials store. */
export const REQUEST_LIMITS = {
	requestsAtATime: { label: 'Requests at a Time', default: 20, max: 100 },
	/** An hour is longer than any proxy waits for an answer. */
	responseTimeout: { label: 'Response Timeout (Seconds)', default: 60, max: 3_600 },
	/** By default that of an output file (docs/service.md: Limits). A text in Node.js has at most about 512 MB. */
	maxResponseSize: { label: 'Max Response Size (MB)', default: 100, max: 500 },
} as const;

/**
 * The limits of a credential, where its fields say so; else what they are by default.
 *
 * @throws InputError that names the field
 */
export function toRequestLimits(fields: Readonly<Record<string, unknown>>): RequestLimits {
	const read = (name: keyof typeof REQUEST_LIMITS): number => {
		const { label, default: byDefault, max } = REQUEST_LIMITS[name];
		const value = Number(fields[name] ?? byDefault);
		if (Number.isInteger(value) && value >= 1 && value <= max) return value;
		throw new InputError(
			`'${label}' is not a whole number from 1 to ${max}`,
			`Open the credential and enter e.g. ${byDefault}.`,
		);
	};
	return {
		concurrency: read('requestsAtATime'),
		timeoutMs: read('responseTimeout') * 1_000,
		maxBytes: read('maxResponseSize') * 1024 ** 2,
	};
}

export const DEFAULT_LIMITS = toRequestLimits({});

/** The service's default address. */
export const DEFAULT_BASE_URL = 'https://api.browseract.com';

const ADVICE = `Enter an http or https address as ${BASE_URL}, e.g. ${DEFAULT_BASE_URL}`;

/** Slashes at the end. The search begins at the first slash of a row only: from each of them it would take quadratic time. */
export const TRAILING_SLASHES = /(?<!\/)\/+$/;

/**
 * The base URL as requests need it: scheme, host and path alone, no slash at its end.
 *
 * @throws InputError unless it is an absolute http or https URL without a query, a fragment, and a
 * user's name and password
 */
export function toBaseUrl(text: string): string {
	const trimmed = text.trim();
	if (!URL.canParse(trimmed)) throw new InputError(`"${text}" is not a base URL`, ADVICE);
	const { protocol, username, password, origin, pathname } = new URL(trimmed);
	if (username !== '' || password !== '') {
		throw new InputError('The base URL holds a user name or a password', ADVICE);
	}
	if (!['http:', 'https:'].includes(protocol) || /[?#]/.test(trimmed)) {
		throw new InputError(`"${text}" is not a base URL`, ADVICE);
	}
	return origin + pathname.replace(TRAILING_SLASHES, '');
}

/**
 * The API key alone, also where it was pasted with spaces around it, or with the header's name or
 * `Bearer` before it.
 *
 * @throws InputError that does not tell the key, where it cannot be sent in a header
 */
export function toApiKey(text: string): string {
	const key = text.trim().replace(/^(authorization:\s*)?bearer\s+/i, '');
	if (/^[\x21-\x7e]*$/.test(key)) return key;
	throw new InputError(
		'The API key holds a space, a line break or a letter that no key has',
		'Open the credential and paste the API key again, alone.',
	);
}

/** A small read that tells whether the service accepts an API key. */
export const KEY_TEST: ServiceRequest = {
	method: 'GET',
	path: '/v3/bots',
	query: { limit: 1 },
	mayRepeat: false,
	expects: 'list',
};
