import fc from 'fast-check';

import { InputError } from '../../../nodes/BrowserAutomation/service/errors';
import { forwardPath } from '../../../nodes/BrowserAutomation/service/http/forwardPath';
import { attempts, character } from '../../randomValues';

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
		['is empty', ['', '/', ' ']],
		['is a whole URL', ['https://other.example/a', 'HTTPS://other.example', 'file:///etc/passwd']],
		['holds a ? or #', ['a?b=c', 'a#b']],
		['has two slashes in a row', ['//other.example/a', 'a//b', 'a/b//']],
		['holds half a character', ['\ud800']],
		['holds percent codes', ['%2e%2e/a', '%2E./a', '%252e%252e/a', 'a/%2e', 'a%2fb', 'a%2F..%2Fb']],
		['holds percent codes', ['a%255c..', 'a%00b', 'a%0d%0aX: 1', 'a/%2e%2e%3bb', '%75ndefined']],
		['holds . or .. as a step', ['..', '.', 'a/../b', 'a/./b', 'a/..', 'a/..;b=c/d']],
		['holds a backslash or a control character', ['a\\..\\b', 'a\u0000b', 'a\nb']],
		['holds undefined, as an expression leaves it that found nothing', ['users/undefined']],
		['holds null, as an expression', ['null/a']],
		['holds [object Object], as an expression', ['a/[object Object]']],
	])('are refused in plain words: "%s" of %j', (obstacle, texts) => {
		for (const text of texts) {
			expect(() => forwardPath(text)).toThrow(InputError);
			expect(() => forwardPath(text)).toThrow(`'Path' ${obstacle}`);
		}
	});

	it('never lead out of the forwarding root', () => {
		const piece = fc.oneof(
			fc.constantFrom(...['..', '%2e', '%2f', '%5c', '%25'], ...'./\\%;@:?#'),
			fc.string({ unit: character, maxLength: 3 }),
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
			attempts(500),
		);
	});
});
