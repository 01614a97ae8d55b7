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

const names = Array.from({ length: 500 }, (_, index) => [`n${index}`, true]);

it.each<[string, JsonObject]>([
	['schemas', { allOf: Array.from({ length: 200 }, () => ({})) }],
	['members', { allOf: [{ properties: Object.fromEntries(names) }] }],
])('many %s are work that is counted', (_, schema) => {
	const plenty = new SchemaDocument({}, 1_000);
	expect(plenty.tryTo(() => plenty.flatten(schema))).toBeDefined();
	const little = new SchemaDocument({}, 50);
	expect(little.tryTo(() => little.flatten(schema))).toBeUndefined();
});

/** Whether work is done to its end. */
const isDone = (document: SchemaDocument, work: () => void): boolean =>
	document.tryTo(() => {
		work();
		return true;
	}) === true;

it('work is given up when there is more of it than may be', () => {
	const document = new SchemaDocument(true, 3);
	expect(isDone(document, () => document.spend([1, true, {}]))).toBe(true);
	expect(isDone(document, () => document.spend([null]))).toBe(false);
});

it('members of several parts cost more than those of one: they are copied', () => {
	const membersOf = (count: number, name: string) => ({
		properties: Object.fromEntries(Array.from({ length: count }, (_, n) => [`${name}${n}`, true])),
	});
	const [one, several] = [new SchemaDocument(true, 300), new SchemaDocument(true, 300)];
	expect(isDone(one, () => one.flatten({ allOf: [membersOf(200, 'a')] }))).toBe(true);
	const parts = [membersOf(100, 'a'), membersOf(100, 'b')];
	expect(isDone(several, () => several.flatten({ allOf: parts }))).toBe(false);
});

it.each([
	['members', Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`n${index}`, 1]))],
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
