import { createHmac, timingSafeEqual } from 'node:crypto';
import { refusals } from './refusal';

/** How the signed public operations are signed: HMAC-SHA256 over a text made from the request. */
export interface Signing {
	readonly secret: string;
	/** The signed text; `${timestamp}` and `${body}` stand for what was sent. */
	readonly template: string;
	readonly encoding: 'hex' | 'base64';
	readonly unit: 'seconds' | 'milliseconds';
	/** How far the timestamp may be from the service's clock. */
	readonly maxSkewMs: number;
}

const DEFAULT_SIGNING: Signing = {
	secret: 'sandbox-secret',
	template: '${timestamp}\n${body}',
	encoding: 'hex',
	unit: 'milliseconds',
	maxSkewMs: 5 * 60_000,
};

/** Checks `X-Cli-Signature` and `X-Cli-Timestamp`. */
export class SignatureCheck {
	private readonly signing: Signing;

	constructor(signing: Partial<Signing>) {
		this.signing = { ...DEFAULT_SIGNING, ...signing };
	}

	/** Errors: 401 in the envelope when signature or timestamp are not right. */
	require(timestamp: string, signature: string, body: string): void {
		const { secret, template, encoding, unit, maxSkewMs } = this.signing;
		const sentAt = Number(timestamp) * (unit === 'seconds' ? 1000 : 1);
		const inTime = Math.abs(sentAt - Date.now()) <= maxSkewMs;
		const parts: Readonly<Record<string, string>> = { timestamp, body };
		const text = template.replace(
			/\$\{(timestamp|body)\}/g,
			(_, name: string) => parts[name] ?? '',
		);
		const expected = Buffer.from(createHmac('sha256', secret).update(text).digest(encoding));
		const given = Buffer.from(signature);
		const genuine = expected.length === given.length && timingSafeEqual(expected, given);
		if (!inTime || !genuine) throw refusals.signature();
	}
}
