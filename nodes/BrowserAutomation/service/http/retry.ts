import { NO_PERMISSION, NOT_AUTHORIZED } from './errorCodes';
import { ConnectionError, ServiceError } from '../errors';

/** How often a read is tried in all. */
export const READ_ATTEMPTS = 4;

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
const MAX_RETRY_AFTER_MS = 120_000;

/** A service that says "at once" is left alone this long all the same, in milliseconds. */
const SHORTEST_PAUSE_MS = 250;

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

/** Whether an HTTP status says that the same request may do better in a moment. */
export function isPassing(status: number): boolean {
	return [408, 425, 429].includes(status) || status >= 500;
}

/** Whether the service refuses until a person changes something: the key, or what it may do. */
export function isAccessRefusal(error: unknown): boolean {
	if (!(error instanceof ServiceError)) return false;
	const { code = 0, httpStatus = 0 } = error.facts;
	return [NOT_AUTHORIZED, NO_PERMISSION].includes(code) || [401, 403].includes(httpStatus);
}

/**
 * How long to wait before the next attempt, in milliseconds: what Retry-After asked for, from a
 * quarter of a second up to two minutes, else an exponential pause with jitter, so that many clients
 * do not come back at the same moment.
 *
 * @param attempt how many attempts were made, from 1
 * @param askedMs what Retry-After asked for, in milliseconds
 */
export function pauseBeforeRetry(attempt: number, askedMs: number | undefined): number {
	if (askedMs !== undefined) {
		return Math.max(SHORTEST_PAUSE_MS, Math.min(askedMs, MAX_RETRY_AFTER_MS));
	}
	const pause = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS);
	return Math.round(pause * (0.5 + Math.random() / 2));
}
