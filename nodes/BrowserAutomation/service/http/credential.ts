import { BASE_URL, InputError } from '../errors';

/** Where the service lives unless the credential says otherwise. */
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
