import { DateTime } from 'luxon';

import { InputError } from '../errors';

const ISO_8601 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?)?$/;

/** Anything that can write itself as ISO-8601: n8n gives expressions such objects. */
interface HasToISO {
	toISO(): string | null;
}

function hasToISO(value: object): value is HasToISO {
	return 'toISO' in value && typeof value.toISO === 'function';
}

/**
 * A moment as the service takes it: ISO-8601 in UTC (docs/service.md: Limits). Accepts what n8n's date
 * picker and its expressions give: text, a Date, or a luxon DateTime. Text without an offset, as the
 * picker gives it, is local time; a date alone is the start of its day.
 *
 * @param label the name of the field, for the message
 * @param timeZone where text without an offset is local, e.g. "America/New_York"
 * @throws InputError when it is no moment
 */
export function toDateTime(value: unknown, label: string, timeZone: string): string {
	const moment = readMoment(value, timeZone)?.toUTC().toISO() ?? undefined;
	if (moment !== undefined) return moment;
	throw new InputError(
		`${label} is not a date and time`,
		'Enter it as ISO-8601, e.g. 2026-01-31T09:00:00Z, or pick it from the calendar.',
	);
}

/**
 * A day as the service takes it, e.g. "2026-01-31": of text the day that it names, of anything else
 * the day that it is in the time zone.
 *
 * @returns undefined when it is no day
 */
export function toDate(value: unknown, timeZone: string): string | undefined {
	const moment = readMoment(value, timeZone);
	if (moment === undefined) return undefined;
	return typeof value === 'string'
		? value.trim().slice(0, 'YYYY-MM-DD'.length)
		: (moment.toISODate() ?? undefined);
}

/** Undefined when it is no moment. Local times that a change to summer time skips are moved on by it. */
function readMoment(value: unknown, timeZone: string): DateTime | undefined {
	if (value instanceof Date) return valid(DateTime.fromJSDate(value, { zone: timeZone }));
	if (typeof value === 'object' && value !== null && hasToISO(value)) {
		return valid(DateTime.fromISO(value.toISO() ?? '', { setZone: true }));
	}
	if (typeof value !== 'string') return undefined;
	const text = value.trim().replace(' ', 'T');
	return ISO_8601.test(text) ? valid(DateTime.fromISO(text, { zone: timeZone })) : undefined;
}

function valid(moment: DateTime): DateTime | undefined {
	return moment.isValid ? moment : undefined;
}
