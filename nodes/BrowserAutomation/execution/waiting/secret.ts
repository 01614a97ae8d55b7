import { createHmac, randomBytes, timingSafeEqual } from 'crypto';

const NONCE_BYTES = 16;

/** A random secret: a key of a ledger, or the ID of a suspension. */
export function newSecret(): string {
	return randomBytes(NONCE_BYTES).toString('hex');
}

/**
 * What makes an item's callback URL unguessable. It is computed of one secret of the ledger, because
 * n8n writes the whole ledger at each suspension, and random bytes of each item's own cannot be
 * compressed. From a nonce nothing follows of the secret or of other nonces.
 */
export function nonceOf(callbackKey: string, itemIndex: number): string {
	const digest = createHmac('sha256', callbackKey).update(String(itemIndex)).digest();
	return digest.toString('hex', 0, NONCE_BYTES);
}

/** Compares what was given with a secret, taking the same time however much of it is right. */
export function isSecret(given: unknown, secret: string): boolean {
	if (typeof given !== 'string') return false;
	const [bytes, expected] = [Buffer.from(given), Buffer.from(secret)];
	return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}
