import {
	brokenConnection,
	refusedDownload,
} from '../../nodes/BrowserAutomation/transport/downloadFailure';

const withCode = (code: string) => Object.assign(new Error(code), { code });
const blocked = Object.assign(new Error('no'), { name: 'SsrfBlockedIpError' });

it.each([
	['that n8n protects', blocked, 'N8N_SSRF_ALLOWED_HOSTNAMES'],
	['of a private authority', withCode('SELF_SIGNED_CERT_IN_CHAIN'), 'NODE_EXTRA_CA_CERTS'],
])('an address %s is not asked again, as others are; n8n may allow it', (_, error, setting) => {
	expect(brokenConnection(withCode('ECONNRESET'))).toMatchObject({ remedy: 'repeat' });
	expect(brokenConnection(error)).toMatchObject({
		remedy: 'none',
		advice: expect.stringContaining(setting),
	});
});

it.each([
	['repeat', [408, 429, 500, 503]],
	['renew', [400, 401, 403, 404, 410]],
	['none', [409, 499, 204]],
])('this may help after a refusal: %s after %j', (remedy, statuses) => {
	for (const status of statuses) {
		const message = `its server answered with HTTP status ${status}`;
		const failure = refusedDownload(status, '<Error>AccessDenied</Error>', 700);
		expect(failure).toMatchObject({ message, remedy, retryAfterMs: 700 });
	}
});
