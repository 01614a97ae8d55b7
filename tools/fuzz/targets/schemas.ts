import fc from 'fast-check';

import { InputError } from '../../../nodes/BrowserAutomation/service/errors';
import { toInput } from '../../../nodes/BrowserAutomation/service/schema/inputSchema';
import {
	isJsonObject,
	parseJson,
	type JsonObject,
} from '../../../nodes/BrowserAutomation/service/json/json';
import { readForm } from '../../../nodes/BrowserAutomation/service/schema/form';
import { must, type Target } from '../target';
import { textOf } from './texts';

interface Case {
	schema: JsonObject;
	input: JsonObject;
}

const name = fc.constantFrom('a', 'b', 'c', 'a b', '', '__proto__', 'constructor', 'x'.repeat(500));
const count = fc.constantFrom(0, 1, 2, 1e9, -1, 0.5);
const times = fc.constantFrom(1, 1, 1, 1, 2, 3);
const often = fc.oneof(
	{ arbitrary: fc.constant(1), weight: 5 },
	{ arbitrary: fc.integer({ min: 2, max: 2_000 }), weight: 1 },
);
const pattern = fc.oneof(
	fc.constantFrom(
		'^([a-zA-Z]+\\s?)*$',
		'(a+)+$',
		'(a|a)*b',
		'^(?=a)',
		'(a)\\1',
		'(.*){9}x',
		'[',
		'',
	),
	textOf(
		['a', '(', ')', '*', '+', '|', '{1,9}', '[a-z]', '.', '\\w', '^', '$', '?', '(?:', '{99}'],
		90,
	),
);
const reference = fc.constantFrom(
	'#',
	'#/$defs/a',
	'#/$defs/b',
	'#/properties/a',
	`#${'/a'.repeat(99)}`,
);

const { value } = fc.letrec((tie) => ({
	value: fc.oneof(
		{ maxDepth: 3, depthIdentifier: 'value' },
		fc.constantFrom(
			'',
			'a',
			'aaaa!',
			'a'.repeat(5_000),
			'x '.repeat(4_000),
			0,
			-1.5,
			1e300,
			true,
			null,
		),
		fc.tuple(tie('value'), times).map(([item, often]) => Array(often).fill(item)),
		fc.array(tie('value'), { maxLength: 4 }),
		fc.dictionary(name, tie('value'), { maxKeys: 4 }),
		fc.tuple(tie('value'), times).map(([member, often]) =>
			Object.fromEntries(
				Array(often)
					.fill(0)
					.map((_, n) => [`m${n}`, member]),
			),
		),
	),
}));

const { schema } = fc.letrec((tie) => {
	const inner = tie('schema');
	const several = fc.oneof(
		fc.array(inner, { minLength: 1, maxLength: 4 }),
		fc.tuple(inner, times).map(([one, often]) => Array(often).fill(one)),
	);
	const demands: Record<string, fc.Arbitrary<unknown>> = {
		type: fc.constantFrom(
			'object',
			'string',
			'array',
			'integer',
			'null',
			['string', 'object'],
			'x',
		),
		enum: fc.tuple(value, times).map(([one, often]) => Array(often).fill(one)),
		const: value,
		minLength: count,
		maxLength: count,
		pattern,
		format: fc.constantFrom('date', 'date-time', 'email', 'uri', 'ipv6', 'hostname', 'x'),
		items: inner,
		prefixItems: several,
		contains: inner,
		uniqueItems: fc.boolean(),
		required: fc.array(name, { maxLength: 3 }),
		properties: fc.dictionary(name, inner, { maxKeys: 4 }),
		patternProperties: fc.dictionary(pattern, inner, { maxKeys: 3 }),
		additionalProperties: inner,
		propertyNames: inner,
		allOf: several,
		anyOf: several,
		oneOf: several,
		not: inner,
		if: inner,
		then: inner,
		else: inner,
		$ref: reference,
		title: fc.constantFrom('A title', 'x'.repeat(20_000)),
		description: fc.constantFrom('For this.', ' '.repeat(20_000)),
		default: value,
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
const wrapper = fc.constantFrom('none', 'allOf', 'anyOf', 'oneOf', 'enum', 'members', 'required');

function wrapped(root: unknown, how: string, times: number): object {
	const document = typeof root === 'object' && root !== null ? root : {};
	const copies: unknown[] = Array(times).fill(root);
	const named = copies.map((copy, index): [string, unknown] => [`m${index}`, copy]);
	if (how === 'none') return document;
	if (how === 'members') return { ...document, properties: Object.fromEntries(named) };
	if (how === 'required') return { ...document, required: named.map(([member]) => member) };
	return { ...document, [how]: copies };
}

const input = fc
	.tuple(fc.dictionary(name, value), value, often)
	.map(([members, row, count]) => ({ ...members, a: Array(count).fill(row) }));

/** Longer than what a service would send, or a user, in characters. */
const CASE_MAX_LENGTH = 1e6;

/** Empty for what becomes too long to write. */
function jsonOf(value: object): string {
	try {
		return JSON.stringify(value);
	} catch {
		return '';
	}
}

/** A bot's schema and somebody's input, as they come: in JSON. */
export const schemas: Target<Case> = {
	name: 'schemas',
	inputs: fc
		.tuple(schema, wrapper, often, schema, schema, input)
		.map(([root, how, count, a, b, given]) => {
			return { schema: { ...wrapped(root, how, count), $defs: { a, b } }, input: given };
		})
		.map(jsonOf)
		.filter((text) => text !== '' && text.length < CASE_MAX_LENGTH)
		.map((text) => {
			const found = parseJson(text);
			if (!isJsonObject(found) || !isJsonObject(found.schema) || !isJsonObject(found.input)) {
				throw new Error('This is no case');
			}
			return { schema: found.schema, input: found.input };
		}),
	tryInput: ({ schema: document, input }) => {
		const form = readForm(document);
		for (const { label } of form ?? []) {
			must(label.length < 1_000, 'a field has a label that can be shown');
		}
		try {
			toInput(document, { json: input });
		} catch (error) {
			if (!(error instanceof InputError)) throw error;
			must(error.message.length < 100_000, 'an error can be read');
		}
	},
};

/** The same with a filled form. */
export const forms: Target<Case> = {
	name: 'forms',
	inputs: schemas.inputs,
	tryInput: ({ schema: document, input }) => {
		try {
			toInput(document, { values: input, kinds: new Map(), required: new Set<string>(), timeZone: 'Europe/Berlin' });
		} catch (error) {
			if (!(error instanceof InputError)) throw error;
		}
	},
};
