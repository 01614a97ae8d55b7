import { ANSWER_TIMEOUT_MS } from '../service/http/request';

/** Why no answer came. */
export interface ConnectionReason {
	/** The end of a sentence. */
	text: string;
	/** Whether the request never left this machine. */
	neverSent?: boolean;
	/** Whether n8n itself forbade it, so that asking again is in vain. */
	forbidden?: boolean;
}

const NO_ANSWER: ConnectionReason = {
	text: `no answer within ${ANSWER_TIMEOUT_MS / 1000} seconds`,
};
const BROKEN: ConnectionReason = { text: 'the connection broke' };
const UNTRUSTED: ConnectionReason = {
	text: 'its certificate is from an issuer that this n8n does not trust',
	neverSent: true,
};
const NO_WAY: ConnectionReason = { text: 'there is no way to its network', neverSent: true };
const BLOCKED: ConnectionReason = {
	text: 'the SSRF protection of this n8n does not allow its address',
	neverSent: true,
	forbidden: true,
};

/** By the code of the network's error, or by the name of n8n's own. */
const REASONS = new Map<string, ConnectionReason>([
	['CERT_HAS_EXPIRED', { text: 'its certificate has expired', neverSent: true }],
	['DEPTH_ZERO_SELF_SIGNED_CERT', { text: 'its certificate is self-signed', neverSent: true }],
	['EAI_AGAIN', { text: 'its name could not be looked up', neverSent: true }],
	['ECONNABORTED', NO_ANSWER],
	['ECONNREFUSED', { text: 'the connection was refused', neverSent: true }],
	['ECONNRESET', BROKEN],
	['EHOSTUNREACH', NO_WAY],
	['ENETUNREACH', NO_WAY],
	['ENOTFOUND', { text: 'no server has this name', neverSent: true }],
	['EPIPE', BROKEN],
	['EPROTO', { text: 'it does not speak HTTPS as it should', neverSent: true }],
	['ERR_BAD_RESPONSE', BROKEN],
	['ERR_STREAM_PREMATURE_CLOSE', BROKEN],
	[
		'ERR_TLS_CERT_ALTNAME_INVALID',
		{ text: 'its certificate is for another name', neverSent: true },
	],
	['ETIMEDOUT', NO_ANSWER],
	['SELF_SIGNED_CERT_IN_CHAIN', UNTRUSTED],
	['SsrfBlockedHostnameError', BLOCKED],
	['SsrfBlockedIpError', BLOCKED],
	['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNTRUSTED],
	['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNTRUSTED],
]);

/** By how the code begins: what unpacks answers, and what reads HTTP, have one for each mistake. */
const FAMILIES: ReadonlyArray<[RegExp, ConnectionReason]> = [
	[
		/^(Z_|ERR__?ERROR_|ERR_PADDING|ERR_BROTLI|ERR_ZSTD)/,
		{ text: 'its answer could not be unpacked' },
	],
	[/^HPE_/, { text: 'its answer is not HTTP as it should be' }],
];

/**
 * Why no answer came. n8n wraps the network's error, so its code is looked for along the causes;
 * without one, the words of the last cause say it.
 */
export function connectionReason(error: unknown): ConnectionReason {
	let words = '';
	for (let cause = error; isFailure(cause); cause = cause.cause) {
		const code = typeof cause.code === 'string' ? cause.code : '';
		const family = FAMILIES.find(([pattern]) => pattern.test(code));
		const known = REASONS.get(code) ?? REASONS.get(String(cause.name)) ?? family?.[1];
		if (known !== undefined) return known;
		if (code !== '') return { text: `the network failed with ${code}` };
		words = String(cause.message);
	}
	return words === '' || words === 'aborted' ? BROKEN : { text: words };
}

/** An error, also one of another realm, as Node.js's own are where code runs in one that was made for it. */
function isFailure(
	error: unknown,
): error is { [key in 'name' | 'message' | 'code' | 'cause']?: unknown } {
	return typeof error === 'object' && error !== null && 'message' in error;
}
