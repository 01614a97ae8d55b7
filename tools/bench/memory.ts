import type { Setup } from './setup';

const MEGABYTE = 1024 ** 2;
const SAMPLE_MS = 20;

/** Resident memory of n8n around some work, in megabytes. */
export interface Watched {
	before: number;
	peak: number;
	after: number;
}

/** Samples n8n's memory while something is measured. */
export function watchingMemory<Measure>(
	{ server }: Pick<Setup, 'server'>,
	measure: () => Promise<Measure>,
): () => Promise<Measure & Watched> {
	return async () => {
		const before = server.memory() / MEGABYTE;
		let peak = before;
		const sampling = setInterval(() => {
			peak = Math.max(peak, server.memory() / MEGABYTE);
		}, SAMPLE_MS);
		const measured = await measure().finally(() => clearInterval(sampling));
		return { ...measured, before, peak, after: server.memory() / MEGABYTE };
	};
}
