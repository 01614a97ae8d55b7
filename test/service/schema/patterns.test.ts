import fc from 'fast-check';

import { Budget } from '../../../nodes/BrowserAutomation/service/schema/budget';
import { toPattern } from '../../../nodes/BrowserAutomation/service/schema/patterns';
import { validate } from '../../../nodes/BrowserAutomation/service/schema/validate';
import { withinCpuTime } from '../../cpuTime';

const isIn = (source: string, text: string): boolean | undefined =>
	toPattern(source)?.isIn(text, new Budget(1e7));

/**
 * What a regular expression says by itself, with the flag u where that is allowed. It is asked at each character in turn:
 * left to look for itself, V8 finds `\B` between the halves of a surrogate pair, where ECMA-262 has no place to look.
 */
function native(source: string, text: string): boolean {
	try {
		const pattern = new RegExp(source, 'uy');
		const characters = Array.from(text);
		return [...characters, ''].some((_, index) => {
			pattern.lastIndex = characters.slice(0, index).join('').length;
			return pattern.test(text);
		});
	} catch {
		return new RegExp(source).test(text);
	}
}

const atom = fc.constantFrom(
	...['a', 'b', '1', '-', ' ', '🚀', '.', '\\d', '\\D', '\\w', '\\W', '\\s', '\\S', '\\.', '\\-'],
	...['[a-c]', '[^a]', '[\\]b]', '[]', '[^]', '[🚀a]', '\\x61', '\\u0062', '\\u{1F680}', '\\p{L}'],
	...['\\n', '\\t', '\\/', '\\ud83d\\ude80', '\\cJ', '\\0', ']', '{', '}', 'a{', '\\_'],
);
const edge = fc.constantFrom('^', '$', '\\b', '\\B');
const quantifier = fc.constantFrom(
	'',
	'',
	'*',
	'+',
	'?',
	'{2}',
	'{0}',
	'{1,}',
	'{0,2}',
	'+?',
	'*?',
);
const { pattern } = fc.letrec<{ pattern: string; term: string }>((tie) => ({
	term: fc.oneof(
		{ maxDepth: 3, depthIdentifier: 'pattern' },
		fc.tuple(atom, quantifier).map((parts) => parts.join('')),
		edge,
		fc
			.tuple(fc.constantFrom('(', '(?:', '(?<n>'), tie('pattern'), quantifier)
			.map(([open, inner, times]) => `${open}${inner})${times}`),
	),
	pattern: fc
		.array(fc.array(tie('term'), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
		.map((alternatives) => alternatives.map((terms) => terms.join('')).join('|')),
}));
const text = fc
	.array(fc.constantFrom('a', 'b', 'c', '1', '-', ' ', '\n', '.', '🚀', '\ud83d', ']', '{', '_'), {
		maxLength: 8,
	})
	.map((parts) => parts.join(''));

it('finds what regular expressions find', () => {
	let compared = 0;
	fc.assert(
		fc.property(pattern, text, (source, given) => {
			const found = isIn(source, given);
			if (found === undefined) return;
			compared++;
			expect(found).toBe(native(source, given));
		}),
		{ numRuns: 3_000 },
	);
	expect(compared).toBeGreaterThan(1_500);
});

it.each([
	['^[a-z0-9]+(?:-[a-z0-9]+)*$', 'a-slug-of-7-parts', 'no slug'],
	['^https?://[^\\s/$.?#].[^\\s]*$', 'https://example.com/a', 'ftp://example.com'],
	['^[\\w.+\\-]+@[\\w\\-]+(\\.[\\w\\-]+)+$', 'a.b+c@example.co.uk', 'a@b'],
	['^\\+?[1-9]\\d{1,14}$', '+491701234567', '+0'],
	['^(?:[01]\\d|2[0-3]):[0-5]\\d$', '23:59', '24:00'],
	['^\\d{4}-(0[1-9]|1[0-2])-\\d{2}$', '2026-12-31', '2026-13-31'],
	['^\\p{Lu}\\p{Ll}*$', 'Émile', 'émile'],
	['^[A-Z]{2}-?\\d{3,}$', 'AB-1234', 'AB-12'],
])('knows what people use: %s', (source, fitting, unfit) => {
	expect(isIn(source, fitting)).toBe(true);
	expect(isIn(source, unfit)).toBe(false);
});

it.each([
	['^([a-zA-Z]+\\s?)*$', `${'a'.repeat(5_000)}!`],
	['^(a+)+$', `${'a'.repeat(5_000)}!`],
	['^(a|a)*$', `${'a'.repeat(5_000)}!`],
	['^(a|aa)+$', `${'a'.repeat(5_000)}!`],
	['^(.*a){20}$', `${'a'.repeat(5_000)}!`],
	['(x+x+)+y', 'x'.repeat(5_000)],
	['\\s*\\s*\\s*$', `${' '.repeat(5_000)}!`],
])('takes no time to speak of for %s', (source, given) => {
	const schema = { properties: { text: { pattern: source } }, additionalProperties: false };
	withinCpuTime(0.5, () => {
		validate(schema, { text: given, [given]: 1 });
		validate({ patternProperties: { [source]: false } }, { [given]: 1 });
	});
});

describe('a pattern that is left to the service', () => {
	const open = ['(?=a)b', '(?!a)b', '(?<=a)b', '(?<!a)b', '(a)\\1', '(?<n>a)\\k<n>', '(a{99}){99}'];

	it.each(open)('refuses nothing, wherever it stands: %s', (source) => {
		const unsure = { pattern: source };
		expect(validate(unsure, 'x')).toEqual([]);
		expect(validate({ not: unsure }, 'x')).toEqual([]);
		expect(validate({ oneOf: [unsure, unsure, { maxLength: 3 }] }, 'x')).toEqual([]);
		expect(validate({ anyOf: [unsure, { type: 'null' }] }, 'x')).toEqual([]);
		expect(validate({ if: unsure, then: false, else: false }, 'x')).toEqual([]);
		expect(validate({ allOf: [{ not: { allOf: [unsure] } }] }, 'x')).toEqual([]);
		expect(validate({ contains: unsure, maxContains: 1 }, ['x', 'y'])).toEqual([]);
		expect(validate({ propertyNames: unsure }, { x: 1 })).toEqual([]);
		const members = { patternProperties: { [source]: false }, additionalProperties: false };
		expect(validate(members, { x: 1 })).toEqual([]);
	});

	it.each(open)('leaves the rest of the schema in force: %s', (source) => {
		const unsure = { pattern: source };
		const twice = { properties: { a: unsure, b: { not: unsure } }, required: ['c'] };
		expect(validate(twice, { a: 'x', b: 'x' })).toEqual([{ label: 'c', text: 'is missing' }]);
		expect(validate({ oneOf: [unsure, {}, true] }, 'x')).toHaveLength(1);
		expect(validate({ contains: { ...unsure, maxLength: 1 } }, ['xx'])).toHaveLength(1);
	});

	it('is one for a very long text', () => {
		expect(validate({ pattern: '^a*$' }, 'b'.repeat(10_000))).toHaveLength(1);
		expect(validate({ pattern: '^a*$' }, 'b'.repeat(10_001))).toEqual([]);
	});

	it('is none at all where it is no regular expression', () => {
		expect(validate({ pattern: '(' }, 'x')).toEqual([]);
	});
});
