import { connectionReason } from '../../nodes/BrowserAutomation/transport/connectionErrors';

function wrapped(cause: Error): Error {
	return new Error('The request failed', { cause: new Error('axios', { cause }) });
}

it.each([
	['ECONNREFUSED', 'the connection was refused', true],
	['ENOTFOUND', 'no server has this name', true],
	['EAI_AGAIN', 'its name could not be looked up', true],
	['EHOSTUNREACH', 'there is no way to its network', true],
	['ENETUNREACH', 'there is no way to its network', true],
	['EPROTO', 'it does not speak HTTPS as it should', true],
	['CERT_HAS_EXPIRED', 'its certificate has expired', true],
	['ETIMEDOUT', 'no answer within 60 seconds', false],
	['ECONNRESET', 'the connection broke', false],
	['Z_DATA_ERROR', 'its answer could not be unpacked', false],
	['HPE_INVALID_CONSTANT', 'its answer is not HTTP as it should be', false],
	['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another name', true],
	['EUNHEARDOF', 'the network failed with EUNHEARDOF', false],
])('%s below n8n’s own errors means: %s', (code, text, neverSent) => {
	const cause = Object.assign(new Error(`connect ${code} 10.0.0.1:443`), { code });
	expect(connectionReason(wrapped(cause))).toEqual({ text, neverSent });
});

it.each([
	...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_GET_ISSUER_CERT'],
	...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
])('a certificate of a private authority can be made known to n8n: %s', (code) => {
	const cause = Object.assign(new Error('certificate'), { code });
	expect(connectionReason(wrapped(cause))).toEqual({
		text: expect.stringMatching(/^its certificate is /),
		neverSent: true,
		advice: expect.stringContaining('NODE_EXTRA_CA_CERTS'),
	});
});

it('without a code that is text the words of the last cause tell, else the first code', () => {
	const reason = (text: string) => ({ text, neverSent: false });
	const hungUp = wrapped(new Error('socket hang up'));
	expect(connectionReason(hungUp)).toEqual(reason('socket hang up'));
	expect(connectionReason(wrapped(new Error('aborted')))).toEqual(reason('the connection broke'));
	expect(connectionReason('nothing')).toEqual(reason('the connection broke'));
	const coded = (code: unknown) => Object.assign(hungUp, { code });
	expect(connectionReason(coded(5))).toEqual(reason('socket hang up'));
	expect(connectionReason(coded('ESTRANGE'))).toEqual(reason('the network failed with ESTRANGE'));
});

it.each(['SsrfBlockedIpError', 'SsrfBlockedHostnameError'])(
	'%s of n8n is told apart from a network that fails',
	(name) => {
		const blocked = Object.assign(new Error('The request was blocked'), { name });
		expect(connectionReason(wrapped(blocked))).toEqual({
			text: 'the SSRF protection of this n8n does not allow its address',
			neverSent: true,
			advice: expect.stringContaining('N8N_SSRF_ALLOWED_HOSTNAMES'),
		});
	},
);
