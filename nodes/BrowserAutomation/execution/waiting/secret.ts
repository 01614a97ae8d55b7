import { createHmac, randomBytes, timingSafeEqual } from 'crypto';

const SECRET_BYTES = 16;

/** A random secret, e.g. the ID of a suspension. */
export function newSecret(): string {
	return randomBytes(SECRET_BYTES).toString('hex');
}

/**
 * What makes an item's callback URL unguessable. Computed from one secret: random bytes per item would not compress, and n8n stores
 * the ledger at each suspension. From a token nothing follows of the secret or of other tokens.
 */
export function callbackTokenOf(callbackKey: string, itemIndex: number): string {
	const digest = createHmac('sha256', callbackKey).update(String(itemIndex)).digest();
	return digest.toString('hex', 0, SECRET_BYTES);
}

/** Compares what was given with a secret, taking the same time however much of it is right. */
export function isSecret(given: unknown, secret: string): boolean {
	if (typeof given !== 'string') return false;
	const [bytes, expected] = [Buffer.from(given), Buffer.from(secret)];
	return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}
