import { DateTime } from 'luxon';

import { InputError } from '../errors';
import { partOf } from '../json/json';

const ISO_8601 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?)?$/;

/**
 * A moment as the service takes it: ISO-8601 in UTC (docs/service.md: Limits). Accepts what n8n's date
 * picker and its expressions give: text, a Date, or a luxon DateTime. Text without an offset, as the
 * picker gives it, is local time; a date alone is the start of its day.
 *
 * @param label how the message names the field, e.g. `'Input'`
 * @param timeZone where text without an offset is local, e.g. "America/New_York"
 * @throws InputError when it is no moment
 */
export function toDateTime(value: unknown, label: string, timeZone: string): string {
	const moment = readMoment(value, timeZone).toUTC().toISO();
	if (moment !== null) return moment;
	throw new InputError(
		`${label} is not a date and time`,
		'Enter it as ISO-8601, e.g. 2026-01-31T09:00:00Z, or pick it from the calendar.',
	);
}

/**
 * What was given for a kind of field or format of JSON Schema, as the service takes it: for `date` a day, e.g.
 * "2026-01-31", which is that of the text's own offset if it has one; else a moment in UTC.
 *
 * @returns undefined when it is none
 */
export function ofFormat(value: unknown, format: unknown, timeZone: string): string | undefined {
	const moment = readMoment(value, timeZone);
	return (format === 'date' ? moment.toISODate() : moment.toUTC().toISO()) ?? undefined;
}

/** A moment that the service has written, in milliseconds since 1970: of UTC where it states no offset. NaN when it is none. */
export function momentOf(text = ''): number {
	return Date.parse(ofFormat(text, 'date-time', 'UTC') ?? text);
}

/** Invalid when it is no moment. Local times that a change to summer time skips are moved on by it. */
function readMoment(value: unknown, timeZone: string): DateTime {
	if (value instanceof Date) return DateTime.fromJSDate(value, { zone: timeZone });
	// n8n gives expressions objects that can write themselves as ISO-8601.
	const toISO = partOf(value, 'toISO');
	const given: unknown = typeof toISO === 'function' ? toISO.call(value) : value;
	const text = typeof given === 'string' ? given.trim().replace(' ', 'T') : '';
	if (!ISO_8601.test(text)) return DateTime.invalid('no date');
	return DateTime.fromISO(text, { zone: timeZone, setZone: true });
}
