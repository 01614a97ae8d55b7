import { withSignal } from '../transport/cancellation';
import { Semaphore } from '../transport/semaphore';

/** How many runs are read at once for one trigger. Callbacks about others wait. */
const READS_AT_ONCE = 20;

/** How many callbacks of one trigger may wait for that. */
const MOST_WAITING = 1_000;

/** How many unknown runs one trigger may ask the service for in a row. */
const UNKNOWN_IN_A_ROW = 60;

/** After how long it may ask for one more, in milliseconds. */
const ONE_MORE_AFTER_MS = 1_000;

/** A read that is not made now. */
export interface ReadRefusal {
	/** When to come again. */
	retryAfterMs: number;
	/** Whether it is the first one since all was well. */
	isFirst: boolean;
}

/** What came of a read: its value, undefined for an unknown run; or why it was not made. */
export type LimitedRead<T> = { value: T | undefined } | ReadRefusal;

/**
 * Bounds the reads that strangers can make one trigger send to the service by naming runs that do
 * not exist, each time another one. Two bounds, for one process:
 *
 * - So many reads at once. What comes beyond that waits in a line, so that a thousand runs that
 *   really end at the same moment are all told.
 * - A token bucket of unknown runs. Only a read that finds no run takes a token, so callbacks of the
 *   service itself never use them up. While there are none, nobody can tell a forged callback from a
 *   real one without a read, so both are to come again later; but runs that are known to be real are
 *   read all the same.
 */
export class ReadLimiter {
	private readonly reads = new Semaphore(READS_AT_ONCE);
	private tokens = UNKNOWN_IN_A_ROW;
	private filledAt = Date.now();
	private isRefusing = false;

	/**
	 * Reads a run when its turn comes.
	 *
	 * @param isReal whether it is known already that there is such a run
	 * @param signal when it is too late
	 * @param work gives undefined when the service knows no such run
	 * @throws what the work throws, or the signal's reason
	 */
	async read<T>(
		isReal: boolean,
		signal: AbortSignal,
		work: () => Promise<T | undefined>,
	): Promise<LimitedRead<T>> {
		if (this.reads.waiting >= MOST_WAITING || !this.mayAsk(isReal)) return this.refusal();
		return await this.reads.inTurn(signal, async () => {
			// Those before it may have used up the tokens meanwhile.
			if (!this.mayAsk(isReal)) return this.refusal();
			const value = await withSignal(signal, work());
			if (value === undefined) this.tokens -= 1;
			return { value };
		});
	}

	private mayAsk(isReal: boolean): boolean {
		const filled = Math.floor((Date.now() - this.filledAt) / ONE_MORE_AFTER_MS);
		this.tokens = Math.min(UNKNOWN_IN_A_ROW, this.tokens + filled);
		this.filledAt += filled * ONE_MORE_AFTER_MS;
		if (this.tokens === UNKNOWN_IN_A_ROW) this.isRefusing = false;
		return isReal || this.tokens > 0;
	}

	/** Reads that were under way together may all have found nothing, so tokens may be owed. */
	private refusal(): ReadRefusal {
		const isFirst = !this.isRefusing;
		this.isRefusing = true;
		return { retryAfterMs: Math.max(1, 1 - this.tokens) * ONE_MORE_AFTER_MS, isFirst };
	}
}
