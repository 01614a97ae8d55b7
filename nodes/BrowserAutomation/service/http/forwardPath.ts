import { InputError } from '../errors';
import { NO_VALUE } from './request';

/** All paths that are forwarded to the CLI backend begin with this (docs/service.md: Forwarding). */
const FORWARDING_ROOT = '/v2/cli-service/';

/** What another program might read as a way out of the root, or as no path, and the end of a sentence that says so. */
const OBSTACLES: ReadonlyArray<[what: RegExp, words: string]> = [
	[/^\/?$/, 'is empty'],
	[/^[a-z][a-z0-9+.-]*:\/\//i, 'is a whole URL'],
	[/[?#]/, 'holds a ? or #'],
	[/%[0-9a-f]{2}/i, 'holds percent codes'],
	[/\p{Surrogate}/u, 'holds half a character'],
	[/[\\\p{Cc}]/u, 'holds a backslash or a control character'],
	[/\/\//, 'has two slashes in a row'],
	// Some servers take what follows a semicolon for parameters of the step before it.
	[/(^|\/)\.\.?(;|\/|$)/, 'holds . or .. as a step'],
];

/**
 * The path of a forwarded request. One slash in front is tolerated, one at the end is kept; each
 * segment is encoded. There is no way out of the forwarding root.
 *
 * @throws InputError for anything that another program might read as a way out: absolute URLs,
 * empty, `.` or `..` segments, backslashes, control characters, percent codes
 */
export function forwardPath(text: string): string {
	const trimmed = text.trim();
	const segments = trimmed.replace(/^\//, '').split('/');
	const lacking = segments.find((segment) => NO_VALUE.test(segment));
	const lack = lacking && `holds ${lacking}, as an expression leaves it that found nothing`;
	const [, obstacle = lack] = OBSTACLES.find(([what]) => what.test(trimmed)) ?? [];
	if (obstacle === undefined) return FORWARDING_ROOT + segments.map(encodeURIComponent).join('/');
	throw new InputError(
		`'Path' ${obstacle}`,
		"Enter a plain path below /v2/cli-service/, e.g. some/path. It is encoded for you, so write it without percent codes, and put parameters under 'Query Parameters', one by one.",
	);
}
