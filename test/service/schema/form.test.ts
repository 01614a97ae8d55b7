import type { JsonObject, JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import {
	readForm,
	type FieldKind,
	type FormField,
} from '../../../nodes/BrowserAutomation/service/schema/form';

function fieldOf(member: JsonValue, more: JsonObject = {}): FormField | undefined {
	return readForm({ properties: { it: member }, ...more })?.[0];
}

/** What a form may ask for besides what it says itself. */
const WAYS = [{ required: ['a'] }, { required: ['b'] }];

const of = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const MOMENT = { type: 'string', format: 'date-time' };

it.each<[string, JsonObject, FieldKind]>([
	['text', { type: 'string' }, 'text'],
	['an email address', { type: 'string', format: 'email' }, 'text'],
	['a date', { type: 'string', format: 'date' }, 'date'],
	['a date and time', { type: 'string', format: 'date-time' }, 'dateTime'],
	['a whole number', { type: 'integer' }, 'number'],
	['numbers of both types', { type: ['integer', 'number'] }, 'number'],
	['a number or null', { type: ['number', 'null'] }, 'number'],
	['text or a number', { type: ['string', 'integer'] }, 'json'],
	['a switch', { type: 'boolean', default: true }, 'boolean'],
	['a yes or no that may be left out', { type: 'boolean' }, 'choice'],
	['a day or a moment', { anyOf: [{ type: 'string', format: 'date' }, MOMENT] }, 'dateTime'],
	['a list', { type: 'array' }, 'list'],
	['an object', { type: 'object' }, 'object'],
	['what has members', { properties: {} }, 'object'],
	['what has items', { items: true }, 'list'],
	['anything', {}, 'json'],
	['one form or null', { anyOf: [{ type: 'null' }, { type: 'integer' }] }, 'number'],
	['one form or the value null', { oneOf: [{ const: null }, { type: 'string' }] }, 'text'],
	['a day or null', { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] }, 'date'],
	['two of a kind', { oneOf: [{ type: 'string' }, { format: 'uri', type: 'string' }] }, 'text'],
	['two forms of two kinds', { oneOf: [{ type: 'string' }, { type: 'integer' }] }, 'json'],
	['a form of a form', { anyOf: [{ anyOf: [{ type: 'integer' }] }] }, 'number'],
	['a form with types and more', { anyOf: [{ type: 'object', anyOf: WAYS }] }, 'object'],
	['a form with members and more', { anyOf: [{ properties: {}, anyOf: WAYS }] }, 'object'],
	['a form with values and more', { anyOf: [{ enum: ['a'], anyOf: WAYS }] }, 'choice'],
	['a value or any text', { anyOf: [{ const: 'all' }, { type: 'string' }] }, 'json'],
	['values, one of which is no choice', { enum: ['a', {}] }, 'json'],
	['one of a few values, or none', { anyOf: [{ enum: ['a'] }, { type: 'null' }] }, 'choice'],
	['too many values of two forms', { anyOf: [{ enum: of(600) }, { enum: of(600) }] }, 'json'],
	['a thousand values', { enum: of(1_000) }, 'choice'],
	['more values than a list can show', { type: 'integer', enum: of(1_001) }, 'number'],
])('%s is filled in as what it is', (_, member, kind) => {
	expect(fieldOf(member)?.kind).toBe(kind);
});

it.each<[string, JsonObject, string[]]>([
	['values but null', { enum: ['a', 1, null, true] }, ['a: "a"', '1: 1', 'true: true']],
	['the only value', { const: 7 }, ['7: 7']],
	['of forms', { oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] }, ['A: "a"', 'b: "b"']],
	['of the only form', { anyOf: [{ enum: ['a', 1] }, { type: 'null' }] }, ['a: "a"', '1: 1']],
	['of all forms', { anyOf: [{ enum: ['a'] }, { const: 'b', title: 'B' }] }, ['a: "a"', 'B: "b"']],
	['no values', { type: 'string' }, []],
])('choices are %s', (_, member, choices) => {
	const listed = fieldOf(member)?.choices ?? [];
	const shown = listed.map(({ label, value }) => `${label}: ${JSON.stringify(value)}`);
	expect(shown).toEqual(choices);
});

const FEW = { minimum: 1, maximum: 5, title: 'n' };

it.each<[string, JsonObject, string]>([
	['its title', { title: ' Shop URL ' }, 'Shop URL'],
	['its name where the title says nothing', { title: ' ' }, 'it'],
	['its name where the title is no text', { title: 7 }, 'it'],
	['two hundred characters', { title: 'x'.repeat(200) }, 'x'.repeat(200)],
	['no more than that', { title: 'x'.repeat(201) }, `${'x'.repeat(200)}…`],
	['the smallest and the largest number', { minimum: 1, maximum: 500 }, 'it (1 to 500)'],
	['the smallest number', { minimum: 0 }, 'it (from 0)'],
	['the largest number', { maximum: 5 }, 'it (up to 5)'],
	['that it is a date', { format: 'date' }, 'it (date)'],
	['that it is a date and time', { format: 'date-time' }, 'it (date and time)'],
	['what the one form allows', { title: 'It', anyOf: [FEW, { type: 'null' }] }, 'It (1 to 5)'],
	['that it is a list', { type: 'array' }, 'it (JSON list)'],
	['that it is an object', { type: 'object' }, 'it (JSON object)'],
])('a label has %s', (_, member, label) => {
	expect(fieldOf(member)?.label).toBe(label);
});

it('a field begins with its default, or with its only value', () => {
	const members = [{ default: false }, { const: 7 }, { const: 7, default: 8 }, { type: 'string' }];
	const initial = members.map((member) => fieldOf(member)?.initial);
	expect(initial).toEqual([false, 7, 8, undefined]);
});

it('a field is required where the schema, or what is merged into it, says so', () => {
	const required = (schema: JsonObject) => fieldOf(true, schema)?.required;
	expect(required({ required: ['it'] })).toBe(true);
	expect(required({ required: ['other'] })).toBe(false);
	expect(required({ allOf: [{ required: ['it'] }], required: ['other'] })).toBe(true);
});

it('a member that may not be there is no field', () => {
	const form = readForm({ properties: { gone: false, there: true } });
	expect(form?.map(({ name }) => name)).toEqual(['there']);
});

it.each(['a=b', 'constructors', 'my constructor', 'a b', '$ref'])('%j names a field', (name) => {
	expect(readForm({ properties: { [name]: true } })?.[0]?.name).toBe(name);
});

it('a schema that is too much work is no form', () => {
	const members = Object.fromEntries(of(500).map((index) => [`m${index}`, { $ref: '#/$defs/a' }]));
	const withChoices = (count: number) =>
		readForm({ properties: members, $defs: { a: { enum: of(count) } } });
	expect(withChoices(500)).toHaveLength(500);
	expect(withChoices(5_000)).toBeUndefined();
});
