import type { JsonObject } from '../../../nodes/BrowserAutomation/service/json/json';
import { Budget, flatten } from '../../../nodes/BrowserAutomation/service/schema/schema';

const flat = (schema: JsonObject | boolean): JsonObject =>
	flatten({ root: schema, budget: new Budget() }, schema);

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

it.each<[string, (budget: Budget) => unknown]>([
	[
		'many schemas',
		(budget) => flatten({ root: {}, budget }, { allOf: Array.from({ length: 200 }, () => ({})) }),
	],
	[
		'many members',
		(budget) => {
			const names = Array.from({ length: 500 }, (_, index) => [`n${index}`, true]);
			return flatten({ root: {}, budget }, { allOf: [{ properties: Object.fromEntries(names) }] });
		},
	],
])('%s are work that is counted', (_, work) => {
	const plenty = new Budget(1_000);
	expect(plenty.tryTo(() => work(plenty))).toBeDefined();
	const little = new Budget(50);
	expect(little.tryTo(() => work(little))).toBeUndefined();
});
