import type { JsonObject } from '../../../nodes/BrowserAutomation/service/json/json';
import { SchemaDocument } from '../../../nodes/BrowserAutomation/service/schema/schema';

const flat = (schema: JsonObject | boolean): JsonObject =>
	new SchemaDocument(schema).flatten(schema);

it('what a schema refers to and what is added to it become one, the schema’s own words first', () => {
	const $defs = { shop: { title: 'theirs', type: 'object', properties: { url: true, a: true } } };
	const schema = {
		$ref: '#/$defs/shop',
		title: 'own',
		properties: { a: false },
		required: ['a'],
		allOf: [{ properties: { b: true }, required: ['b'], title: 'added' }],
		$defs,
	};
	expect(flat(schema)).toEqual({
		type: 'object',
		title: 'own',
		properties: { url: true, a: false, b: true },
		required: ['b', 'a'],
		$defs,
	});
});

it('what is not there is not added', () => {
	expect(flat({ allOf: [{ title: 'a' }] })).toStrictEqual({ title: 'a' });
	expect(flat({ $ref: '#/$defs/none', type: 'string' })).toEqual({ type: 'string' });
	expect(flat({ $ref: 7, properties: [], required: 'a', allOf: [true] })).toEqual({
		properties: [],
		required: 'a',
	});
	expect(flat(true)).toEqual({});
});

it('a schema that leads back to itself is taken once', () => {
	expect(flat({ $ref: '#', allOf: [{ $ref: '#' }], title: 'a' })).toEqual({ title: 'a' });
});

const isDone = (document: SchemaDocument, work: () => void): boolean =>
	document.tryTo(() => {
		work();
		return true;
	}) === true;

const membersOf = (count: number, name: string): JsonObject =>
	Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}${index}`, true]));

it('members of several parts cost more than those of one: they are copied', () => {
	const isCheap = (...parts: JsonObject[]) => {
		const document = new SchemaDocument(true, 300);
		const allOf = parts.map((properties) => ({ properties }));
		return isDone(document, () => document.flatten({ allOf }));
	};
	expect(isCheap(membersOf(200, 'a'))).toBe(true);
	expect(isCheap(membersOf(100, 'a'), membersOf(100, 'b'))).toBe(false);
});

it.each([
	['members', membersOf(50, 'n')],
	['elements', Array(500).fill(1)],
	['characters', 'x'.repeat(5_000)],
])('many %s are more work than few', (_, value) => {
	const [enough, little] = [new SchemaDocument(true, 51), new SchemaDocument(true, 50)];
	expect(isDone(enough, () => enough.spend([value]))).toBe(true);
	expect(isDone(little, () => little.spend([value]))).toBe(false);
});

it('any other failure stays one', () => {
	const document = new SchemaDocument(true);
	expect(() =>
		document.tryTo(() => {
			throw new Error('a bug');
		}),
	).toThrow('a bug');
	expect(document.tryTo(() => 'done')).toBe('done');
});
