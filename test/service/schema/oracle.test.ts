import Ajv2020 from 'ajv/dist/2020';
import fc from 'fast-check';

import type { JsonObject, JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import {
	SchemaDocument,
	type Schema,
} from '../../../nodes/BrowserAutomation/service/schema/schema';
import { validate } from '../../../nodes/BrowserAutomation/service/schema/validate';
import { attempts } from '../../randomValues';

const NAMES = ['a', 'b', 'constructor', 'ünïcode 🚀'];
const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object', 'null'];

const name = fc.constantFrom(...NAMES);
const count = fc.nat(4);
const whole = fc.integer({ min: -3, max: 6 });
const limit = fc.oneof(whole, fc.constantFrom(0.5, 1.5));
const text = fc.constantFrom('', 'a', 'ab', 'abc', '🚀', 'A1', '12');

const plain = fc.oneof(text, limit, fc.constantFrom(1e300, true, false, null));

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

/** How a definition is called whose name needs all escapes in a reference, and the reference. */
const ESCAPED = ['two ~1/%', '#/$defs/two%20~01~1%25'] as const;

/** Keywords that are about the same values: a schema has some of one such group or two. */
const GROUPS = [
	['type', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
	['minLength', 'maxLength', 'enum', 'const'],
	['items', 'minItems', 'maxItems'],
	['properties', 'required', 'additionalProperties'],
	['type', 'allOf', 'anyOf', '$ref'],
	['type', 'title', 'default', 'constructor'],
];

/** Schemas with keywords that are judged or say nothing. */
const { schema } = fc.letrec<{ schema: Schema; inner: JsonValue }>((tie) => {
	const inner = tie('inner');
	const several = fc.array(inner, { minLength: 1, maxLength: 3 });
	const types = fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 3 });
	const judged: Record<string, fc.Arbitrary<JsonValue>> = {
		type: fc.oneof(fc.constantFrom(...TYPES), types),
		enum: fc.uniqueArray(plain, { minLength: 1, maxLength: 3 }),
		const: plain,
		minimum: limit,
		maximum: limit,
		exclusiveMinimum: limit,
		exclusiveMaximum: limit,
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
		$ref: fc.constantFrom('#', '#/$defs/one/0', ESCAPED[1]),
		title: text,
		default: plain,
		constructor: inner,
	};
	const groups = GROUPS.map((keywords) => {
		const members = keywords.map((keyword) =>
			(judged[keyword] ?? plain).map((demand) => [keyword, demand] as const),
		);
		return fc.array(fc.oneof(...members), { minLength: 1, maxLength: 3 });
	});
	const anObject = fc
		.array(fc.oneof(...groups), { minLength: 1, maxLength: 2 })
		.map((members) => Object.fromEntries(members.flat()));
	return {
		inner: tie('schema'),
		schema: fc.oneof(
			{ maxDepth: 3, depthIdentifier: 'schema' },
			{ arbitrary: fc.boolean(), weight: 1 },
			{ arbitrary: anObject, weight: 5 },
		),
	};
});

/** A document with two definitions that anything in it may refer to. */
const document = fc
	.tuple(
		schema.filter((root) => typeof root === 'object'),
		schema,
		schema,
	)
	.map(([root, one, two]) => ({ ...root, $defs: { one: [one], [ESCAPED[0]]: two } }));

const ajv = new Ajv2020({
	...{ strict: false, logger: false, meta: false, validateSchema: false },
	...{ ownProperties: true, code: { optimize: false } },
});

/**
 * Ajv never comes back from a schema that refers to itself without going down; such ones are left out,
 * and those for which it writes code that does not run.
 */
function endsIn(root: object, data: JsonValue): boolean | undefined {
	try {
		return ajv.validate(root, data);
	} catch (error) {
		if ([RangeError, ReferenceError, TypeError].some((known) => error instanceof known))
			return undefined;
		throw error;
	}
}

it('judges as Ajv does, whatever the schema and the value', () => {
	let compared = 0;
	const values = fc.array(value, { minLength: 16, maxLength: 16 });
	fc.assert(
		fc.property(document, values, (root, candidates) => {
			for (const data of candidates) {
				const expected = endsIn(root, data);
				if (expected === undefined) return;
				compared++;
				expect(validate(new SchemaDocument(root), data).length === 0).toBe(expected);
			}
		}),
		attempts(250),
	);
	expect(compared).toBeGreaterThan(3_000);
});
