import { mimeTypeOf, sanitizeFileName } from '../../nodes/BrowserAutomation/service/fileName';

it.each([
	['result.json', 'result.json'],
	['../../etc/passwd', 'passwd'],
	['C:\\Users\\me\\a.csv', 'a.csv'],
	['a:b*c?.csv', 'a_b_c_.csv'],
	['.htaccess', 'htaccess'],
	['report. ', 'report'],
	['in\u0000vo\u202eice\n.pdf', 'invoice.pdf'],
	['日本語 レポート.md', '日本語 レポート.md'],
])('%j becomes the file name %j', (given, expected) => {
	expect(sanitizeFileName(given)).toBe(expected);
});

it.each(['', '..', '/', ' . '])('nothing is left of %j', (given) => {
	expect(sanitizeFileName(given)).toBeUndefined();
});

it('a long name is cut, its ending kept', () => {
	const name = sanitizeFileName(`${'x'.repeat(500)}.json`);
	expect(name).toHaveLength(200);
	expect(name).toMatch(/x\.json$/);
});

it.each([
	['text/csv; charset=utf-8', 'a.bin', 'text/csv'],
	['application/octet-stream', 'a.MD', 'text/markdown'],
	[
		'binary/octet-stream',
		'a.xlsx',
		'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
	],
	[undefined, 'a.json', 'application/json'],
	[undefined, 'a.unheard-of', 'application/octet-stream'],
	[undefined, 'zip', 'application/octet-stream'],
])('of type %j and name %j it is %s', (contentType, name, expected) => {
	expect(mimeTypeOf(contentType, name)).toBe(expected);
});
