import { toBaseUrl } from '../../../nodes/BrowserAutomation/service/http/baseUrl';
import { withinCpuTime } from '../../cpuTime';

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
	'',
	'api.example.com',
	'ftp://example.com',
	'https://example.com?a=1',
	'https://example.com/api?',
	'https://example.com/api#',
	'https://user@example.com',
	'https://user:pass@example.com',
	'https://:pass@example.com',
	'{{ $json.url }}',
	'https://',
])('refuses %p and says what to enter', (text) => {
	expect(() => toBaseUrl(text)).toThrow(
		expect.objectContaining({ advice: expect.stringContaining('http or https') }),
	);
});

it('of a million slashes within is taken at once', () => {
	const long = `https://example.com${'/'.repeat(1_000_000)}a`;
	withinCpuTime(0.2, () => expect(toBaseUrl(long)).toBe(long));
});

it('does not tell the password that a URL holds', () => {
	expect(() => toBaseUrl('https://me:pass-4711@example.com')).toThrow(
		expect.objectContaining({ message: expect.not.stringContaining('pass-4711') }),
	);
});
