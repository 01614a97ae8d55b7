/** So many may be taken in a row, and one more after each pause. Times are in milliseconds, moments since 1970. */
export class TokenBucket {
	/** When all that was taken is there again. */
	private fullAt = 0;
	private seenAt = 0;

	constructor(private readonly terms: { inARow: number; oneMoreAfterMs: number }) {}

	/** When one can be taken. */
	readyAt(): number {
		this.checkClock();
		const { inARow, oneMoreAfterMs } = this.terms;
		return this.fullAt - (inARow - 1) * oneMoreAfterMs;
	}

	/** Takes one, also where none is there: it is owed then. @returns how long until it is there */
	take(): number {
		const now = this.checkClock();
		const { inARow, oneMoreAfterMs } = this.terms;
		this.fullAt = Math.max(this.fullAt, now) + oneMoreAfterMs;
		return this.fullAt - inARow * oneMoreAfterMs - now;
	}

	giveBack(): void {
		this.fullAt -= this.terms.oneMoreAfterMs;
	}

	/** Fills it up where the machine's clock was put back. @returns the present moment */
	private checkClock(): number {
		const now = Date.now();
		if (now < this.seenAt) this.fullAt = 0;
		this.seenAt = now;
		return now;
	}
}
