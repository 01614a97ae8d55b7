import { timingSafeEqual } from 'crypto';

/** Compares what was given with a secret, taking the same time however much of it is right. */
export function isSecret(given: unknown, secret: string): boolean {
	if (typeof given !== 'string') return false;
	const [bytes, expected] = [Buffer.from(given), Buffer.from(secret)];
	return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}
