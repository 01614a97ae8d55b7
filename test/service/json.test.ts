import { isJsonObject, parseJson } from '../../nodes/BrowserAutomation/service/json';

describe('reading JSON', () => {
	it('keeps every digit of IDs that a number cannot hold', () => {
		const body = '{"id":9007199254740993,"ids":[-9007199254740993],"small":9007199254740991}';
		expect(parseJson(body)).toEqual({
			id: '9007199254740993',
			ids: ['-9007199254740993'],
			small: 9007199254740991,
		});
	});

	it('leaves long digits inside of texts and fractions alone', () => {
		const value = { text: 'id 9007199254740993, "quoted" \\', tiny: 0.12345678901234568 };
		expect(parseJson(JSON.stringify(value))).toEqual(value);
	});

	it('refuses what is not JSON', () => {
		expect(() => parseJson('{"id":12345678901234567,}')).toThrow(SyntaxError);
	});
});

describe('a JSON object', () => {
	it.each([
		[{}, true],
		[Object.create(null), true],
		[[], false],
		[null, false],
		['{}', false],
		[new Date(), false],
	])('%p: %p', (value, expected) => {
		expect(isJsonObject(value)).toBe(expected);
	});
});
