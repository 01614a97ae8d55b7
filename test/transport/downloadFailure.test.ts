import {
	brokenConnection,
	DownloadFailure,
	missingFile,
	refusedDownload,
	staleLink,
} from '../../nodes/BrowserAutomation/transport/downloadFailure';

const withCode = (code: string) => Object.assign(new Error(code), { code });
const blocked = Object.assign(new Error('no'), { name: 'SsrfBlockedIpError' });

it.each([
	['changed', new DownloadFailure('it changed'), 'it changed', 'none'],
	['has no link', missingFile(undefined), 'the service has no link to it', 'none'],
	['failed', missingFile('disk full'), 'the service has no link to it (disk full)', 'none'],
	['lost its connection', brokenConnection(withCode('EPIPE')), 'the connection broke', 'repeat'],
])('a file that %s says so, and what may help', (_, failure, message, remedy) => {
	expect(failure).toMatchObject({ message, remedy });
	expect(failure.retryAfterMs).toBeUndefined();
});

it.each([
	['that n8n protects', blocked, 'N8N_SSRF_ALLOWED_HOSTNAMES'],
	['of a private authority', withCode('SELF_SIGNED_CERT_IN_CHAIN'), 'NODE_EXTRA_CA_CERTS'],
])(
	'an address %s is not asked again, as others are; whoever runs n8n can allow it',
	(_, error, setting) => {
		expect(brokenConnection(withCode('ECONNRESET'))).toMatchObject({ remedy: 'repeat' });
		expect(brokenConnection(error)).toMatchObject({
			remedy: 'none',
			advice: expect.stringContaining(setting),
		});
	},
);

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

it('a refusal of the service itself is reported in its own words', () => {
	const body = JSON.stringify({ code: 10112, msg: 'run 9 is not yours', data: null });
	expect(refusedDownload(404, body, undefined).message).toContain('run 9 is not yours');
});

it('a link that the run has no newer one of says when it expired, if that is known', () => {
	const failure = new DownloadFailure('its server answered with HTTP status 403', 'renew');
	const file = { key: 'csv', group: 'csv' as const };
	const expired = { ...file, expiresAt: Date.parse('2026-01-31T09:05:59Z') };
	expect(staleLink(failure, expired).message).toBe(
		'its link expired on 2026-01-31 at 09:05 UTC, and the run gave no newer one (its server answered with HTTP status 403)',
	);
	expect(staleLink(failure, file).message).toBe(
		'its server answered with HTTP status 403. Its link may have expired, and the run gave no newer one',
	);
	expect(staleLink(failure, file).remedy).toBe('none');
});
