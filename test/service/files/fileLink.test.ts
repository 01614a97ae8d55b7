import { isOwnAddress } from '../../../nodes/BrowserAutomation/service/files/fileLink';

it.each([
	['https://api.example.com/v3/files/1', true],
	['https://api.example.com:443/files/1', true],
	['http://api.example.com/files/1', false],
	['https://api.example.com:8443/files/1', false],
	['https://api.example.com.evil.test/files/1', false],
	['https://api.example.com@evil.test/1', false],
	['https://api.example.com/files/..%2f1', true],
])('the key may be shown to %s: %s', (link, expected) => {
	expect(isOwnAddress(link, 'https://api.example.com')).toBe(expected);
});

it.each([
	['https://api.example.com/gateway/eu/files/1', true],
	['https://api.example.com/gateway/eu/files/100%25.csv', true],
	['https://api.example.com/gateway/eu/files/100%25a.csv', true],
	['https://api.example.com/gateway/eu/v1../files/1', true],
	['https://api.example.com/other-tenant/file', false],
	['https://api.example.com/gateway/europe/file', false],
	['https://api.example.com/gateway/eu', false],
	['https://api.example.com/gateway/eu/../us/file', false],
	['https://api.example.com/gateway/eu/%2e%2e/us/file', false],
	['https://api.example.com/gateway/eu/..%2fus/file', false],
	['https://api.example.com/gateway/eu/..%5cus/file', false],
	['https://api.example.com/gateway/eu/%252e%252e%252fus/file', false],
	['https://api.example.com/gateway/eu/..;/us/file', false],
	['https://api.example.com/gateway/eu/%%32%65%%32%65/us/file', false],
])('behind a gateway the key may be shown to %s: %s', (link, expected) => {
	expect(isOwnAddress(link, 'https://api.example.com/gateway/eu')).toBe(expected);
});
