/** The outcome of some work: its value, or what it threw. */
export type Attempt<T> = { ok: true; value: T } | { ok: false; error: unknown };

/** Does some work and returns its failure instead of throwing it. */
export async function attempt<T>(work: () => T | Promise<T>): Promise<Attempt<T>> {
	try {
		return { ok: true, value: await work() };
	} catch (error) {
		return { ok: false, error };
	}
}
