import { toInput } from '../../../nodes/BrowserAutomation/service/schema/inputSchema';
import type { JsonObject, JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import { exampleInput } from '../../../nodes/BrowserAutomation/service/schema/example';
import { readForm } from '../../../nodes/BrowserAutomation/service/schema/form';
import { withinCpuTime } from '../../cpuTime';

const EMPTY = { values: {}, kinds: new Map(), required: new Set<string>(), timeZone: 'UTC' };

const many = <T>(count: number, make: (index: number) => T): T[] =>
	Array.from({ length: count }, (_, index) => make(index));

const members = (count: number, make: (index: number) => JsonValue): JsonObject =>
	Object.fromEntries(many(count, (index) => [`m${index}`, make(index)]));

const itself = { $ref: '#' };
const nested = (levels: number, keyword: string): JsonObject => {
	let schema: JsonObject = { type: 'string' };
	for (let level = 0; level < levels; level++) schema = { [keyword]: [schema, itself] };
	return schema;
};

/** Objects in each other, as members called `a`. */
const deep = (levels: number, inside: JsonValue): JsonValue =>
	levels === 0 ? inside : { a: deep(levels - 1, inside) };

const rows = { rows: many(5_000, (index) => members(5, () => `text ${index}`)) };
const ofRows = (items: JsonObject): JsonObject => ({ properties: { rows: { items } } });

/** An object of so many members, and no others. */
const closed = (count: number): JsonObject => ({
	properties: members(count, () => true),
	additionalProperties: false,
});

const named = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const [tree, a, first] = [named('tree'), named('a'), named('m0')];
const next = (at: number): JsonObject => named(`m${at + 1}`);
const chainOfForms = members(3_000, (at) => ({ oneOf: [next(at)] }));
const forms = { oneOf: [tree, { anyOf: [tree, { type: 'array' }] }, { allOf: [tree, tree] }] };

/** A reference that leads somewhere, far down. */
const far = { $ref: `#${'/a'.repeat(99)}` };
const m0 = { required: ['m0'] };
const bounds = { allOf: many(500, () => ({ maxLength: 6e6, minLength: 4 })) };
const choices = { a: { enum: many(999, (at) => at) } };
const title = 'x'.repeat(1e5);

/** Schemas that a bot's author could write, and inputs that nobody knows to be wrong. */
const cases: Array<[string, JsonObject, JsonObject]> = [
	['allOf of itself', { allOf: many(5, () => itself), properties: { a: true } }, { a: 1 }],
	['members that are the whole', { allOf: [itself], properties: members(400, () => itself) }, {}],
	['oneOf of itself', { oneOf: many(9, () => itself) }, { a: 1 }],
	['anyOf of itself', { anyOf: [itself, itself] }, { a: 1 }],
	['a member of recursive forms', { properties: { a: tree }, $defs: { tree: forms } }, { a: [] }],
	['a long chain of references', { ...first, $defs: members(5_000, next) }, { a: 1 }],
	['a long chain of forms', { properties: { a: first }, $defs: chainOfForms }, { a: 1 }],
	['deep allOf', nested(400, 'allOf'), { a: 1 }],
	['deep oneOf', { properties: { a: nested(400, 'oneOf') } }, { a: 'x' }],
	['a very large schema', { properties: members(1e5, () => ({ type: 'string' })) }, { m1: 'x' }],
	['many forms for many rows', ofRows({ oneOf: many(500, (at) => ({ maxProperties: at })) }), rows],
	['a long enumeration for many rows', ofRows({ enum: many(9_000, (at) => [at]) }), rows],
	['many known fields', ofRows(closed(9_000)), rows],
	['a long list of types', ofRows({ type: many(9_000, () => 'text') }), rows],
	['a long reference', ofRows({ $ref: `#${'/a'.repeat(490)}` }), rows],
	['long references', { ...ofRows({ allOf: many(20, () => far) }), a: deep(98, true) }, rows],
	['many missing members', ofRows({ required: many(9_000, (at) => `x${at}`) }), rows],
	['many unknown fields', ofRows(closed(20)), { rows: many(5_000, () => ({ x: 1, y: 2, z: 3 })) }],
	['many bounds of a long text', { properties: { a: bounds } }, { a: '🚀x'.repeat(1e6) }],
	['many choices for many members', { properties: members(500, () => a), $defs: choices }, {}],
	['the same demand over and over', ofRows({ minProperties: 1, allOf: many(900, () => m0) }), rows],
	['long titles, one within another', { title, properties: { a: itself } }, { a: deep(2, {}) }],
];

it.each(cases)('%s keeps n8n neither busy nor from running the bot', (_, schema, input) => {
	withinCpuTime(0.4, () => {
		expect(toInput(schema, { json: input })).toEqual(input);
		exampleInput(schema, EMPTY);
		readForm(schema);
	});
});
