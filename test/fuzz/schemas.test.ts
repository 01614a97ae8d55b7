import fc from 'fast-check';

import { InputError } from '../../nodes/BrowserAutomation/service/errors';
import { isJsonObject, parseJson } from '../../nodes/BrowserAutomation/service/json/json';
import { readForm } from '../../nodes/BrowserAutomation/service/schema/form';
import { toInput } from '../../nodes/BrowserAutomation/service/schema/inputSchema';
import { fuzz, must, textOf, unlessRefused, words } from './fuzz';

/** What a bot's author writes, and what users enter. */

const name = fc.constantFrom(...words('a b c  __proto__ constructor'), 'a b', 'x'.repeat(500));
const count = fc.constantFrom(0, 1, 2, 1e9, -1, 0.5);
const times = fc.constantFrom(1, 1, 1, 1, 2, 3);
const often = fc.oneof(
	{ arbitrary: fc.constant(1), weight: 5 },
	{ arbitrary: fc.integer({ min: 2, max: 2_000 }), weight: 1 },
);
const pattern = fc.oneof(
	fc.constantFrom(...words('^([a-zA-Z]+\\s?)*$ (a+)+$ (a|a)*b ^(?=a) (a)\\1 (.*){9}x [ ')),
	textOf(words('a ( ) * + | {1,9} [a-z] . \\w ^ $ ? (?: {99}'), 90),
);
const reference = fc.constantFrom(
	...words('# #/$defs/a #/$defs/b #/properties/a'),
	`#${'/a'.repeat(99)}`,
);
const repeated = <T>(some: fc.Arbitrary<T>) =>
	fc.tuple(some, times).map(([one, number]) => new Array<T>(number).fill(one));

const { value } = fc.letrec((tie) => ({
	value: fc.oneof(
		{ maxDepth: 3, depthIdentifier: 'value' },
		fc.constantFrom(...['', 'a', 'aaaa!', 'a'.repeat(5_000), 'x '.repeat(4_000)]),
		fc.constantFrom(0, -1.5, 1e300, true, null),
		repeated(tie('value')),
		fc.array(tie('value'), { maxLength: 4 }),
		fc.dictionary(name, tie('value'), { maxKeys: 4 }),
	),
}));

const TYPES = words('object string array integer null x');
const FORMATS = words('date date-time email uri ipv6 hostname x');

const { schema } = fc.letrec((tie) => {
	const inner = tie('schema');
	const several = fc.oneof(fc.array(inner, { minLength: 1, maxLength: 4 }), repeated(inner));
	const demands: Record<string, fc.Arbitrary<unknown>> = {
		...{
			type: fc.constantFrom(...TYPES, ['string', 'object']),
			format: fc.constantFrom(...FORMATS),
		},
		...{ enum: repeated(value), const: value, default: value, uniqueItems: fc.boolean() },
		...{ minLength: count, maxLength: count, pattern, required: fc.array(name, { maxLength: 3 }) },
		...{ items: inner, contains: inner, prefixItems: several, additionalProperties: inner },
		...{ allOf: several, anyOf: several, oneOf: several, not: inner, propertyNames: inner },
		...{ if: inner, then: inner, else: inner, $ref: reference },
		properties: fc.dictionary(name, inner, { maxKeys: 4 }),
		patternProperties: fc.dictionary(pattern, inner, { maxKeys: 3 }),
		title: fc.constantFrom('A title', 'x'.repeat(20_000)),
		description: fc.constantFrom('For this.', ' '.repeat(20_000)),
	};
	const keywords = Object.entries(demands).map(([keyword, demand]) =>
		demand.map((found): [string, unknown] => [keyword, found]),
	);
	return {
		schema: fc.oneof(
			{ maxDepth: 3, depthIdentifier: 'schema' },
			fc.boolean(),
			reference.map(($ref) => ({ $ref })),
			fc
				.uniqueArray(fc.oneof(...keywords), { maxLength: 5, selector: ([keyword]) => keyword })
				.map((members) => Object.fromEntries(members)),
		),
	};
});

/** What may stand in a document very often. */
const wrapper = fc.constantFrom(...words('none allOf anyOf oneOf enum members required'));

function wrapped(root: unknown, how: string, number: number): object {
	const document = typeof root === 'object' && root !== null ? root : {};
	const copies: unknown[] = Array(number).fill(root);
	const named = copies.map((copy, index): [string, unknown] => [`m${index}`, copy]);
	if (how === 'none') return document;
	if (how === 'members') return { ...document, properties: Object.fromEntries(named) };
	if (how === 'required') return { ...document, required: named.map(([member]) => member) };
	return { ...document, [how]: copies };
}

const input = fc
	.tuple(fc.dictionary(name, value), value, often)
	.map(([members, row, number]) => ({ ...members, a: Array(number).fill(row) }));

/** Longer than what a service would send, or a user, in characters. */
const MAX_LENGTH = 1e6;

/** A bot's schema and somebody's input, as they come: in JSON. */
const cases = fc
	.tuple(schema, wrapper, often, schema, schema, input)
	.map(([root, how, number, a, b, given]) => {
		const found = { schema: { ...wrapped(root, how, number), $defs: { a, b } }, input: given };
		// Text can become too long to be written.
		return unlessRefused(() => JSON.stringify(found), RangeError) ?? '';
	})
	.filter((text) => text !== '' && text.length < MAX_LENGTH)
	.map((text) => {
		const found = parseJson(text);
		if (!isJsonObject(found) || !isJsonObject(found.schema) || !isJsonObject(found.input)) {
			throw new Error('This is no case');
		}
		return { document: found.schema, given: found.input };
	});

/** Takes the input, or refuses it in words that can be read. */
function take(work: () => unknown): void {
	try {
		work();
	} catch (error) {
		if (!(error instanceof InputError)) throw error;
		must(error.message.length < 100_000, 'an error can be read');
	}
}

fuzz('a schema as a form, and an input in JSON', cases, ({ document, given }) => {
	for (const { label } of readForm(document) ?? []) {
		must(label.length < 1_000, 'a field has a label that can be shown');
	}
	take(() => toInput(document, { json: given }));
});

fuzz('a schema, and a filled form', cases, ({ document, given }) => {
	take(() =>
		toInput(document, {
			values: given,
			kinds: new Map(),
			required: new Set(),
			timeZone: 'Europe/Berlin',
		}),
	);
});
