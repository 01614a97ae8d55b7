import type { JsonObject, JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import { exampleInput } from '../../../nodes/BrowserAutomation/service/schema/example';
import { SchemaDocument } from '../../../nodes/BrowserAutomation/service/schema/schema';
import { validate } from '../../../nodes/BrowserAutomation/service/schema/validate';

/** A form of which nothing is filled in. */
const EMPTY = { values: {}, kinds: new Map(), timeZone: 'UTC' };

/** The example of one required member. */
function exampleOf(member: JsonValue, more: JsonObject = {}): JsonValue | undefined {
	const schema = { type: 'object', properties: { it: member }, required: ['it'], ...more };
	return exampleInput(schema, EMPTY)?.input.it;
}

describe('an example of an input', () => {
	it.each<[string, JsonObject, JsonValue]>([
		['text', { type: 'string' }, 'text'],
		['text of a format', { type: 'string', format: 'uri' }, 'https://example.com'],
		['a date', { type: 'string', format: 'date' }, '2026-01-31'],
		['text of an unknown format', { type: 'string', format: 'constructor' }, 'text'],
		['a number', { type: 'number' }, 1],
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
		const address = {
			type: 'object',
			required: ['city', 'at'],
			properties: {
				city: { type: 'string' },
				street: { type: 'string' },
				country: { type: 'string', default: 'DE' },
				at: { $ref: '#/$defs/point' },
			},
		};
		const point = { properties: { x: { type: 'number' } }, required: ['x'] };
		expect(exampleOf(address, { $defs: { point } })).toEqual({
			city: 'text',
			country: 'DE',
			at: { x: 1 },
		});
	});

	it('leaves out what is not required and has no default, and names it', () => {
		const schema = {
			properties: { a: { type: 'string' }, b: { default: 1 }, c: { type: 'array' } },
			required: ['a'],
		};
		expect(exampleInput(schema, EMPTY)).toEqual({ input: { a: 'text', b: 1 }, others: ['c'] });
	});

	it('takes the filled form along, as the values that the service takes', () => {
		const schema = {
			properties: {
				keyword: { type: 'string' },
				pages: { type: 'integer' },
				tags: { type: 'array' },
				since: { type: 'string', format: 'date' },
				url: { type: 'string', format: 'uri' },
			},
			required: ['keyword', 'url'],
		};
		const fields = {
			keyword: 'lamp',
			pages: '3',
			tags: '["a"]',
			since: '2026-02-01T00:00:00',
			ofAnotherBot: 'x',
		};
		const filled = { values: fields, kinds: new Map(), timeZone: 'Europe/Berlin' };
		expect(exampleInput(schema, filled)).toEqual({
			input: {
				keyword: 'lamp',
				pages: 3,
				tags: ['a'],
				since: '2026-02-01',
				url: 'https://example.com',
			},
			others: [],
		});
	});

	it('fits its schema', () => {
		const schema = {
			type: 'object',
			required: ['url', 'limits', 'kind'],
			additionalProperties: false,
			properties: {
				url: { type: 'string', format: 'uri' },
				kind: { enum: ['a', 'b'] },
				limits: { type: 'array', items: { type: 'integer', minimum: 2 }, minItems: 1 },
			},
		};
		expect(
			validate(new SchemaDocument(schema), exampleInput(schema, EMPTY)?.input ?? null),
		).toEqual([]);
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

	it('is given up where objects lead to themselves by many ways', () => {
		const names = Array.from({ length: 40 }, (_, index) => `m${index}`);
		const properties = Object.fromEntries(names.map((name) => [name, { $ref: '#' }]));
		expect(exampleInput({ properties, required: names }, EMPTY)).toBeUndefined();
	});

	it('is given up where many members repeat a long value', () => {
		const names = Array.from({ length: 400 }, (_, index) => `m${index}`);
		const properties = Object.fromEntries(names.map((name) => [name, { $ref: '#/$defs/long' }]));
		const $defs = { long: { default: [['x'.repeat(100_000)]] } };
		expect(exampleInput({ properties, $defs }, EMPTY)).toBeUndefined();
	});
});
