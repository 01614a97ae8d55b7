import {
	nameInDisposition,
	parseContentRange,
	retryAfterOf,
} from '../../../nodes/BrowserAutomation/service/http/httpHeaders';

it.each([
	['bytes 0-9/10', { start: 0, total: 10 }],
	['bytes 5-9/*', { start: 5, total: undefined }],
	['bytes */10', { start: undefined, total: 10 }],
	['items 5-9/10', {}],
	['bytes 15-19/120 ', { start: 15, total: 120 }],
	['bytes 5-9/10, bytes 5-9/10', {}],
	['5 bytes 5-9/10', {}],
	[undefined, {}],
])('%j says %j', (header, expected) => {
	expect(parseContentRange(header)).toEqual(expected);
});

it.each([
	['attachment; filename="a b.csv"', 'a b.csv'],
	['attachment; filename=a.csv', 'a.csv'],
	['attachment; filename="fallback.csv"; filename*=UTF-8\'\'r%C3%A9sum%C3%A9.csv', 'résumé.csv'],
	['inline; FileName="say \\"hi\\".txt"', 'say "hi".txt'],
	["attachment; filename*=ISO-8859-1''na%EFve.csv", 'naïve.csv'],
	["attachment; filename*=UTF-8''%ff.csv; filename=a.csv", 'a.csv'],
	['attachment; filename="a; filename*=UTF-8\'\'b.exe"', "a; filename*=UTF-8''b.exe"],
	[Buffer.from('attachment; filename="レポート.csv"').toString('latin1'), 'レポート.csv'],
	['attachment; filename="na\xefve.csv"', 'na\xefve.csv'],
	['attachment; filename=""', undefined],
	['attachment; filename="never closed', undefined],
	['attachment; filename = a.csv', 'a.csv'],
	['attachment; filename*=nonsense; filename=a.csv', 'a.csv'],
	["attachment; filename*=nonsense''a.csv", undefined],
	["attachment; filename*=utf-8'en'a%20b.csv", 'a b.csv'],
	['attachment; filename=レポート.csv', 'レポート.csv'],
	[undefined, undefined],
])('the header %j names the file %j', (header, expected) => {
	expect(nameInDisposition(header)).toBe(expected);
});

it.each([
	['5', 5_000],
	[' 2.5 ', 2_500],
	['0', 0],
	['-3', 0],
	['Thu, 01 Jan 1970 00:01:00 GMT', 50_000],
	['Thu, 01 Jan 1970 00:00:01 GMT', 0],
	['1e3', undefined],
	['soon', undefined],
	['', undefined],
	[undefined, undefined],
])('Retry-After %j is %j ms', (header, milliseconds) => {
	const date = 'Thu, 01 Jan 1970 00:00:10 GMT';
	expect(retryAfterOf({ 'retry-after': header, date })).toBe(milliseconds);
});
