import type { JsonObject, JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import {
	choiceList,
	describeSchemas,
	fieldLabel,
	nameList,
	shownValue,
} from '../../../nodes/BrowserAutomation/service/schema/wording';
import type { Schema } from '../../../nodes/BrowserAutomation/service/schema/schema';

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index}`);

it('of many names the first twenty are named, and how many more there are', () => {
	expect(nameList(names(20))).toMatch(/, n19$/);
	expect(nameList(names(21))).toMatch(/, n19 and 1 more$/);
	expect(nameList(['x'.repeat(101)])).toBe(`${'x'.repeat(100)}…`);
	expect(choiceList([1, 'a'])).toBe('1, "a"');
});

it.each<[string, JsonValue, string]>([
	['text', 'a"b', '"a\\"b"'],
	['text of sixty characters', 'x'.repeat(58), `"${'x'.repeat(58)}"`],
	['longer text', 'x'.repeat(59), `"${'x'.repeat(59)}…`],
	['null', null, 'null'],
	['a number', 1.5, '1.5'],
	['a list', [1], 'a list'],
	['an object', { a: 1 }, 'an object'],
])('%s is shown as JSON, what has parts by its kind', (_, value, shown) => {
	expect(shownValue(value)).toBe(shown);
});

it.each<[string, JsonValue, Record<string, JsonValue>, string]>([
	['a password is not', 'hunter2', { format: 'password' }, 'what was entered'],
	['what nobody may read is not', 'hunter2', { writeOnly: true }, 'what was entered'],
	['a text is', 'a', { writeOnly: false, format: 'uri' }, '"a"'],
])('of a wrong value, %s shown', (_, value, schema, shown) => {
	expect(shownValue(value, schema)).toBe(shown);
});

it.each<[string, JsonObject | undefined, string]>([
	['its title and name', { title: 'Shop URL' }, 'Shop URL (it)'],
	['its name where that is the title', { title: 'it' }, 'it'],
	['its name where the title is blank', { title: ' ' }, 'it'],
	['its name where the title is no text', { title: 7 }, 'it'],
	['its name where there is no schema', undefined, 'it'],
	['a long title cut', { title: 'x'.repeat(101) }, `${'x'.repeat(100)}… (it)`],
])('a field is called by %s', (_, schema, label) => {
	expect(fieldLabel('it', schema)).toBe(label);
});

it.each<[Schema, string]>([
	[false, 'anything else'],
	[{ title: 'A shop', type: 'object' }, 'A shop'],
	[{ const: 'a' }, '"a"'],
	[{ enum: ['a', 1] }, '"a", 1'],
	[{ type: ['string', 'array'] }, 'text or a list'],
	[{ type: 'object', properties: { from: true, to: true } }, 'an object'],
	[{ properties: { from: true } }, 'anything else'],
	[{}, 'anything else'],
])('%j is in words: %s', (schema, words) => {
	expect(describeSchemas([schema])).toBe(words);
});

it('of many schemas the first twenty are named, and how many more there are', () => {
	const schemas = names(22).map((title) => ({ title }));
	expect(describeSchemas(schemas.slice(0, 2))).toBe('n0; n1');
	expect(describeSchemas(schemas.slice(0, 20))).toMatch(/; n19$/);
	expect(describeSchemas(schemas)).toMatch(/; n19 and 2 more$/);
});
