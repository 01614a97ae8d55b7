import fc from 'fast-check';

import { InputError } from '../../../nodes/BrowserAutomation/service/errors';
import { path, pathWithQuery } from '../../../nodes/BrowserAutomation/service/http/request';
import { character } from '../../randomValues';

describe('paths', () => {
	it('keeps any ID inside of its own segment', () => {
		fc.assert(
			fc.property(fc.string({ minLength: 1, unit: character }), (id) => {
				fc.pre(id !== '.' && id !== '..');
				const { pathname } = new URL(`https://service.test${path`/v3/bots/${id}/runs`}`);
				const segments = pathname.split('/');
				expect(segments).toHaveLength(5);
				expect(decodeURIComponent(segments[3] ?? '')).toBe(id);
			}),
		);
	});

	it.each(['', '.', '..'])('refuses %p, which would leave its segment', (id) => {
		expect(() => path`/v3/bots/${id}/runs`).toThrow(InputError);
	});

	it.each(['\ud800', 'a\udc00b'])('refuses half a character, which has no encoding', (id) => {
		expect(() => path`/v3/bots/${id}/runs`).toThrow('is not an ID');
	});
});

describe('queries', () => {
	it.each([
		['encode what is in it', { keyword: 'a&b c', page: 1 }, '?keyword=a%26b+c&page=1'],
		['repeat the name of a list', { status: ['a', 'b'] }, '?status=a&status=b'],
		['keep a zero and a false', { page: 0, open: false }, '?page=0&open=false'],
		['leave out what is undefined', { page: 1, status: undefined }, '?page=1'],
		['are not there where all is undefined', { a: undefined }, ''],
		['are not there without parameters', undefined, ''],
	])('%s', (_, query, text) => {
		const request = { method: 'GET', path: '/v3/bots', ...(query && { query }) } as const;
		expect(pathWithQuery(request)).toBe(`/v3/bots${text}`);
	});
});
