import { DateTime } from 'luxon';

import { ofFormat, toDateTime } from '../../../nodes/BrowserAutomation/service/schema/dateTime';
import { InputError } from '../../../nodes/BrowserAutomation/service/errors';

const NEW_YORK = 'America/New_York';

const inBerlin = (text: string): DateTime => DateTime.fromISO(text, { zone: 'Europe/Berlin' });

it.each([
	['2026-01-31T09:00:00Z', '2026-01-31T09:00:00.000Z'],
	['2026-01-31T09:00:00+02:00', '2026-01-31T07:00:00.000Z'],
	['2026-01-31T09:00:00', '2026-01-31T14:00:00.000Z'],
	['2026-01-31 09:00', '2026-01-31T14:00:00.000Z'],
	[' 2026-01-31 ', '2026-01-31T05:00:00.000Z'],
	['2026-07-01T18:30:00', '2026-07-01T22:30:00.000Z'],
	['2026-03-08T02:30:00', '2026-03-08T07:30:00.000Z'],
	[new Date(0), '1970-01-01T00:00:00.000Z'],
	[inBerlin('2026-01-31T10:00:00'), '2026-01-31T09:00:00.000Z'],
])('%p in New York is sent as %p', (value, expected) => {
	expect(toDateTime(value, 'Created From', NEW_YORK)).toBe(expected);
});

it.each([
	...['yesterday', '31.01.2026', '2026-13-01', '2026-02-30', '09:00', 5, {}, [], null],
	...[new Date(NaN), { toISO: () => null }, { toISO: '2026-01-31' }],
])('%p is refused by the name of its field', (value) => {
	expect(() => toDateTime(value, 'Created From', 'UTC')).toThrow(InputError);
	expect(() => toDateTime(value, 'Created From', 'UTC')).toThrow('Created From');
});

it.each([
	['2026-01-31', '2026-01-31'],
	[' 2026-01-31 ', '2026-01-31'],
	['2026-01-31T00:00:00', '2026-01-31'],
	['2026-01-31T02:00:00Z', '2026-01-31'],
	[new Date('2026-02-01T03:00:00Z'), '2026-01-31'],
	[inBerlin('2026-01-31T23:30:00'), '2026-01-31'],
	['soon', undefined],
])('%p in New York is the day %p', (value, expected) => {
	expect(ofFormat(value, 'date', NEW_YORK)).toBe(expected);
});
