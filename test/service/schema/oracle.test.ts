import Ajv2020 from 'ajv/dist/2020';
import fc from 'fast-check';

import type { JsonObject, JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import type { Schema } from '../../../nodes/BrowserAutomation/service/schema/schema';
import { validate } from '../../../nodes/BrowserAutomation/service/schema/validate';
import { attempts } from '../../randomValues';

const NAMES = ['a', 'b', 'keyword', 'ünïcode 🚀'];
const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'];

const name = fc.constantFrom(...NAMES);
const count = fc.nat(4);
const whole = fc.integer({ min: -3, max: 6 });
const text = fc.constantFrom('', 'a', 'ab', 'abc', '🚀', 'A1', '12');

const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 3, depthIdentifier: 'value' },
		text,
		whole,
		fc.constantFrom(0.5, 1.5, true, false, null),
		fc.array(tie('value'), { maxLength: 4 }),
		record(tie('value'), 4),
	),
}));

function record(member: fc.Arbitrary<JsonValue>, most: number): fc.Arbitrary<JsonObject> {
	return fc
		.uniqueArray(fc.tuple(name, member), { maxLength: most, selector: ([key]) => key })
		.map((members) => Object.fromEntries(members));
}

/** Schemas with keywords that are judged, and with those that are left to the service. */
function schemas(withOthers: boolean): fc.Arbitrary<Schema> {
	return fc.letrec<{ schema: Schema; inner: JsonValue }>((tie) => {
		const inner = tie('inner');
		const several = fc.array(inner, { minLength: 1, maxLength: 3 });
		const types = fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 3 });
		const judged: Record<string, fc.Arbitrary<JsonValue>> = {
			type: fc.oneof(fc.constantFrom(...TYPES), types),
			enum: fc.uniqueArray(value, {
				minLength: 1,
				maxLength: 3,
				selector: (found) => JSON.stringify(found),
			}),
			const: value,
			minimum: whole,
			maximum: whole,
			exclusiveMinimum: whole,
			exclusiveMaximum: whole,
			multipleOf: fc.constantFrom(1, 2, 0.5),
			minLength: count,
			maxLength: count,
			pattern: fc.constantFrom('^a', 'b$', '\\d', '^[^a]?b+$', '^\\p{L}*$'),
			minItems: count,
			maxItems: count,
			uniqueItems: fc.boolean(),
			items: inner,
			minProperties: count,
			maxProperties: count,
			required: fc.uniqueArray(name, { maxLength: 2 }),
			properties: record(inner, 3),
			additionalProperties: inner,
			allOf: several,
			anyOf: several,
			$ref: fc.constantFrom('#/$defs/one', '#/$defs/two~0%20words'),
		};
		const left: Record<string, fc.Arbitrary<JsonValue>> = {
			prefixItems: several,
			contains: inner,
			patternProperties: fc.dictionary(fc.constantFrom('^a', 'o'), inner, { maxKeys: 2 }),
			propertyNames: inner,
			dependentRequired: fc.constant({ a: ['b'] }),
			oneOf: several,
			not: inner,
			if: inner,
			then: inner,
			else: inner,
		};
		const demands = Object.entries({ ...judged, ...(withOthers && left) }).map(
			([keyword, demand]) => demand.map((found): [string, JsonValue] => [keyword, found]),
		);
		const anObject = fc
			.uniqueArray(fc.oneof(...demands), { maxLength: 4, selector: ([keyword]) => keyword })
			.map((members) => Object.fromEntries(members));
		return {
			inner: tie('schema'),
			schema: fc.oneof(
				{ maxDepth: 4, depthIdentifier: 'schema' },
				{ arbitrary: fc.boolean(), weight: 1 },
				{ arbitrary: anObject, weight: 5 },
			),
		};
	}).schema;
}

/** A document with two definitions that anything in it may refer to. */
function documents(schema: fc.Arbitrary<Schema>): fc.Arbitrary<JsonObject> {
	return fc
		.tuple(
			schema.filter((root) => typeof root === 'object'),
			schema,
			schema,
		)
		.map(([root, one, two]) => ({ ...root, $defs: { one, 'two~ words': two } }));
}

/**
 * Ajv never comes back from a schema that refers to itself without going down; such ones are left out,
 * and those for which it writes code that does not run.
 */
function endsIn(ajv: Ajv2020, root: object, data: JsonValue): boolean | undefined {
	try {
		return ajv.validate(root, data);
	} catch (error) {
		if ([RangeError, ReferenceError, TypeError].some((known) => error instanceof known))
			return undefined;
		throw error;
	}
}

/** What some dialects of regular expressions read in other ways: it is left to the service. */
function isLeftOpen(root: object, data: JsonValue): boolean {
	const text = JSON.stringify([root, data]);
	return /"pattern":/.test(text) && /[^ -~]|\\\\p/.test(text);
}

/** How many documents were compared, and how many had nothing in them that is left to the service. */
function compare(withOthers: boolean): { compared: number; alike: number } {
	let [compared, alike] = [0, 0];
	fc.assert(
		fc.property(documents(schemas(withOthers)), value, (root, data) => {
			const ajv = new Ajv2020({ strict: false, logger: false, meta: false, validateSchema: false });
			const expected = endsIn(ajv, root, data);
			if (expected === undefined) return;
			compared++;
			const fits = validate(root, data).length === 0;
			if (withOthers || isLeftOpen(root, data)) return expect(fits || !expected).toBe(true);
			alike++;
			expect(fits).toBe(expected);
		}),
		attempts(1_000),
	);
	return { compared, alike };
}

it('judges as Ajv does, whatever the schema and the value', () => {
	const { compared, alike } = compare(false);
	expect(compared).toBeGreaterThan(800);
	expect(alike).toBeGreaterThan(500);
}, 120_000);

it('refuses nothing that fits by keywords that are left to the service', () => {
	expect(compare(true).compared).toBeGreaterThan(800);
}, 120_000);
