import fc from 'fast-check';

import { InputError } from '../../../nodes/BrowserAutomation/service/errors';
import { forwardPath } from '../../../nodes/BrowserAutomation/service/http/forwardPath';
import { attempts } from '../../randomValues';

describe('paths that are forwarded', () => {
	it.each([
		['status', '/v2/cli-service/status'],
		[' /a/b ', '/v2/cli-service/a/b'],
		['a/b/', '/v2/cli-service/a/b/'],
		['ä b/100%/a&b=c;d@e:1', '/v2/cli-service/%C3%A4%20b/100%25/a%26b%3Dc%3Bd%40e%3A1'],
		['.../.a/..b', '/v2/cli-service/.../.a/..b'],
	])('%p become %p', (text, path) => {
		expect(forwardPath(text)).toBe(path);
	});

	it.each([
		'',
		'/',
		' ',
		'..',
		'.',
		'a/../b',
		'a/./b',
		'a/..',
		'a/..;b=c/d',
		'a/%2e%2e%3bb',
		'//other.example/a',
		'a//b',
		'a/b//',
		'https://other.example/a',
		'HTTPS://other.example',
		'file:///etc/passwd',
		'%2e%2e/a',
		'%2E./a',
		'%252e%252e/a',
		'a/%2e',
		'a%2fb',
		'a%2F..%2Fb',
		'a%255c..',
		'a\\..\\b',
		'a\u0000b',
		'a%00b',
		'a%0d%0aX: 1',
		'a\nb',
		'users/undefined',
		'null/a',
		'a/[object Object]',
		'%75ndefined',
		'a?b=c',
		'a#b',
		'\ud800',
	])('%p is refused', (text) => {
		expect(() => forwardPath(text)).toThrow(InputError);
	});

	it.each([
		['', 'is empty'],
		['https://other.example/a', 'is a whole URL'],
		['a?b=c', 'holds a ? or #'],
		['a//b', 'has two slashes in a row'],
		['\ud800', 'holds half a character'],
		['a/%2e%2e', 'holds percent codes'],
		['a/..;b', 'holds . or .. as a step'],
		['a\\b', 'holds a backslash or a control character'],
		['a\nb', 'holds a backslash or a control character'],
		['a/undefined', 'holds undefined, as an expression leaves it that found nothing'],
	])('%j is refused in plain words: it %s', (text, obstacle) => {
		expect(() => forwardPath(text)).toThrow(`Path ${obstacle}`);
	});

	it('never lead out of the forwarding root', () => {
		const piece = fc.oneof(
			fc.constantFrom(
				'..',
				'.',
				'/',
				'\\',
				'%2e',
				'%2f',
				'%5c',
				'%25',
				'%',
				';',
				'@',
				':',
				'?',
				'#',
			),
			fc.string({ unit: 'binary', maxLength: 3 }),
		);
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
				const text = pieces.join('');
				let path: string;
				try {
					path = forwardPath(text);
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
					return;
				}
				const url = new URL(path, 'https://service.test');
				expect(url.href).toBe(`https://service.test${path}`);
				expect(url.pathname.startsWith('/v2/cli-service/')).toBe(true);
				expect(decodeURIComponent(path.slice('/v2/cli-service/'.length))).toBe(
					text.trim().replace(/^\//, ''),
				);
			}),
			attempts(2_000),
		);
	});
});
