import { InputError } from '../errors';

/**
 * The API key alone, also where it was pasted with spaces around it, or with the header's name or
 * `Bearer` before it.
 */
export function toApiKey(text: string): string {
	return text.trim().replace(/^(authorization:\s*)?bearer\s+/i, '');
}

/**
 * Checks that a key can be sent in a header.
 *
 * @throws InputError that does not tell the key
 */
export function checkApiKey(key: string): void {
	if (/^[\x21-\x7e]*$/.test(key)) return;
	throw new InputError(
		'The API key holds a space, a line break or a letter that no key has',
		'Open the credential and paste the API key again, alone.',
	);
}
