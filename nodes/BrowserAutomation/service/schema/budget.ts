import { isJsonObject, type JsonValue } from '../json/json';

/** A schema asks for more work than it may cause. */
export class TooMuchWork extends Error {}

/** How much work a schema may cause in one go, in steps of some microseconds at most. */
const MOST_STEPS = 40_000;

/** How many elements of a list are gone through in about the time of one step, and characters. */
const ELEMENTS_A_STEP = 10;
const CHARACTERS_A_STEP = 100;

/** The work that a schema may cause: whoever wrote it must not keep n8n busy with it. */
export class Budget {
	constructor(private left = MOST_STEPS) {}

	/**
	 * Counts a look at values, and at the parts of each.
	 *
	 * @throws TooMuchWork when that is more than is left
	 */
	look(values: JsonValue[]): void {
		for (const value of values) {
			this.left -= 1 + stepsThrough(value);
			if (this.left < 0) throw new TooMuchWork('The schema causes too much work');
		}
	}

	/** What some work gives; undefined when it is given up as too much. */
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

function stepsThrough(value: JsonValue): number {
	if (typeof value === 'string') return value.length / CHARACTERS_A_STEP;
	if (Array.isArray(value)) return value.length / ELEMENTS_A_STEP;
	return isJsonObject(value) ? Object.keys(value).length : 0;
}
