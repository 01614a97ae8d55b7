/** The outcome of some work: its value, or what it threw. */
export type Attempt<T> = { ok: true; value: T } | { ok: false; error: unknown };

/**
 * Does some work, or waits for it, and returns its failure instead of throwing it. n8n's rules for packages let a
 * `catch` block throw n8n's own errors only (require-node-api-error), so other errors are checked and thrown outside of one.
 */
export async function attempt<T>(work: Promise<T> | (() => T | Promise<T>)): Promise<Attempt<T>> {
	try {
		return { ok: true, value: await (typeof work === 'function' ? work() : work) };
	} catch (error) {
		return { ok: false, error };
	}
}
