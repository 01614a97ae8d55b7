/** How long to wait for an answer, or for its first byte, in milliseconds. */
export const ANSWER_TIMEOUT_MS = 60_000;

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
	['ERR_BAD_RESPONSE', BROKEN],
	['ETIMEDOUT', NO_ANSWER],
	['SsrfBlockedHostnameError', BLOCKED],
	['SsrfBlockedIpError', BLOCKED],
]);

/**
 * Why no answer came. n8n wraps the network's error, so its code is looked for along the causes;
 * without one, the words of the last cause say it.
 */
export function connectionReason(error: unknown): ConnectionReason {
	let words = '';
	for (let cause = error; cause instanceof Error; cause = cause.cause) {
		const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
		const known = REASONS.get(code) ?? REASONS.get(cause.name);
		if (known !== undefined) return known;
		words = code === '' ? cause.message : code;
		if (code !== '') break;
	}
	return words === '' || words === 'aborted' ? BROKEN : { text: words };
}
