import { attempt } from '../service/attempt';
import { TokenBucket } from '../service/tokenBucket';
import { pause, withSignal } from '../transport/cancellation';
import { Semaphore } from '../transport/semaphore';

/** How many runs one trigger reads at once: of those known to exist, and of the others. */
const READS_AT_ONCE = 20;

/** How many unknown runs one trigger may request in a row, and after how many milliseconds one more. */
const UNKNOWN = { inARow: 60, oneMoreAfterMs: 50 };

/**
 * Bounds the reads that strangers' callbacks cause, for one trigger in one process: only a read tells a forged callback from a real
 * one. A read that finds its run does not count, so the service's own callbacks hardly wait.
 */
export class ReadLimiter {
	private readonly known = new Semaphore(READS_AT_ONCE);
	private readonly others = new Semaphore(READS_AT_ONCE);
	private readonly unknown = new TokenBucket(UNKNOWN);

	/**
	 * Reads a run when its turn comes; undefined when the service knows no such run.
	 *
	 * @throws what the work throws; the signal's reason or CanceledError when the signal is raised
	 */
	async read<T>(
		isKnown: boolean,
		signal: AbortSignal,
		work: () => Promise<T | undefined>,
	): Promise<T | undefined> {
		const reading = async () => await withSignal(signal, work());
		if (isKnown) return await this.known.inTurn(reading, signal);
		return await this.others.inTurn(async () => {
			const waited = await attempt(pause(this.unknown.take(), signal));
			const read = waited.ok ? await reading() : undefined;
			if (!waited.ok || read !== undefined) this.unknown.giveBack();
			if (!waited.ok) throw waited.error;
			return read;
		}, signal);
	}
}
