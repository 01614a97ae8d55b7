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

it('of many names, or schemas, the first twenty are named, and how many more there are', () => {
	expect(nameList(names(20))).toMatch(/, n19$/);
	expect(nameList(names(21))).toMatch(/, n19 and 1 more$/);
	expect(nameList(['x'.repeat(101)])).toBe(`${'x'.repeat(100)}…`);
	expect(choiceList([1, 'a'])).toBe('1, "a"');
	const schemas = names(22).map((title) => ({ title }));
	expect(describeSchemas(schemas)).toMatch(/; n19 and 2 more$/);
});

it.each<[string, JsonValue, string]>([
	['text', 'a"b', '"a\\"b"'],
	['text of sixty characters', 'x'.repeat(58), `"${'x'.repeat(58)}"`],
	['longer text', 'x'.repeat(59), `"${'x'.repeat(59)}…`],
])('%s is shown as JSON', (_, value, shown) => {
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
	['a long title cut', { title: 'x'.repeat(101) }, `${'x'.repeat(100)}… (it)`],
])('a field is called by %s', (_, schema, label) => {
	expect(fieldLabel('it', schema)).toBe(label);
});

it.each<[Schema, string]>([
	[false, 'anything else'],
	[{ title: 'A shop', type: 'object' }, 'A shop'],
	[{ enum: ['a', 1] }, '"a", 1'],
	[{ type: ['string', 'array'] }, 'text or a list'],
	[{ type: 'object', properties: { from: true, to: true } }, 'an object'],
	[{}, 'anything else'],
])('%j is in words: %s', (schema, words) => {
	expect(describeSchemas([schema])).toBe(words);
});
