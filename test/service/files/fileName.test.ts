import {
	mimeTypeOf,
	sanitizeFileName,
} from '../../../nodes/BrowserAutomation/service/files/fileName';
import { withinCpuTime } from '../../cpuTime';

it.each([
	['result.json', 'result.json'],
	['../../etc/passwd', 'passwd'],
	['C:\\Users\\me\\a.csv', 'a.csv'],
	['a:b*c?.csv', 'a_b_c_.csv'],
	['.htaccess', 'htaccess'],
	['report. ', 'report'],
	['in\u0000vo\u202eice\n.pdf', 'invoice.pdf'],
	['日本語 レポート.md', '日本語 レポート.md'],
	['می\u200cخواهم.csv\u200d', 'می\u200cخواهم.csv'],
])('%j becomes the file name %j', (given, expected) => {
	expect(sanitizeFileName(given)).toBe(expected);
});

it.each(['', '..', '/', ' . ', '\u200d'])('nothing is left of %j', (given) => {
	expect(sanitizeFileName(given)).toBeUndefined();
});

describe('a long name', () => {
	const ENDING = 'y'.repeat(20);

	it.each([
		['of Latin letters', `${'x'.repeat(500)}.json`, `${'x'.repeat(250)}.json`],
		['of letters of three bytes', `${'日'.repeat(200)}.CSV`, `${'日'.repeat(83)}.CSV`],
		['of emoji of several characters', `${'👩‍👩‍👧'.repeat(30)}.md`, `${'👩‍👩‍👧'.repeat(14)}.md`],
		['of letters with marks', 'e\u0301'.repeat(200), 'e\u0301'.repeat(85)],
		['without an ending', 'ä'.repeat(200), 'ä'.repeat(127)],
		['of one letter with many marks', `a${'\u0301'.repeat(200)}`, `a${'\u0301'.repeat(127)}`],
		['with an ending of 20', `${'x'.repeat(300)}.${ENDING}`, `${'x'.repeat(234)}.${ENDING}`],
		['with too long an ending', `a.${'x'.repeat(300)}`, `a.${'x'.repeat(253)}`],
		['of just 255 bytes', `${'x'.repeat(250)}.json`, `${'x'.repeat(250)}.json`],
		['cut before a dot', `${'x'.repeat(249)}. x.json`, `${'x'.repeat(249)}.json`],
	])('%s is cut to 255 bytes, its ending kept', (_, given, expected) => {
		expect(sanitizeFileName(given)).toBe(expected);
		expect(Buffer.byteLength(expected)).toBeLessThanOrEqual(255);
	});

	it('does not become the name of a device by being cut', () => {
		expect(sanitizeFileName(`nul${' '.repeat(300)}x`)).toBe('_nul');
	});

	it('of a megabyte takes no time', () => {
		withinCpuTime(0.2, () => {
			expect(sanitizeFileName(`${'. '.repeat(500_000)}x.json`)).toMatch(/x\.json$/);
			expect(sanitizeFileName('é'.repeat(1_000_000))).toHaveLength(127);
		});
	});
});

it.each([
	['con', '_con'],
	['CON.txt', '_CON.txt'],
	['nul.tar.gz', '_nul.tar.gz'],
	['Com1.csv', '_Com1.csv'],
	['LPT9', '_LPT9'],
	['aux .md', '_aux .md'],
	['console.txt', 'console.txt'],
	['com.csv', 'com.csv'],
	['com10.csv', 'com10.csv'],
])('%j, a name that Windows may keep for a device, becomes %j', (given, expected) => {
	expect(sanitizeFileName(given)).toBe(expected);
});

it.each([
	['text/csv; charset=utf-8', 'a.bin', 'text/csv'],
	['text/csv ; charset=utf-8', 'a.bin', 'text/csv'],
	['application/octet-stream', 'a.MD', undefined],
	['binary/octet-stream', 'a.xlsx', undefined],
	[undefined, 'a.json', undefined],
	[undefined, 'zip', 'application/octet-stream'],
	['image/svg+xml', 'a.svg', 'image/svg+xml'],
	['text/html"><script>', 'a.csv', undefined],
	['no type at all', 'a', 'application/octet-stream'],
	[`text/${'x'.repeat(9_000)}`, 'a.txt', undefined],
])('of type %j and name %j it is %s', (contentType, name, expected) => {
	expect(mimeTypeOf(contentType, name)).toBe(expected);
});
