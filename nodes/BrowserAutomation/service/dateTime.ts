import { InputError } from './errors';

const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;
const ISO_8601 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** Anything that can write itself as ISO-8601: n8n gives expressions such objects. */
interface HasToISO {
	toISO(): string | null;
}

function hasToISO(value: object): value is HasToISO {
	return 'toISO' in value && typeof value.toISO === 'function';
}

/**
 * A moment as the service takes it: ISO-8601 in UTC (interface: Limits). Accepts what n8n's date
 * picker and its expressions give: text, a Date, or a luxon DateTime. Text without an offset is
 * taken as UTC.
 *
 * @param label the name of the field, for the message
 * @throws InputError when it is no moment
 */
export function toDateTime(value: unknown, label: string): string {
	const date = toDate(value);
	if (date === undefined || Number.isNaN(date.getTime())) {
		throw new InputError(
			`${label} is not a date and time`,
			'Enter it as ISO-8601, e.g. 2026-01-31T09:00:00Z, or pick it from the calendar.',
		);
	}
	return date.toISOString();
}

function toDate(value: unknown): Date | undefined {
	if (value instanceof Date) return value;
	if (typeof value === 'object' && value !== null && hasToISO(value)) return toDate(value.toISO());
	if (typeof value !== 'string') return undefined;
	const text = value.trim().replace(' ', 'T');
	if (DATE_ONLY.test(text)) return new Date(`${text}T00:00:00Z`);
	const match = ISO_8601.exec(text);
	if (match === null) return undefined;
	return new Date(match[3] === undefined ? `${text}Z` : text);
}
