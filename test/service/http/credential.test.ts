import { toApiKey, toBaseUrl } from '../../../nodes/BrowserAutomation/service/http/credential';
import { withinCpuTime } from '../../cpuTime';

describe('the API key', () => {
	it.each([
		...['app-1', '  app-1\n', 'Bearer app-1', 'bearer   app-1 '],
		...['Authorization: Bearer app-1', 'Authorization:Bearer app-1'],
	])('of %j the key is taken alone, and can be sent', (text) => {
		expect(toApiKey(text)).toBe('app-1');
	});

	it('a key that begins like the word stays whole', () => {
		expect(toApiKey('bearer-1')).toBe('bearer-1');
		expect(() => toApiKey('app bearer 1')).toThrow('a letter that no key has');
	});

	it.each(['app-1 app-2', 'app\n1', 'app\u20221', '••••'])('%j is refused, not shown', (key) => {
		expect(() => toApiKey(key)).toThrow(
			expect.objectContaining({ message: expect.not.stringContaining(key) }),
		);
	});
});

describe('the base URL', () => {
	it.each([
		['https://api.example.com', 'https://api.example.com'],
		['  https://api.example.com/ ', 'https://api.example.com'],
		['http://127.0.0.1:4010//', 'http://127.0.0.1:4010'],
		['https://example.com/api/', 'https://example.com/api'],
		['HTTPS://Example.com/a/../api', 'https://example.com/api'],
		['https://example.com//a//b', 'https://example.com//a//b'],
	])('takes %p as %p', (text, expected) => {
		expect(toBaseUrl(text)).toBe(expected);
	});

	it.each([
		...['', 'api.example.com', 'ftp://example.com', '{{ $json.url }}', 'https://'],
		...['https://example.com?a=1', 'https://example.com/api?', 'https://example.com/api#'],
		...['https://user@example.com', 'https://:pass@example.com', 'https://me:pass@example.com'],
	])('refuses %p, says what to enter, and does not tell a password', (text) => {
		const advice = expect.stringContaining('http or https');
		const message = expect.not.stringContaining('pass@');
		expect(() => toBaseUrl(text)).toThrow(expect.objectContaining({ advice, message }));
	});

	it('of a million slashes within is taken at once', () => {
		const long = `https://example.com${'/'.repeat(1_000_000)}a`;
		withinCpuTime(0.2, () => expect(toBaseUrl(long)).toBe(long));
	});
});
