import fc from 'fast-check';

import { readOptionalId } from '../../nodes/BrowserAutomation/fields/parseValue';
import { attempt } from '../../nodes/BrowserAutomation/service/attempt';
import { checkCallbackUrl } from '../../nodes/BrowserAutomation/service/events/callback';
import { readRefusal } from '../../nodes/BrowserAutomation/service/http/envelope';
import { condense } from '../../nodes/BrowserAutomation/service/json/condense';
import {
	fieldLabel,
	nameList,
	shownValue,
} from '../../nodes/BrowserAutomation/service/schema/wording';
import { searchForm, startOf } from '../../nodes/BrowserAutomation/service/text';
import { character } from '../randomValues';

/** More marks than fit on a letter. */
const MARKS = '\u0301'.repeat(99);
const FAMILY = '👨‍👩‍👧';

it.each([
	['an emoji', 'a👍b', 2, 'a'],
	['the only emoji', '👍👍', 1, ''],
	['a letter and its accent', 'cafe\u0301s', 4, 'caf'],
	['an emoji of several', `ab${FAMILY}`, 9, 'ab'],
	['a flag', '🇩🇪🇫🇷', 6, '🇩🇪'],
	['a letter whose marks take all the room', `a${MARKS}`, 9, `a${MARKS.slice(0, 8)}`],
	['nothing, where it just fits', `a${FAMILY}`, 9, `a${FAMILY}`],
])('a text is not cut within %s', (_, text, max, start) => {
	expect(startOf(text, max)).toBe(start);
});

it('the beginning of a text is no longer than it may be, and holds no half of a character', () => {
	const text = fc.string({ unit: character, maxLength: 40 });
	fc.assert(
		fc.property(text, fc.nat(80), (whole, max) => {
			const start = startOf(whole, max);
			expect(start.length).toBeLessThanOrEqual(max);
			expect(whole.startsWith(start)).toBe(true);
			expect(start).not.toMatch(/\p{Surrogate}/u);
		}),
	);
});

const messageOf = async (work: () => unknown): Promise<unknown> => {
	const done = await attempt(async () => work());
	return done.ok ? done.value : String(done.error);
};

it.each<[string, (text: string) => unknown]>([
	['a cell of a row that an agent reads', (text) => condense([{ text }], 1_000)],
	['a column of a row', (text) => condense([{ [[...text].slice(0, 90).join('')]: text }], 1_000)],
	['a name in a list', (text) => nameList([text])],
	['a wrong value', (text) => shownValue(text)],
	['the title of a field', (text) => fieldLabel(text, { title: `a${text}` })],
	['the words of the service', (msg) => readRefusal(JSON.stringify({ msg })).msg],
	['a wrong ID', (text) => readOptionalId(`${text}\n${text}`, "'Bot'")],
	['a wrong address', (text) => checkCallbackUrl(text, "'URL'", 'https://example.com')],
])('%s is cut between characters, wherever they lie', async (_, cut) => {
	for (const before of ['', 'a']) {
		const shown = await messageOf(() => cut(`${before}${'👍'.repeat(5_000)}`));
		expect(JSON.stringify(shown)).toContain('👍');
		expect(JSON.stringify(shown)).not.toMatch(/\\ud[89a-f]|\\\\ud[89a-f]/);
		expect(JSON.stringify(shown).length).toBeLessThan(9_000);
	}
});

it.each([
	['İSTANBUL', 'istanbul'],
	['ISPARTA', 'ısparta'],
	['Große Straße', 'GROSSE STRASSE'],
	['Ζάκυνθος', 'ζακυνθοσ'],
	['Cafe\u0301', 'café'],
	['Cafe', 'CAFÉ'],
	['ＡＢＣ', 'abc'],
	['Ёлка', 'елка'],
	['שלום עולם', 'עולם'],
	['关键词 👍🏽', '键词 👍🏽'],
])('a search in %s finds %s', (text, wanted) => {
	expect(searchForm(text)).toContain(searchForm(wanted));
});

it.each([
	['か', 'が'],
	['关键', '键关'],
	['A', '👍'],
])('a search in %s does not find %s', (text, wanted) => {
	expect(searchForm(text)).not.toContain(searchForm(wanted));
});
