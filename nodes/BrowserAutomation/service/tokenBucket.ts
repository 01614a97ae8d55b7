/** So many may be taken in a row, and one more after each pause. Times are in milliseconds, moments since 1970. */
export class TokenBucket {
	/** When all that was taken is there again. */
	private fullAt = 0;

	constructor(private readonly terms: { inARow: number; oneMoreAfterMs: number }) {}

	/** When one can be taken. @param kept how many are to stay for other uses */
	readyAt(kept = 0): number {
		const { inARow, oneMoreAfterMs } = this.terms;
		return this.fullAt - (inARow - 1 - kept) * oneMoreAfterMs;
	}

	/** Takes one, also where none is there: it is owed then. */
	take(): void {
		this.fullAt = Math.max(this.fullAt, Date.now()) + this.terms.oneMoreAfterMs;
	}

	/** Fills it up, e.g. as the machine's clock was put back. */
	fill(): void {
		this.fullAt = 0;
	}
}
