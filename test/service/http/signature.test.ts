import { createHmac } from 'node:crypto';

import { BrowserAutomationSigningApi } from '../../../credentials/BrowserAutomationSigningApi.credentials';
import {
	DEFAULT_SIGNED_TEXT,
	signatureHeaders,
} from '../../../nodes/BrowserAutomation/service/http/signature';

/*
 * The expected signatures are openssl's:
 *
 *   printf '%s\n%s' 1765432100123 "$body" | openssl dgst -sha256 -hmac 'sandbox-secret' -hex
 *   printf '%s\n%s' 1765432100123 "$body" | openssl dgst -sha256 -hmac 'sandbox-secret' -binary | base64
 *   printf 'POST\t/open/cli/tracking?a=b\t%s\t{}{%s}' 1765432100 '{timestamp}\n' |
 *     openssl dgst -sha256 -hmac 'k€y' -hex
 */
const NOW = 1765432100123;
const body = '{"event":"start","note":"ä \\"quoted\\" 漢"}';
const request = { method: 'POST', path: '/open/cli/tracking?a=b', body };
const HEX = 'aaf25d7e9b56045b8af773f2e6c89ed8d97d87cb9bc5078c66b141bfa4521827';
const BASE64 = 'qvJdfptWBFuK93Py5sie2Nl9h8ubxQeMZrFBv6RSGCc=';
const ALL_PARTS = 'b7205c76e5a79f560e30c9a5a81aabc52be9958f4850e84bb97c26f0e82b2c2a';

const scheme = {
	secret: 'sandbox-secret',
	template: DEFAULT_SIGNED_TEXT,
	encoding: 'hex',
	timestampUnit: 'milliseconds',
} as const;

describe('signatures', () => {
	it.each([
		['hex', HEX],
		['base64', BASE64],
	] as const)('are those of openssl: %s', (encoding, signature) => {
		const headers = { 'X-Cli-Signature': signature, 'X-Cli-Timestamp': '1765432100123' };
		expect(signatureHeaders({ ...scheme, encoding }, request, NOW)).toEqual(headers);
	});

	it('are those of openssl for every part, seconds, and a body that looks like a template', () => {
		const template = '{method}\\t{path}\\t{timestamp}\\t\\{\\}\\{{body}\\}';
		const other = { secret: 'k€y', template, encoding: 'hex', timestampUnit: 'seconds' } as const;
		expect(signatureHeaders(other, { ...request, body: '{timestamp}\\n' }, NOW)).toEqual({
			'X-Cli-Signature': ALL_PARTS,
			'X-Cli-Timestamp': '1765432100',
		});
	});
});

it.each([
	['{timestamp}.{body}', '7.{}'],
	['a\\nb\\tc\\rd\\\\n', 'a\nb\tc\rd\\n'],
	['{unknown} {{body}}', '{unknown} {{}}'],
	['', ''],
])('the signed text of the template %p is %p', (template, text) => {
	const signed = signatureHeaders({ ...scheme, template }, { ...request, body: '{}' }, 7);
	const expected = createHmac('sha256', scheme.secret).update(text).digest('hex');
	expect(signed['X-Cli-Signature']).toBe(expected);
});

const { authenticate } = new BrowserAutomationSigningApi();

it('the signing credential signs the path with its query, and keeps the other headers', async () => {
	if (typeof authenticate !== 'function') throw new Error('It adds nothing.');
	jest.spyOn(Date, 'now').mockReturnValueOnce(NOW);
	const ofPath = { signingSecret: 'sandbox-secret', signedText: '{path}' };
	const url = 'https://service.test/open/cli/tracking?a=b';
	const headers = { Accept: 'application/json' };
	const sent = await authenticate(ofPath, { method: 'GET', url, headers });
	const signed = signatureHeaders({ ...scheme, template: '{path}' }, request, NOW);
	expect(sent.headers).toEqual({ ...headers, ...signed });
});
