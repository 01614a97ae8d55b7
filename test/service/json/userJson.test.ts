import { InputError } from '../../../nodes/BrowserAutomation/service/errors';
import { parseUserJson, toJson } from '../../../nodes/BrowserAutomation/service/json/json';

it('JSON of a user is read as it is', () => {
	const text = '{"id":9007199254740991,"text":"9007199254740993","price":0.1}';
	expect(parseUserJson(text, 'Input')).toEqual(JSON.parse(text));
});

it.each([
	['9007199254740993', '9007199254740993'],
	['1e999', '1e999'],
	['1'.repeat(40), '1'.repeat(40)],
	['1'.repeat(41), `${'1'.repeat(40)}…`],
])('a number that would be changed is refused: %s', (digits, shown) => {
	const reading = () => parseUserJson(`{"id":${digits}}`, 'Input');
	expect(reading).toThrow(InputError);
	expect(reading).toThrow(`Input holds ${shown}, which is not exact as a number`);
});

it.each(['{', '['.repeat(100_000)])('what is not JSON is refused: %.3s', (text) => {
	expect(() => parseUserJson(text, 'Input')).toThrow(InputError);
	expect(() => parseUserJson(text, 'Input')).toThrow(/^Input is not valid JSON: ./);
});

describe('a value of an expression', () => {
	it('becomes what is sent: dates are text, and what JSON cannot hold is left out', () => {
		const value = { at: new Date(0), none: undefined, ids: [1, 'a'] };
		expect(toJson(value, 'Input')).toEqual({ at: '1970-01-01T00:00:00.000Z', ids: [1, 'a'] });
		expect(toJson(undefined, 'Input')).toBeUndefined();
	});

	it('is refused where it holds itself', () => {
		const endless: Record<string, unknown> = {};
		endless.self = endless;
		expect(() => toJson(endless, 'Input')).toThrow(InputError);
		expect(() => toJson(endless, 'Input')).toThrow('Input cannot be written as JSON');
	});
});
