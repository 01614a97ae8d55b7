import { createHmac } from 'crypto';

/** How the signed public operations are signed. The service does not publish it, so all of it can be set. */
export interface SigningScheme {
	secret: string;
	/**
	 * The signed text. `{timestamp}`, `{body}`, `{method}` and `{path}` stand for what is sent;
	 * `\n`, `\r`, `\t`, `\\`, `\{` and `\}` are escapes.
	 */
	template: string;
	encoding: 'hex' | 'base64';
	timestampUnit: 'seconds' | 'milliseconds';
}

/** The parts of a request that can be signed. */
interface SignedRequest {
	method: string;
	/** With the query, as it is sent. */
	path: string;
	/** Exactly as it is sent; empty when there is none. */
	body: string;
}

export const DEFAULT_SIGNED_TEXT = '{timestamp}\\n{body}';

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** The text that is signed. What is filled in is never read as a placeholder or an escape itself. */
function signedText(template: string, request: SignedRequest, timestamp: string): string {
	const parts: Readonly<Record<string, string>> = { ...request, timestamp };
	return template.replace(
		/\\([nrt\\{}])|\{(timestamp|body|method|path)\}/g,
		(_, escaped: string | undefined, part: string | undefined) =>
			part === undefined ? (ESCAPES[escaped ?? ''] ?? escaped ?? '') : (parts[part] ?? ''),
	);
}

/**
 * The two headers of a signed public operation (docs/service.md: Authentication, rule 2): the timestamp,
 * and the HMAC-SHA256 of the signed text.
 *
 * @param now milliseconds since 1970
 */
export function signatureHeaders(
	{ secret, template, encoding, timestampUnit }: SigningScheme,
	request: SignedRequest,
	now: number,
): Record<'X-Cli-Signature' | 'X-Cli-Timestamp', string> {
	const timestamp = String(timestampUnit === 'seconds' ? Math.floor(now / 1000) : now);
	const text = signedText(template, request, timestamp);
	return {
		'X-Cli-Signature': createHmac('sha256', secret).update(text, 'utf8').digest(encoding),
		'X-Cli-Timestamp': timestamp,
	};
}
