import { DEFAULT_LIMITS } from '../service/http/credential';
import { partOf } from '../service/json/json';

const BROKEN = 'the connection broke';

const ALLOW_HOST =
	'If you trust this host, ask whoever runs this n8n to allow it (N8N_SSRF_ALLOWED_HOSTNAMES).';
const TRUST_ISSUER =
	'If you trust it, ask whoever runs this n8n to set NODE_EXTRA_CA_CERTS to a file with the certificate of its issuer.';

/**
 * Codes of network errors, and names of n8n's own, after which the request never left this machine; what they mean, and what
 * whoever runs n8n can do.
 */
const NEVER_SENT: ReadonlyArray<[RegExp, string, string?]> = [
	[
		/^SsrfBlocked(Hostname|Ip)Error$/,
		'the SSRF protection of this n8n does not allow its address',
		ALLOW_HOST,
	],
	[/^ECONNREFUSED$/, 'the connection was refused'],
	[/^ENOTFOUND$/, 'no server has this name'],
	[/^EAI_AGAIN$/, 'its name could not be looked up'],
	[/^E(HOST|NET)UNREACH$/, 'there is no way to its network'],
	[/^EPROTO$/, 'it does not speak HTTPS as it should'],
	[/^CERT_HAS_EXPIRED$/, 'its certificate has expired'],
	[/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another name'],
	[/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'its certificate is self-signed', TRUST_ISSUER],
	[
		/^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT(_LOCALLY)?|VERIFY_LEAF_SIGNATURE))$/,
		'its certificate is from an issuer that this n8n does not trust',
		TRUST_ISSUER,
	],
];

/** The same where the request may have arrived; the last two are codes of decompression and of reading HTTP. */
const UNANSWERED: ReadonlyArray<[RegExp, string]> = [
	[/^(ECONNRESET|EPIPE|ERR_BAD_RESPONSE|ERR_STREAM_PREMATURE_CLOSE)$/, BROKEN],
	[/^(ECONNABORTED|ETIMEDOUT)$/, `no answer within ${DEFAULT_LIMITS.timeoutMs / 1000} seconds`],
	[/^(Z_|ERR__?ERROR_|ERR_PADDING|ERR_BROTLI|ERR_ZSTD)/, 'its answer could not be unpacked'],
	[/^HPE_/, 'its answer is not HTTP as it should be'],
];

/** Why no answer came. */
interface ConnectionReason {
	/** The end of a sentence. */
	text: string;
	/** Whether the request never left this machine. */
	neverSent: boolean;
	/** Where a retry is pointless, and whoever runs n8n can help. */
	advice?: string | undefined;
}

/**
 * Why no answer came. n8n wraps the network's error, so the causes are searched for its code; without one, the last cause's
 * message is the reason.
 */
export function connectionReason(error: unknown): ConnectionReason {
	let words = '';
	// Not by `instanceof`: an error may come from another realm.
	for (let cause = error; partOf(cause, 'message') !== undefined; cause = partOf(cause, 'cause')) {
		const value = partOf(cause, 'code');
		const code = typeof value === 'string' ? value : '';
		const named = [code, String(partOf(cause, 'name'))];
		const means = ([pattern]: readonly [RegExp, ...unknown[]]): boolean =>
			named.some((one) => pattern.test(one));
		const [, unsent, advice] = NEVER_SENT.find(means) ?? [];
		const [, unknown = code && `the network failed with ${code}`] = UNANSWERED.find(means) ?? [];
		const text = unsent ?? unknown;
		if (text !== '') return { text, neverSent: text === unsent, advice };
		words = String(partOf(cause, 'message'));
	}
	return { text: words === '' || words === 'aborted' ? BROKEN : words, neverSent: false };
}
