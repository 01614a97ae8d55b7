import fc from 'fast-check';

import { InputError } from '../../../nodes/BrowserAutomation/service/errors';
import { path, pathWithQuery } from '../../../nodes/BrowserAutomation/service/http/request';

describe('paths', () => {
	it('keeps any ID inside of its own segment', () => {
		fc.assert(
			fc.property(fc.string({ minLength: 1, unit: 'binary' }), (id) => {
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
	it('leaves out what is undefined and encodes the rest', () => {
		const query = { keyword: 'a&b c', page: 1, status: undefined };
		expect(pathWithQuery({ method: 'GET', path: '/v3/bots', query })).toBe(
			'/v3/bots?keyword=a%26b+c&page=1',
		);
	});

	it('repeats the name of a list, and keeps a zero and a false', () => {
		const query = { status: ['a', 'b'], page: 0, open: false };
		expect(pathWithQuery({ method: 'GET', path: '/v3/bots', query })).toBe(
			'/v3/bots?status=a&status=b&page=0&open=false',
		);
	});

	it('is not there without parameters', () => {
		expect(pathWithQuery({ method: 'GET', path: '/v3/bots' })).toBe('/v3/bots');
		expect(pathWithQuery({ method: 'GET', path: '/v3/bots', query: { a: undefined } })).toBe(
			'/v3/bots',
		);
	});
});
