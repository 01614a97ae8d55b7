import { attempt } from '../service/attempt';
import { TokenBucket } from '../service/tokenBucket';
import { TtlCache } from '../service/ttlCache';
import { pause, withSignal } from '../transport/cancellation';
import { Semaphore } from '../transport/semaphore';

/** How many runs one trigger reads at once: of those known to exist, and of the others. */
const READS_AT_ONCE = 20;

/** How many unknown runs one trigger may request in a row, and after how many milliseconds one more. */
const UNKNOWN = { inARow: 60, oneMoreAfterMs: 50 };

/** How often one run may be read in a row, and after how many milliseconds once more. */
const SAME = { inARow: 10, oneMoreAfterMs: 1_000 };

/** Of how many runs the reads are counted, and for how long after the last one, in milliseconds. */
const MAX_COUNTED = 1_000;
const COUNTED_FOR_MS = 60_000;

/** Waits for a token and takes it. */
async function takeFrom(bucket: TokenBucket, signal: AbortSignal): Promise<void> {
	const waited = await attempt(pause(bucket.take(), signal));
	if (waited.ok) return;
	bucket.giveBack();
	throw waited.error;
}

/**
 * Bounds the reads that strangers' callbacks cause, for one trigger in one process. Runs that are known to
 * exist have one queue, all others another:
 *
 * - A known run is read `SAME.inARow` times in a row, then once a second.
 * - Of the others, `UNKNOWN.inARow` may turn out to be unknown in a row, then one each 50 ms. Only a read tells
 *   a forged callback from a real one. A read that finds its run does not count, so the service's own
 *   callbacks hardly wait.
 */
export class ReadLimiter {
	private readonly known = new Semaphore(READS_AT_ONCE);
	private readonly others = new Semaphore(READS_AT_ONCE);
	private readonly unknown = new TokenBucket(UNKNOWN);
	private readonly counted = new TtlCache<TokenBucket>(MAX_COUNTED);

	/**
	 * Reads a run when its turn comes.
	 *
	 * @param isKnown whether the run is known to exist
	 * @param signal ends the wait
	 * @param work gives undefined when the service knows no such run
	 * @throws what the work throws; the signal's reason or CanceledError when the signal is raised
	 */
	async read<T>(
		taskId: string,
		isKnown: boolean,
		signal: AbortSignal,
		work: () => Promise<T | undefined>,
	): Promise<T | undefined> {
		if (isKnown) {
			const until = Date.now() + COUNTED_FOR_MS;
			const bucket = this.counted.getOrMake(taskId, () => new TokenBucket(SAME), until);
			await takeFrom(bucket, signal);
			return await this.known.inTurn(async () => await withSignal(signal, work()), signal);
		}
		return await this.others.inTurn(async () => {
			await takeFrom(this.unknown, signal);
			const value = await withSignal(signal, work());
			if (value !== undefined) this.unknown.giveBack();
			return value;
		}, signal);
	}
}
