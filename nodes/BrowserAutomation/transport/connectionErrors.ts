import { ANSWER_TIMEOUT_MS } from '../service/http/request';

/** Why no answer came. */
interface ConnectionReason {
	/** The end of a sentence. */
	text: string;
	/** Whether the request never left this machine. */
	neverSent?: boolean;
	/** Whether n8n itself forbade it, so that asking again is in vain. */
	forbidden?: boolean;
}

const UNTRUSTED = 'its certificate is from an issuer that this n8n does not trust';
const NO_WAY = 'there is no way to its network';
const BLOCKED = 'the SSRF protection of this n8n does not allow its address';

/** Why a request never left this machine, by the code of the network's error, or the name of n8n's own. */
const NEVER_SENT = new Map([
	['CERT_HAS_EXPIRED', 'its certificate has expired'],
	['DEPTH_ZERO_SELF_SIGNED_CERT', 'its certificate is self-signed'],
	['EAI_AGAIN', 'its name could not be looked up'],
	['ECONNREFUSED', 'the connection was refused'],
	['EHOSTUNREACH', NO_WAY],
	['ENETUNREACH', NO_WAY],
	['ENOTFOUND', 'no server has this name'],
	['EPROTO', 'it does not speak HTTPS as it should'],
	['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another name'],
	['SELF_SIGNED_CERT_IN_CHAIN', UNTRUSTED],
	['SsrfBlockedHostnameError', BLOCKED],
	['SsrfBlockedIpError', BLOCKED],
	['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNTRUSTED],
	['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNTRUSTED],
]);

const NO_ANSWER = `no answer within ${ANSWER_TIMEOUT_MS / 1000} seconds`;
const BROKEN = 'the connection broke';

/**
 * Why no answer came to a request that may have arrived. What unpacks answers, and what reads HTTP,
 * have codes for each mistake.
 */
const UNANSWERED: ReadonlyArray<[RegExp, string]> = [
	[/^(ECONNRESET|EPIPE|ERR_BAD_RESPONSE|ERR_STREAM_PREMATURE_CLOSE)$/, BROKEN],
	[/^(ECONNABORTED|ETIMEDOUT)$/, NO_ANSWER],
	[/^(Z_|ERR__?ERROR_|ERR_PADDING|ERR_BROTLI|ERR_ZSTD)/, 'its answer could not be unpacked'],
	[/^HPE_/, 'its answer is not HTTP as it should be'],
];

/**
 * Why no answer came. n8n wraps the network's error, so its code is looked for along the causes;
 * without one, the words of the last cause say it.
 */
export function connectionReason(error: unknown): ConnectionReason {
	let words = '';
	for (let cause = error; isFailure(cause); cause = cause.cause) {
		const code = typeof cause.code === 'string' ? cause.code : '';
		const unsent = NEVER_SENT.get(code) ?? NEVER_SENT.get(String(cause.name));
		if (unsent === BLOCKED) return { text: unsent, neverSent: true, forbidden: true };
		if (unsent !== undefined) return { text: unsent, neverSent: true };
		const unanswered = UNANSWERED.find(([pattern]) => pattern.test(code));
		if (unanswered !== undefined) return { text: unanswered[1] };
		if (code !== '') return { text: `the network failed with ${code}` };
		words = String(cause.message);
	}
	return { text: words === '' || words === 'aborted' ? BROKEN : words };
}

/** An error, also one of another realm, as Node.js's own are where code runs in one that was made for it. */
function isFailure(
	error: unknown,
): error is { [key in 'name' | 'message' | 'code' | 'cause']?: unknown } {
	return typeof error === 'object' && error !== null && 'message' in error;
}
