import { InputError } from '../errors';
import { addressObstacle } from '../http/networkAddress';
import type { JsonObject } from '../json/json';
import { shorten } from '../text';

/** Longest callback URL the service takes, in characters (docs/service.md: Limits). */
const CALLBACK_URL_MAX_LENGTH = 2048;

/** The two URLs a run may be started with (docs/service.md: Events). */
export interface Callbacks {
	/** Called once, when the run finishes, fails or is canceled. */
	completed?: string | undefined;
	/** Called at each change of status. */
	statusChanged?: string | undefined;
}

/** The fields of a start's body that name them, in both APIs. */
export function callbackFields({ completed, statusChanged }: Callbacks): JsonObject {
	return {
		...(completed !== undefined && { callback_url: completed }),
		...(statusChanged !== undefined && { status_change_callback_url: statusChanged }),
	};
}

/** Why the service could not call a URL, e.g. `is not a URL`. Undefined when it can. */
export function callbackObstacle(text: string, serviceUrl: string): string | undefined {
	const obstacle = addressObstacle(text, serviceUrl);
	if (obstacle !== undefined) return obstacle;
	if (text.length > CALLBACK_URL_MAX_LENGTH) {
		return `is longer than ${CALLBACK_URL_MAX_LENGTH} characters`;
	}
	const { pathname, search, hash } = new URL(text);
	const isStrange = /[[\]]/.test(pathname + search + hash) || hash.includes('#', 1);
	return isStrange || !URI_CHARACTERS.test(text)
		? 'holds characters that have to be percent-encoded, e.g. a space as %20'
		: undefined;
}

/** The characters of a URL by RFC 3986. Many programs accept more. */
const URI_CHARACTERS = /^https?:\/\/(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[\da-f]{2})*$/i;

/**
 * Checks a callback URL as the service does (docs/service.md: Events, rule 1). A private address passes only if the service
 * itself has one.
 *
 * @param label how the message names the field, e.g. `'Input'`
 * @throws InputError naming the field and what is wrong
 */
export function checkCallbackUrl(text: string, label: string, serviceUrl: string): string {
	const obstacle = callbackObstacle(text, serviceUrl);
	if (obstacle === undefined) return text;
	throw new InputError(
		`${label} is "${shorten(text, 100)}", which ${obstacle}`,
		'Enter an address that the service can reach from the internet, e.g. https://example.com/hook',
	);
}
