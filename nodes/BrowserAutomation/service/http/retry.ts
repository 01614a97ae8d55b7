import { NO_PERMISSION, NOT_AUTHORIZED } from './errorCodes';
import { ConnectionError, ServiceError } from '../errors';

/** How often a read is attempted in all, or another request that may be repeated. */
export const READ_ATTEMPTS = 4;

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
const MAX_RETRY_AFTER_MS = 120_000;

/** The shortest pause, even if the service asks for none, in milliseconds. */
const MIN_PAUSE_MS = 250;

/**
 * Whether reading again may help: a broken connection, an unreadable answer, one that came too early or
 * late (425, 408), 429, or a fault (5xx).
 */
export function isTransient(error: unknown): boolean {
	if (error instanceof ConnectionError) return true;
	if (!(error instanceof ServiceError)) return false;
	const { httpStatus, isLasting } = error.facts;
	return isLasting !== true && (httpStatus === undefined || isPassing(httpStatus));
}

/** Whether the same request may succeed in a moment, by its HTTP status. */
export function isPassing(status: number): boolean {
	return [408, 425, 429].includes(status) || status >= 500;
}

/** Whether the service, or a gateway before it, refuses the key. */
export function isKeyRefusal(error: unknown): boolean {
	if (!(error instanceof ServiceError)) return false;
	return error.facts.code === NOT_AUTHORIZED || error.facts.httpStatus === 401;
}

/** Whether the service refuses until a person changes something: the key, or what it may do. A gateway's own 403, which has no code, may pass. */
export function isAccessRefusal(error: unknown): boolean {
	if (!(error instanceof ServiceError)) return false;
	const { code, httpStatus } = error.facts;
	const isForbidden = code === NO_PERMISSION || (httpStatus === 403 && code !== undefined);
	return isForbidden || isKeyRefusal(error);
}

/** Whether a gateway before the service has answered in its place, as far as can be told: a status that says no, without a code. It may pass. */
export function isOfGateway(error: unknown): boolean {
	if (!(error instanceof ServiceError)) return false;
	const { code, httpStatus = 0, isLasting } = error.facts;
	return httpStatus >= 300 && code === undefined && isLasting !== true;
}

/**
 * Delay before the next attempt, in milliseconds: Retry-After, from a quarter of a second up to two
 * minutes, else exponential backoff with jitter.
 *
 * @param attempt how many attempts were made, from 1
 * @param retryAfterMs what Retry-After says, in milliseconds
 */
export function pauseBeforeRetry(attempt: number, retryAfterMs: number | undefined): number {
	if (retryAfterMs !== undefined) {
		return Math.max(MIN_PAUSE_MS, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS));
	}
	const pause = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS);
	return Math.round(pause * (0.5 + Math.random() / 2));
}
