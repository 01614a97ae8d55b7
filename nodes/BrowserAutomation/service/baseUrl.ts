import { InputError } from './errors';

/** Where the service lives unless the credential says otherwise. */
export const DEFAULT_BASE_URL = 'https://api.browseract.com';

/**
 * The base URL as requests need it: no spaces around it, no slash at its end.
 *
 * @throws InputError unless it is an absolute http or https URL without a query
 */
export function toBaseUrl(text: string): string {
	const trimmed = text.trim().replace(/\/+$/, '');
	let url: URL;
	try {
		url = new URL(trimmed);
	} catch {
		throw baseUrlError(text);
	}
	if (!['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '') {
		throw baseUrlError(text);
	}
	return trimmed;
}

function baseUrlError(text: string): InputError {
	return new InputError(
		`"${text}" is not a base URL`,
		`Open the credential and enter an http or https address, e.g. ${DEFAULT_BASE_URL}`,
	);
}
