import { toDateTime } from '../../nodes/BrowserAutomation/service/dateTime';
import { InputError } from '../../nodes/BrowserAutomation/service/errors';

it.each([
	['2026-01-31T09:00:00Z', '2026-01-31T09:00:00.000Z'],
	['2026-01-31T09:00:00+02:00', '2026-01-31T07:00:00.000Z'],
	['2026-01-31T09:00:00', '2026-01-31T09:00:00.000Z'],
	['2026-01-31 09:00', '2026-01-31T09:00:00.000Z'],
	[' 2026-01-31 ', '2026-01-31T00:00:00.000Z'],
	[new Date(0), '1970-01-01T00:00:00.000Z'],
	[{ toISO: () => '2026-01-31T10:00:00.000+01:00' }, '2026-01-31T09:00:00.000Z'],
])('%p is sent as %p', (value, expected) => {
	expect(toDateTime(value, 'Created From')).toBe(expected);
});

it.each([
	'yesterday',
	'31.01.2026',
	'2026-13-01',
	5,
	{},
	[],
	null,
	new Date(NaN),
	{ toISO: () => null },
])('%p is refused by the name of its field', (value) => {
	expect(() => toDateTime(value, 'Created From')).toThrow(InputError);
	expect(() => toDateTime(value, 'Created From')).toThrow('Created From');
});
