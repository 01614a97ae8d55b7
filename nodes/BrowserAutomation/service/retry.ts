import { ConnectionError, ServiceError } from './errors';

/** How often a read is tried in all. */
export const READ_ATTEMPTS = 4;

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const LONGEST_RETRY_AFTER_MS = 120_000;

/** Whether reading again may help: a broken connection, an unreadable answer, 429, or a fault (5xx). */
export function isTransient(error: unknown): boolean {
	if (error instanceof ConnectionError) return true;
	if (!(error instanceof ServiceError)) return false;
	const { httpStatus } = error.facts;
	return httpStatus === undefined || httpStatus === 429 || httpStatus >= 500;
}

/**
 * How long to wait before the next attempt, in milliseconds: what Retry-After asked for, else an
 * exponential pause with jitter, so that many clients do not come back at the same moment.
 *
 * @param attempt how many attempts were made, from 1
 * @param random a number from 0 up to 1
 */
export function pauseBeforeRetry(attempt: number, error: unknown, random: number): number {
	const asked = error instanceof ServiceError ? error.facts.retryAfterMs : undefined;
	if (asked !== undefined) return Math.min(asked, LONGEST_RETRY_AFTER_MS);
	const pause = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS);
	return Math.round(pause * (0.5 + random / 2));
}

/**
 * Reads a Retry-After header: seconds or an HTTP date (RFC 9110, section 10.2.3).
 *
 * @param now the current time, in milliseconds since 1970
 * @returns milliseconds from now; undefined when there is no such header or it says nothing
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
	if (header === undefined || header.trim() === '') return undefined;
	const seconds = Number(header);
	if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
	const date = Date.parse(header);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
