import fc from 'fast-check';
import { parseJson } from '../../../nodes/BrowserAutomation/service/json/json';
import { JsonReader } from '../../../nodes/BrowserAutomation/service/json/jsonStream';
import { attempts } from '../../randomValues';

function read(pieces: string[]): unknown {
	const reader = new JsonReader();
	for (const piece of pieces) reader.write(piece);
	return reader.end();
}

/** Cuts a text at the given places, as a network does. */
function cut(text: string, places: number[]): string[] {
	const at = places.map((place) => place % (text.length + 1)).sort((a, b) => a - b);
	return [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length));
}

it('reads letter by letter what is hard to cut', () => {
	const text = '\n{ "a\\"]": [ "\\\\", "}\\u00e9", -1.5e+3, true, null, [ "[" ], {} ], "b": {} } ';
	expect(read([...text])).toEqual(JSON.parse(text));
});

/** What JSON can hold, and numbers that a JavaScript number cannot. */
const anyText = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4 },
		fc.constantFrom('12345678901234567', '-98765432109876543210', '1e400', '2E+5', '-0.5', 'null'),
		fc.constantFrom('"12345678901234567"', '"},{"', '"],["', '"\\\\"', '"\\",:"', '""'),
		tie('list'),
		tie('object'),
	),
	list: fc.array(tie('value'), { maxLength: 5 }).map((elements) => `[${elements.join(' ,')}]`),
	object: fc
		.array(fc.tuple(fc.constantFrom('a', 'b', '__proto__'), tie('value')), { maxLength: 4 })
		.map((members) => `{${members.map(([key, text]) => `"${key}":\n${text}`).join(',')}}`),
})).value;

it('keeps every digit and every bracket in a string, however it is cut', () => {
	fc.assert(
		fc.property(anyText, fc.array(fc.nat(), { maxLength: 12 }), (text, places) => {
			expect(read(cut(text, places))).toEqual(parseJson(text));
		}),
		attempts(500),
	);
});

it('refuses what JSON.parse refuses, however it is cut', () => {
	const nothing = ['', ' ', '[', 'tru', '"abc', ':', '1]', '{} {}', '"a" "b"', '1 2', '[] []'];
	const lists = `[1,] [,1] [1,,2] [,] [1,2} [[1],] [{]} [}{] []] [tru] [1} [}`.split(' ');
	const objects = `{"a"} {"a":} {"a":1,} {a:1} {"a":[1,]} {"a":1] [{"a":1] {,} {:1} {1:2} {"a",1}
		{"a":1:2} {"a"::1} {}} {}: {}, "a":1 {"a":1}}`.split(/\s+/);
	const spaced = ['[1 2]', '[1, ]', '[ ,1]', '{"a" "b":1}', '{"a":1 "b":2}'];
	for (const text of [...nothing, ...lists, ...objects, ...spaced]) {
		expect(() => JSON.parse(text)).toThrow(SyntaxError);
		expect(() => read([text])).toThrow(SyntaxError);
		expect(() => read([...text])).toThrow(SyntaxError);
	}
});

it('refuses more than 500 levels, like parseJson', () => {
	const nested = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
	expect(JSON.stringify(read([nested(500)]))).toBe(nested(500));
	expect(() => read([nested(501)])).toThrow('nests deeper than 500 levels');
	const lists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
	expect(read([nested(300).replace('1', lists(200))])).toBeDefined();
	expect(() => read([nested(300).replace('1', lists(201))])).toThrow(
		'nests deeper than 500 levels',
	);
	expect(() => read(['[' + '['.repeat(501) + ']'.repeat(502)])).toThrow(SyntaxError);
});

it('reads what a list has so far, before the rest comes', () => {
	const reader = new JsonReader();
	reader.write('{"rows":[1,');
	expect(() => reader.write('tru,')).toThrow(SyntaxError);
});
