/** How many of the latest runs are remembered. */
const MAX_REMEMBERED = 100;

/** Bounds of the pause between two polls, in milliseconds. The upper one counts where a bot has become quicker. */
const MIN_PAUSE_MS = 400;
const MAX_PAUSE_MS = 30_000;

/** The share of runs that end before the first poll. */
const ENDED_BEFORE = 0.1;

/** Up to this multiple of the longest time seen, polls stay close together. */
const STILL_USUAL = 1.25;

/**
 * How long the latest runs of one node took, and so when a poll may find that a run has ended. All times are in
 * milliseconds.
 */
export class RunTimes {
	private readonly latest: number[] = [];
	private sorted: number[] = [];
	private isCalled = false;

	/** @param isCalled whether a callback told of the end */
	record(took: number, isCalled: boolean): void {
		this.isCalled = isCalled;
		this.latest.push(Math.round(took));
		if (this.latest.length > MAX_REMEMBERED) this.latest.shift();
		this.sorted = [...this.latest].sort((a, b) => a - b);
	}

	/**
	 * The pause before the next poll of runs that matter when all of them have ended. Nothing is polled before the
	 * shortest time seen (of many runs, the slowest ends late), polls are close together up to the longest, and
	 * rare after it. Where callbacks come, polls begin after the longest.
	 *
	 * @param age since when the youngest of the runs goes on
	 * @param count how many runs there are
	 * @param usual the pause where nothing is known
	 */
	pause(age: number, count: number, usual: number): number {
		const { sorted } = this;
		const [shortest = 0] = sorted;
		const longest = sorted.at(-1);
		if (longest === undefined) return usual;
		const step = Math.max(MIN_PAUSE_MS, Math.min(Math.ceil((longest - shortest) / 8), usual));
		const place = Math.floor(sorted.length * ENDED_BEFORE ** (1 / count));
		const first = this.isCalled ? longest + step : (sorted[place] ?? longest);
		if (age < first) return Math.min(Math.max(first - age, MIN_PAUSE_MS), MAX_PAUSE_MS);
		return age < longest * STILL_USUAL ? step : usual;
	}
}
