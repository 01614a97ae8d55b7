import Ajv2020 from 'ajv/dist/2020';
import fc from 'fast-check';

import type { JsonObject, JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import {
	SchemaDocument,
	type Schema,
} from '../../../nodes/BrowserAutomation/service/schema/schema';
import { validate } from '../../../nodes/BrowserAutomation/service/schema/validate';
import { attempts } from '../../randomValues';

const NAMES = ['a', 'b', 'keyword', 'ünïcode 🚀'];
const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'];

const name = fc.constantFrom(...NAMES);
const count = fc.nat(4);
const whole = fc.integer({ min: -3, max: 6 });
const text = fc.constantFrom('', 'a', 'ab', 'abc', '🚀', 'A1', '12');

const plain = fc.oneof(text, whole, fc.constantFrom(0.5, 1.5, true, false, null));

const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 3, depthIdentifier: 'value' },
		plain,
		fc.array(tie('value'), { maxLength: 4 }),
		record(tie('value'), 4),
	),
}));

function record(member: fc.Arbitrary<JsonValue>, max: number): fc.Arbitrary<JsonObject> {
	return fc
		.uniqueArray(fc.tuple(name, member), { maxLength: max, selector: ([key]) => key })
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
			enum: fc.uniqueArray(plain, { minLength: 1, maxLength: 3 }),
			const: plain,
			minimum: whole,
			maximum: whole,
			exclusiveMinimum: whole,
			exclusiveMaximum: whole,
			minLength: count,
			maxLength: count,
			minItems: count,
			maxItems: count,
			items: inner,
			required: fc.uniqueArray(name, { maxLength: 2 }),
			properties: record(inner, 3),
			additionalProperties: inner,
			allOf: several,
			anyOf: several,
			$ref: fc.constantFrom('#/$defs/one', '#/$defs/two~0%20words'),
		};
		const left: Record<string, fc.Arbitrary<JsonValue>> = {
			enum: fc.uniqueArray(value, {
				minLength: 1,
				maxLength: 3,
				selector: (found) => JSON.stringify(found),
			}),
			const: value,
			multipleOf: fc.constantFrom(1, 2, 0.5),
			pattern: fc.constantFrom('^a', 'b$', '\\d', '^[^a]?b+$', '^\\p{L}*$'),
			uniqueItems: fc.boolean(),
			minProperties: count,
			maxProperties: count,
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

/** Compares the judgements on documents. @returns how many were compared */
function compare(withOthers: boolean): number {
	let compared = 0;
	fc.assert(
		fc.property(documents(schemas(withOthers)), value, (root, data) => {
			const ajv = new Ajv2020({ strict: false, logger: false, meta: false, validateSchema: false });
			const expected = endsIn(ajv, root, data);
			if (expected === undefined) return;
			compared++;
			const fits = validate(new SchemaDocument(root), data).length === 0;
			if (withOthers) expect(fits || !expected).toBe(true);
			else expect(fits).toBe(expected);
		}),
		attempts(1_000),
	);
	return compared;
}

it('judges as Ajv does, whatever the schema and the value', () => {
	expect(compare(false)).toBeGreaterThan(800);
});

it('refuses nothing that fits by keywords that are left to the service', () => {
	expect(compare(true)).toBeGreaterThan(800);
});
