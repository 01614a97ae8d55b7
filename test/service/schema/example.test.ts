import type { JsonObject, JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import { exampleInput } from '../../../nodes/BrowserAutomation/service/schema/example';

const EMPTY = { values: {}, kinds: new Map(), required: new Set<string>(), timeZone: 'UTC' };

function exampleOf(member: JsonValue, more: JsonObject = {}): JsonValue | undefined {
	const schema = { type: 'object', properties: { it: member }, required: ['it'], ...more };
	return exampleInput(schema, EMPTY)?.input.it;
}

describe('an example of an input', () => {
	it.each<[string, JsonObject, JsonValue]>([
		['text of a format', { type: 'string', format: 'uri' }, 'https://example.com'],
		['a date', { type: 'string', format: 'date' }, '2026-01-31'],
		['text of an unknown format', { type: 'string', format: 'constructor' }, 'text'],
		['a number from a limit', { type: 'integer', minimum: 5, maximum: 9 }, 5],
		['a number above a limit', { type: 'integer', exclusiveMinimum: 5 }, 6],
		['one above the limit of draft 4', { minimum: 5, exclusiveMinimum: true, type: 'number' }, 6],
		['a number below a limit', { type: 'integer', maximum: -3 }, -3],
		['a switch', { type: 'boolean' }, true],
		['a choice: the first that is a value', { enum: [null, 'USD', 'EUR'] }, 'USD'],
		['the only value', { const: 7 }, 7],
		['a default before an example', { type: 'string', default: 'a', examples: ['b'] }, 'a'],
		['an example before a choice', { enum: ['x', 'y'], examples: ['y'] }, 'y'],
		['an example of OpenAPI', { type: 'string', example: 'lamp' }, 'lamp'],
		['the first of several forms', { oneOf: [{ type: 'null' }, { type: 'integer' }] }, 1],
		['a form with a value', { anyOf: [{ const: 'all', title: 'All' }, { const: 'new' }] }, 'all'],
		['a list', { type: 'array', items: { type: 'string', format: 'email' } }, ['name@example.com']],
		['a list of anything', { type: 'array' }, []],
		['an object without members', { type: 'object' }, {}],
		['anything', {}, 'text'],
	])('has %s', (_, member, value) => {
		expect(exampleOf(member)).toEqual(value);
	});

	it('has objects in each other, with what each requires or begins with', () => {
		const text = { type: 'string' };
		const properties = {
			...{ city: text, street: text, country: { ...text, default: 'DE' } },
			at: { $ref: '#/$defs/point' },
		};
		const address = { type: 'object', required: ['city', 'at'], properties };
		const point = { properties: { x: { type: 'number' } }, required: ['x'] };
		const example = { city: 'text', country: 'DE', at: { x: 1 } };
		expect(exampleOf(address, { $defs: { point } })).toEqual(example);
	});

	it('takes the filled form along, as the values that the service takes, and names what is left out', () => {
		const properties = {
			keyword: { type: 'string' },
			pages: { type: 'integer' },
			tags: { type: 'array' },
			since: { type: 'string', format: 'date' },
			url: { type: 'string', format: 'uri' },
			note: { type: 'string' },
		};
		const form = { keyword: 'lamp', pages: '3', tags: '["a"]', since: '2026-02-01T00:00:00' };
		const values = { ...form, ofAnotherBot: 'x' };
		const filled = { ...EMPTY, values, timeZone: 'Europe/Berlin' };
		const read = { keyword: 'lamp', pages: 3, tags: ['a'], since: '2026-02-01' };
		expect(exampleInput({ properties, required: ['keyword', 'url'] }, filled)).toEqual({
			input: { ...read, url: 'https://example.com' },
			others: ['note'],
		});
	});

	it.each([
		['there are no members', { type: 'string' }],
		['everything is allowed', true],
	])('is none where %s', (_, schema) => {
		expect(exampleInput(schema, EMPTY)).toBeUndefined();
	});

	it('ends where objects lead back to themselves', () => {
		const schema = { properties: { a: { $ref: '#' } }, required: ['a'] };
		expect(JSON.stringify(exampleInput(schema, EMPTY)?.input)).toBe(
			'{"a":{"a":{"a":{"a":{"a":{}}}}}}',
		);
	});

	const long = { default: [['x'.repeat(100_000)]] };

	it.each([
		['objects lead to themselves by many ways', 40, '#', true],
		['many members repeat a long value', 400, '#/$defs/long', false],
	])('is given up where %s', (_, count, $ref, isRequired) => {
		const names = Array.from({ length: count }, (__, index) => `m${index}`);
		const properties = Object.fromEntries(names.map((name) => [name, { $ref }]));
		const schema = { properties, required: isRequired ? names : [], $defs: { long } };
		expect(exampleInput(schema, EMPTY)).toBeUndefined();
	});
});
