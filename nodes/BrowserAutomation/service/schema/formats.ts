import { DateTime } from 'luxon';

/** Text of a format (JSON Schema Validation, section 7.3). */
interface Format {
	/** What a text of it is, e.g. "a URL". */
	noun: string;
	example: string;
	/** Whether a text may be one; the service has the last word. */
	mayBe(text: string): boolean;
}

/** Whether text begins with a day of the calendar. */
function hasDay(text: string): boolean {
	return DateTime.fromISO(text.slice(0, 'YYYY-MM-DD'.length)).isValid;
}

const URL_FORMAT: Format = {
	noun: 'a URL',
	example: 'https://example.com',
	mayBe: (text) => /^[a-z][a-z0-9+.-]*:\S*$/i.test(text),
};

/** The formats that are checked. Others demand nothing. */
export const FORMATS: Record<string, Format> = {
	date: {
		noun: 'a date',
		example: '2026-01-31',
		mayBe: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && hasDay(text),
	},
	'date-time': {
		noun: 'a date and time',
		example: '2026-01-31T09:00:00Z',
		mayBe: (text) =>
			/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text) && hasDay(text),
	},
	email: {
		noun: 'an email address',
		example: 'name@example.com',
		mayBe: (text) => text.indexOf('@') > 0 && !text.endsWith('@'),
	},
	uri: URL_FORMAT,
	url: URL_FORMAT,
};
