import { attempt } from '../service/attempt';
import { TokenBucket } from '../service/tokenBucket';
import { TtlCache } from '../service/ttlCache';
import { pause, withSignal } from '../transport/cancellation';
import { Semaphore } from '../transport/semaphore';

/** How many runs are read at once for one trigger: of those it has heard of, and of the others. */
const READS_AT_ONCE = 20;

/** How many unknown runs one trigger may ask the service for in a row, and after how long for one more, in milliseconds. */
const UNKNOWN = { inARow: 60, oneMoreAfterMs: 50 };

/** How often one run may be read in a row, and after how long once more, in milliseconds. */
const SAME = { inARow: 10, oneMoreAfterMs: 1_000 };

/** Of how many runs it is counted how often they are read, and for how long after the last time, in milliseconds. */
const MAX_COUNTED = 1_000;
const COUNTED_FOR_MS = 60_000;

/** Takes one as soon as there is one. */
async function takeFrom(bucket: TokenBucket, signal: AbortSignal): Promise<void> {
	const waited = await attempt(pause(bucket.take(), signal));
	if (waited.ok) return;
	bucket.giveBack();
	throw waited.error;
}

/**
 * Bounds the reads that strangers can make one trigger send to the service from one process. A callback
 * waits for its read, in a line for runs that are known to be real and in another one for the rest:
 *
 * - A run that is known to be real is read so often in a row, and then once a second.
 * - Of the others so many may turn out to be unknown in a row, and then so many a second. Nobody can
 *   tell a forged callback from a real one without a read; but a read that finds its run counts for
 *   nothing in the end, so callbacks of the service itself hardly wait for that.
 */
export class ReadLimiter {
	private readonly real = new Semaphore(READS_AT_ONCE);
	private readonly others = new Semaphore(READS_AT_ONCE);
	private readonly unknown = new TokenBucket(UNKNOWN);
	private readonly counted = new TtlCache<TokenBucket>(MAX_COUNTED);

	/**
	 * Reads a run when its turn comes.
	 *
	 * @param isReal whether it is known already that there is such a run
	 * @param signal when it is too late
	 * @param work gives undefined when the service knows no such run
	 * @throws what the work throws, the signal's reason, or CanceledError when it is too late
	 */
	async read<T>(
		taskId: string,
		isReal: boolean,
		signal: AbortSignal,
		work: () => Promise<T | undefined>,
	): Promise<T | undefined> {
		if (isReal) {
			const until = Date.now() + COUNTED_FOR_MS;
			const bucket = this.counted.getOrMake(taskId, () => new TokenBucket(SAME), until);
			await takeFrom(bucket, signal);
			return await this.real.inTurn(signal, async () => await withSignal(signal, work()));
		}
		return await this.others.inTurn(signal, async () => {
			await takeFrom(this.unknown, signal);
			const value = await withSignal(signal, work());
			if (value !== undefined) this.unknown.giveBack();
			return value;
		});
	}
}
