/** A schema asks for more work than it may cause. */
class TooMuchWork extends Error {}

/** How deep schemas may lead into each other. */
const MOST_LEVELS = 250;

/** How much work a schema may cause in one go. It takes up to some hundredths of a second. */
const MOST_STEPS = 50_000;

/** Characters that are compared in about the time of one step. */
export const CHARACTERS_A_STEP = 64;

/**
 * The work that a schema may cause: whoever wrote it must not keep n8n busy with it. A step takes
 * some tenths of a microsecond.
 */
export class Budget {
	private level = 0;

	constructor(private left = MOST_STEPS) {}

	/** @throws TooMuchWork when the work is more than is left */
	spend(steps: number): void {
		this.left -= steps;
		if (this.left < 0) throw new TooMuchWork('The schema causes too much work');
	}

	/**
	 * Does some work that may call for the same again: schemas lead into each other.
	 *
	 * @throws TooMuchWork when that goes too deep
	 */
	descend<T>(work: () => T): T {
		if (this.level >= MOST_LEVELS) throw new TooMuchWork('The schema nests too deep');
		this.level++;
		try {
			return work();
		} finally {
			this.level--;
		}
	}

	/** What some work gives; undefined when it is given up, as too much or too deep. */
	tryTo<T>(work: () => T): T | undefined {
		let failure: unknown;
		try {
			return work();
		} catch (error) {
			failure = error;
		}
		if (failure instanceof TooMuchWork) return undefined;
		throw failure;
	}
}
