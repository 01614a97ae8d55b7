import fc from 'fast-check';

import { Budget } from '../../../nodes/BrowserAutomation/service/schema/budget';
import { isFound } from '../../../nodes/BrowserAutomation/service/schema/patterns';
import { validate } from '../../../nodes/BrowserAutomation/service/schema/validate';
import { withinCpuTime } from '../../cpuTime';
import { attempts } from '../../randomValues';

const find = (source: string, text: string): boolean | undefined =>
	isFound(source, text, new Budget(1e7));

it.each([
	['^https?://[^\\s/]+$', 'https://example.com', 'ftp://example.com'],
	['^[\\w.+-]+@[\\w-]+\\.[a-z]{2,}$', 'a.b+c@example.org', 'a@b'],
	['^\\+?[1-9]\\d{1,14}$', '+491701234567', '+0'],
	['^(?:[01]\\d|2[0-3]):[0-5]\\d$', '23:59', '24:00'],
	['^\\d{4}-(0[1-9]|1[0-2])-\\d{2}$', '2026-12-31', '2026-13-31'],
	['^[A-Z]{2}-?\\d{3,}$', 'AB-1234', 'AB-12'],
	['lamp', 'a lamp', 'a desk'],
	['\\(\\d\\)', '(1)', '(a)'],
	['^.{3,5}$', 'four', 'too long'],
	['^\\*\\+\\?[*][?][+]\\[\\|$', `*+?*?+[|`, `${'*+?'.repeat(9)}`],
	['^(?:\\d)(?:\\d)(?:\\d)(?:\\d)$', '1234', '123456789 123456789 123456789'],
])('what every dialect reads alike is known: %s', (source, fitting, unfit) => {
	expect(find(source, fitting)).toBe(true);
	expect(find(source, unfit)).toBe(false);
});

const piece = fc.constantFrom(
	...[
		'a',
		'b',
		'-',
		'.',
		'\\d',
		'\\w',
		'\\.',
		'[a-b]',
		'[^a]',
		'[\\w.-]',
		'(',
		'(?:',
		')',
		'|',
		'^',
		'$',
	],
	...['*', '+', '?', '{2}', '{1,}', '{0,2}', '*?'],
);
const source = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
const text = fc
	.array(fc.constantFrom('a', 'b', '1', '-', ' ', '.'), { maxLength: 8 })
	.map((characters) => characters.join(''));

it('what is found is what regular expressions find', () => {
	let known = 0;
	fc.assert(
		fc.property(source, text, (pattern, given) => {
			const found = find(pattern, given);
			if (found === undefined) return;
			known++;
			expect(found).toBe(new RegExp(pattern).test(given));
		}),
		attempts(5_000),
	);
	expect(known).toBeGreaterThan(500);
});

it.each([
	['^([a-zA-Z]+\\s?)*$', `${'a'.repeat(5_000)}!`],
	['^(a+)+$', `${'a'.repeat(5_000)}!`],
	['^(a|a)*$', `${'a'.repeat(5_000)}!`],
	['^(.*a){20}$', `${'a'.repeat(5_000)}!`],
	['(x+x+)+y', 'x'.repeat(5_000)],
	['\\s*\\s*\\s*$', `${' '.repeat(5_000)}!`],
	[`^${'a?'.repeat(50)}b$`, 'a'.repeat(50)],
	[`^${'(aa|a)'.repeat(40)}b$`, 'a'.repeat(60)],
	[`^${'\\\\+'.repeat(40)}b$`, '\\'.repeat(200)],
	[`^${'a{0,9}'.repeat(40)}b$`, 'a'.repeat(200)],
	[`^${'[?]*'.repeat(40)}b$`, '?'.repeat(200)],
])('no pattern keeps n8n busy: %s', (pattern, given) => {
	withinCpuTime(0.1, () => {
		validate({ properties: { text: { pattern } } }, { text: given });
	});
});

it('many texts keep n8n no busier than one', () => {
	const items = { pattern: '^a*a*a*b$' };
	const texts = Array.from({ length: 2_000 }, (_, at) => 'a'.repeat(at % 50));
	const problems = validate({ items }, texts);
	expect(problems.length).toBeGreaterThan(20);
	expect(problems.length).toBeLessThan(200);
});

describe('a pattern that is left to the service', () => {
	const open = [
		...['(?=a)b', '(?<=a)b', '(a)\\1', '(?<n>a)', '(a{99}){99}', '^(a+)+$', '('],
		...['^\\p{IsAlphabetic}+$', '\\A\\d{2}\\Z', '^[[:alpha:]]+$', '\\d\\z', '\\h', '\\Qa.b\\E'],
		...[
			'(?i)abc',
			'[a-z&&[^x]]',
			'a++',
			'\\<a\\>',
			'(?#note)a',
			'^é$',
			'[\\p{L}]',
			'a{,3}b',
			'\\b0',
		],
	];

	it.each(open)('refuses nothing, wherever it stands: %s', (pattern) => {
		const unsure = { pattern };
		expect(validate(unsure, 'x')).toEqual([]);
		expect(validate({ anyOf: [unsure, { type: 'null' }] }, 'x')).toEqual([]);
		expect(validate({ oneOf: [unsure, unsure, { maxLength: 3 }] }, 'x')).toEqual([]);
	});

	it.each(open)('leaves the rest of the schema in force: %s', (pattern) => {
		const unsure = { pattern };
		const schema = { properties: { a: unsure }, required: ['c'] };
		expect(validate(schema, { a: 'x' })).toEqual([{ label: 'c', text: 'is missing' }]);
		expect(validate({ anyOf: [{ ...unsure, maxLength: 1 }] }, 'xx')).toHaveLength(1);
	});

	it.each([
		['^\\d$', '٣'],
		['^\\w+$', 'é'],
		['^a$', 'a\n'],
		['^a.b$', 'a\u2028b'],
		['^\\s$', '\u00a0'],
	])('is one whose text the dialects read in different ways: %s', (pattern, given) => {
		expect(validate({ pattern }, given)).toEqual([]);
	});

	it('is a very long one, or one for a very long text', () => {
		expect(validate({ pattern: 'a'.repeat(300) }, 'b')).toHaveLength(1);
		expect(validate({ pattern: 'a'.repeat(301) }, 'b')).toEqual([]);
		expect(validate({ pattern: '^a*$' }, 'b'.repeat(100_000))).toHaveLength(1);
		expect(validate({ pattern: '^a*$' }, 'b'.repeat(300_000))).toEqual([]);
	});
});
