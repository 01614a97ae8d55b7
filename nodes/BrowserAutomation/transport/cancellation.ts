import { sleep } from 'n8n-workflow';

import { CanceledError } from '../service/errors';
import { partOf } from '../service/json/json';

/** How often a pause checks whether the execution was stopped, in milliseconds. */
const MAX_SLICE_MS = 1_000;

/** The signal that n8n raises when the execution is stopped; contexts without one are never stopped. */
export function cancelSignalOf(context: object): AbortSignal | undefined {
	const getSignal = partOf(context, 'getExecutionCancelSignal');
	const signal: unknown = typeof getSignal === 'function' ? getSignal.call(context) : undefined;
	return signal instanceof AbortSignal ? signal : undefined;
}

/** A signal that follows the first of these. Node warns of more than ten listeners of one signal, which requests share. */
export function anySignal(...signals: Array<AbortSignal | undefined>): AbortSignal {
	return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

/** Waits in short slices, so that it ends soon after a stop in every n8n. @throws CanceledError when the signal is raised */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
	const until = Date.now() + milliseconds;
	for (let left = milliseconds; ;) {
		if (signal?.aborted) throw new CanceledError();
		if (left <= 0) return;
		const slice = Math.min(left, MAX_SLICE_MS);
		await sleep(slice);
		// A timer of a busy process fires late, and the machine's clock may be set back.
		left = Math.min(left - slice, until - Date.now());
	}
}

/** Waits without keeping n8n from ending. */
export async function delay(milliseconds: number): Promise<void> {
	await new Promise<void>((resolve) => {
		AbortSignal.timeout(milliseconds).addEventListener('abort', () => resolve());
	});
}

/** Waits for some work until the signal is raised. The work itself continues. @throws what the work threw, or the signal's reason */
export async function withSignal<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
	return await new Promise((resolve, reject) => {
		const onAbort = (): void => reject(signal.reason);
		if (signal.aborted) onAbort();
		signal.addEventListener('abort', onAbort);
		const settle = (): void => signal.removeEventListener('abort', onAbort);
		work.finally(settle).then(resolve, reject);
	});
}
