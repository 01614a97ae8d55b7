import { InputError } from '../errors';
import { fullyDecoded } from './percentCodes';
import { NO_VALUE } from './request';

/** All paths that are forwarded to the CLI backend begin with this (docs/service.md: Forwarding). */
const FORWARDING_ROOT = '/v2/cli-service/';

const ADVICE =
	'Enter a plain path below /v2/cli-service/, e.g. some/path. It is encoded for you, so write it without percent codes.';

const ABSOLUTE_URL = /^[a-z][a-z0-9+.-]*:\/\//i;
const CONTROL_CHARACTER = /\p{Cc}/u;
const HALF_CHARACTER = /\p{Surrogate}/u;

/**
 * The path of a forwarded request. One slash in front is tolerated, one at the end is kept; each
 * segment is encoded. There is no way out of the forwarding root.
 *
 * @throws InputError for anything that another program might read as a way out: absolute URLs,
 * empty, `.` or `..` segments, backslashes, control characters, each also in percent codes
 */
export function forwardPath(text: string): string {
	const trimmed = text.trim();
	if (ABSOLUTE_URL.test(trimmed)) throw refused('is a whole URL', ADVICE);
	if (/[?#]/.test(trimmed)) {
		throw refused('holds a ? or #', 'Put parameters under Query Parameters, one by one.');
	}
	const relative = trimmed.replace(/^\//, '');
	if (relative === '') throw refused('is empty', ADVICE);
	const segments = relative.split('/');
	for (const [index, segment] of segments.entries()) {
		if (segment === '' && index === segments.length - 1) continue;
		const obstacle = obstacleIn(segment);
		if (obstacle !== undefined) throw refused(obstacle, ADVICE);
	}
	return FORWARDING_ROOT + segments.map(encodeURIComponent).join('/');
}

/** Why a segment may not be sent, as the end of a sentence; undefined when it may. */
function obstacleIn(segment: string): string | undefined {
	if (segment === '') return 'has two slashes in a row';
	if (HALF_CHARACTER.test(segment)) return 'holds half a character';
	const decoded = fullyDecoded(segment);
	if (decoded === undefined) return 'is encoded too many times';
	// Some servers take what follows a semicolon for parameters of the step before it.
	const [step] = decoded.split(';', 1);
	if (step === '.' || step === '..') return 'holds . or .. as a step';
	if (/[/\\]/.test(decoded)) return 'holds a backslash, or a slash in percent codes';
	if (CONTROL_CHARACTER.test(decoded)) return 'holds a control character';
	if (NO_VALUE.test(decoded))
		return `holds ${decoded}, as an expression leaves it that found nothing`;
	return undefined;
}

function refused(obstacle: string, advice: string): InputError {
	return new InputError(`Path ${obstacle}`, advice);
}
