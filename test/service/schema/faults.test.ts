import type { JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import {
	SchemaDocument,
	type Schema,
} from '../../../nodes/BrowserAutomation/service/schema/schema';
import { validate } from '../../../nodes/BrowserAutomation/service/schema/validate';

/** What is wrong, as sentences; of the value itself without what it is called. */
const faults = (schema: Schema, value: JsonValue): string[] =>
	validate(new SchemaDocument(schema), value).map((fault) => fault.replace(/^the input /, ''));

const UNKNOWN = 'a is not a known field';
const CLOSED = { additionalProperties: false };
const TEXT = { type: 'string' };
const TITLED = { title: 'B', ...TEXT };
const B = { $ref: '#/$defs/b' };
const LISTS = { properties: { b: { items: TEXT } } };

it.each<[Schema, JsonValue, string]>([
	[{ minItems: 2 }, [1], 'has 1 item, fewer than 2'],
	[{ maxItems: 1 }, [1, 2], 'has 2 items, more than 1'],
	[{ required: ['a'] }, {}, 'a is missing'],
	[{ properties: { a: { title: 'An A' } }, required: ['a'] }, {}, 'An A (a) is missing'],
	[{ properties: { a: false } }, { a: 1 }, 'a is not allowed'],
	[CLOSED, { a: 1 }, UNKNOWN],
	[{ additionalProperties: { type: 'string' } }, { a: 1 }, 'a is 1, not text'],
	[{ properties: { b: true }, ...CLOSED }, { a: 1, b: 1 }, `${UNKNOWN}; known fields: b`],
	[{ minimum: 5 }, 4, 'is 4, less than 5'],
	[{ maximum: 5 }, 6, 'is 6, more than 5'],
	[{ exclusiveMinimum: 5 }, 5, 'is 5, not more than 5'],
	[{ exclusiveMaximum: 5 }, 5, 'is 5, not less than 5'],
	[{ minimum: 5, exclusiveMinimum: true }, 5, 'is 5, not more than 5'],
	[{ maximum: 5, exclusiveMaximum: true }, 5, 'is 5, not less than 5'],
	[{ minLength: 1 }, '', 'is empty'],
	[{ minItems: 1 }, [], 'is empty'],
	[{ minLength: 2 }, '🚀', 'has 1 character, fewer than 2'],
	[{ maxLength: 1 }, 'ab', 'has 2 characters, more than 1'],
	[{ format: 'url' }, 'b', 'is "b", not a URL such as https://example.com'],
	[{ enum: ['a', { b: 1 }] }, 'c', 'is "c", not one of "a", an object'],
	[{ enum: ['a', 1] }, [], 'is a list, not one of "a", 1'],
	[{ const: 'a' }, 'b', 'is "b", not "a"'],
	[{ const: null }, 1, 'is 1, not null'],
	[{ type: ['string', 'null'] }, 1, 'is 1, not text or null'],
	[{ anyOf: [{ type: 'string' }, { minimum: 5 }] }, 4, 'is 4, less than 5'],
	[{ anyOf: [{ const: 1 }, { const: 2 }] }, 3, 'fits none of its forms: 1; 2'],
	[{ anyOf: [true, false].slice(1) }, 3, 'fits none of its forms: anything else'],
	[{ oneOf: [{ type: 'string' }, { minimum: 5 }] }, 4, 'is 4, less than 5'],
	[{ properties: { a: B }, $defs: { b: TITLED } }, { a: 1 }, 'B (a) is 1, not text'],
	[{ allOf: [{ minimum: 5 }, { minimum: 5 }], properties: {} }, 4, 'is 4, less than 5'],
	[{ properties: { a: LISTS } }, { a: { b: ['x', 1] } }, 'a > b > item 2 is 1, not text'],
])('%j of %j says what is wrong, once', (schema, value, fault) => {
	expect(faults(schema, value)).toEqual([fault]);
});

it.each<[string, Schema, JsonValue]>([
	['null where that is allowed beside the type', { type: 'string', nullable: true }, null],
	['a type that nobody knows', { type: 'money' }, 1],
	['a keyword with a value of no sense', { minItems: 'a', maximum: 'b', required: 7 }, [1]],
	['a reference that leads nowhere', { $ref: '#/$defs/none' }, 1],
	['a reference to another document', { $ref: 'https://example.com/schema' }, 1],
	['a reference to a name', { $ref: 'a', $defs: { a: { $id: 'a', type: 'string' } } }, 1],
	['a reference that is badly escaped', { $ref: '#/$defs/%', $defs: { '%': false } }, 1],
	['what a pattern says', { pattern: '^a' }, 'b'],
	['a name that may match one', { patternProperties: { '^x': true }, ...CLOSED }, { x: 1 }],
	['an object beside a choice of objects', { enum: [{ a: 1, b: [2] }] }, { b: [2], a: 1 }],
	['a list beside another that is the only one', { const: [1] }, [2]],
	['what only the service counts', { uniqueItems: true, minProperties: 2, multipleOf: 2 }, [1, 1]],
	['one of several forms that it fits', { oneOf: [{ type: 'number' }, { maximum: 5 }] }, 4],
	['an item with a schema for its place', { prefixItems: [true], items: false }, [1]],
	['such an item by draft 7', { items: [false, TEXT], additionalItems: false }, [1, 2, 3]],
	['what `if`, `not` and the like say', { if: true, then: false, not: true, contains: false }, [1]],
	['a name that another demands', { dependentRequired: { a: ['b'] } }, { a: 1 }],
	['what names are like', { propertyNames: false }, { a: 1 }],
])('%s is no fault', (_, schema, value) => {
	expect(faults(schema, value)).toEqual([]);
});
