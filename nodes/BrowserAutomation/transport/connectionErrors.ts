import { DEFAULT_LIMITS } from '../service/http/credential';
import { partOf } from '../service/json/json';

/** Where n8n itself forbids a request, so that asking again is in vain. */
export const BLOCKED = 'the SSRF protection of this n8n does not allow its address';
const BROKEN = 'the connection broke';

/** What the codes of the network's errors mean, and the names of n8n's own, where the request never left this machine. */
const NEVER_SENT: ReadonlyArray<[RegExp, string]> = [
	[/^SsrfBlocked(Hostname|Ip)Error$/, BLOCKED],
	[/^ECONNREFUSED$/, 'the connection was refused'],
	[/^ENOTFOUND$/, 'no server has this name'],
	[/^EAI_AGAIN$/, 'its name could not be looked up'],
	[/^E(HOST|NET)UNREACH$/, 'there is no way to its network'],
	[/^EPROTO$/, 'it does not speak HTTPS as it should'],
	[/^CERT_HAS_EXPIRED$/, 'its certificate has expired'],
	[/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another name'],
	[/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'its certificate is self-signed'],
	[
		/^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT_LOCALLY|VERIFY_LEAF_SIGNATURE))$/,
		'its certificate is from an issuer that this n8n does not trust',
	],
];

/** The same where it may have arrived. What unpacks answers, and what reads HTTP, have codes for each mistake. */
const UNANSWERED: ReadonlyArray<[RegExp, string]> = [
	[/^(ECONNRESET|EPIPE|ERR_BAD_RESPONSE|ERR_STREAM_PREMATURE_CLOSE)$/, BROKEN],
	[/^(ECONNABORTED|ETIMEDOUT)$/, `no answer within ${DEFAULT_LIMITS.timeoutMs / 1000} seconds`],
	[/^(Z_|ERR__?ERROR_|ERR_PADDING|ERR_BROTLI|ERR_ZSTD)/, 'its answer could not be unpacked'],
	[/^HPE_/, 'its answer is not HTTP as it should be'],
];

/**
 * Why no answer came, as the end of a sentence, and whether the request never left this machine. n8n wraps
 * the network's error, so its code is looked for along the causes; without one, the words of the last cause say it.
 */
export function connectionReason(error: unknown): { text: string; neverSent: boolean } {
	let words = '';
	// An error may be one of another realm, as Node.js's own are where code runs in one that was made for it.
	for (let cause = error; partOf(cause, 'message') !== undefined; cause = partOf(cause, 'cause')) {
		const told = partOf(cause, 'code');
		const code = typeof told === 'string' ? told : '';
		const named = [code, String(partOf(cause, 'name'))];
		const means = ([pattern]: [RegExp, string]): boolean => named.some((one) => pattern.test(one));
		const [, unsent] = NEVER_SENT.find(means) ?? [];
		const [, unknown = code && `the network failed with ${code}`] = UNANSWERED.find(means) ?? [];
		const text = unsent ?? unknown;
		if (text !== '') return { text, neverSent: text === unsent };
		words = String(partOf(cause, 'message'));
	}
	return { text: words === '' || words === 'aborted' ? BROKEN : words, neverSent: false };
}
