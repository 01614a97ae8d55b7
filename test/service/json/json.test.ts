import {
	inSnakeCase,
	isJsonObject,
	parseJson,
	partOf,
	readJson,
	textAt,
} from '../../../nodes/BrowserAutomation/service/json/json';

describe('reading JSON', () => {
	it('keeps every digit of IDs that a number cannot hold', () => {
		const body = '{"id":9007199254740993,"ids":[-9007199254740993],"small":9007199254740991}';
		expect(parseJson(body)).toEqual({
			id: '9007199254740993',
			ids: ['-9007199254740993'],
			small: 9007199254740991,
		});
	});

	it('leaves long digits inside of texts and fractions alone, whatever quotation marks there are', () => {
		const texts = { a: '" 12345678901234567 ,', b: '\\', c: '\\" 12345678901234567 ,', d: 'x\\\\' };
		const value = { ...texts, tiny: 0.12345678901234568 };
		const text = `${JSON.stringify(value).slice(0, -1)},"id":12345678901234567}`;
		expect(parseJson(text)).toEqual({ ...value, id: '12345678901234567' });
	});

	it('is none where the text is none, and does not begin with its byte order mark', () => {
		expect(readJson('{')).toBeUndefined();
		expect(readJson('\ufeff[1]')).toEqual([1]);
		expect(readJson('[1]\ufeff')).toBeUndefined();
	});

	it('counts levels, not brackets', () => {
		expect(parseJson(`[${'{},[],'.repeat(600)}{}]`)).toHaveLength(1_201);
	});

	it.each([
		'{"id":12345678901234567,}',
		'{12345678901234567:1}',
		'{"a":1,12345678901234567 :2}',
		'[--12345678901234567]',
		'[012345678901234567]',
		'["12345678901234567]',
		'"12345678901234567',
	])('refuses what is not JSON: %s', (text) => {
		expect(() => parseJson(text)).toThrow(SyntaxError);
	});

	it('reads 500 levels and refuses more, which nobody could walk through', () => {
		const nested = (levels: number): string =>
			'[{"a":'.repeat(levels / 2) + '1' + '}]'.repeat(levels / 2);
		expect(JSON.stringify(parseJson(nested(500)))).toBe(nested(500));
		expect(() => parseJson(nested(502))).toThrow('nests deeper than 500 levels');
		expect(() => parseJson('['.repeat(1e6))).toThrow(SyntaxError);
		expect(parseJson(`{"text":"${'['.repeat(600)}"}`)).toEqual({ text: '['.repeat(600) });
	});
});

it.each([
	[{}, true],
	[Object.create(null), true],
	[[], false],
	[null, false],
	['{}', false],
	[new Date(), false],
])('%p is a JSON object: %p', (value, expected) => {
	expect(isJsonObject(value)).toBe(expected);
});

it.each([
	['a text', { id: 'a' }, 'a'],
	['a number, as text', { id: 7 }, '7'],
	['nothing for an empty text', { id: '' }, undefined],
	['nothing for an object', { id: {} }, undefined],
	['nothing for what is missing', {}, undefined],
	['nothing of a list', ['a'], undefined],
])('the text of an object under a name is %s', (_, value, expected) => {
	expect(textAt(value, 'id')).toBe(expected);
});

it('a part of anything is what is there under its name, and nothing of nothing', () => {
	expect(partOf(new Error('words'), 'message')).toBe('words');
	expect(partOf({ a: 1 }, 'b')).toBeUndefined();
	for (const none of [null, undefined, 'text']) expect(partOf(none, 'length')).toBeUndefined();
});

it('names in camel case become names in snake case; others stay', () => {
	const record = { fileName: 'a', download_url: 'b', expiresAtUTC: 1, plain: { innerName: 2 } };
	expect(inSnakeCase(record)).toEqual({
		file_name: 'a',
		download_url: 'b',
		expires_at_u_t_c: 1,
		plain: { innerName: 2 },
	});
});
