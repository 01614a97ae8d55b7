import { isJsonObject, type JsonObject } from '../json/json';
import { RunMemory } from './runMemory';

/** How far before the newest run each poll begins, in milliseconds: it finds runs of the same second, and those that are listed late. */
const OVERLAP_MS = 60_000;

/** How many open runs are remembered. */
export const MAX_OPEN = 1_000;

/** How many runs within the overlap are known by ID. */
const MAX_RECENT = 2_000;

/** How far a run may be dated ahead of the service's time, in milliseconds. */
const AHEAD_MS = 5_000;

/**
 * Says where the next poll begins: until when the list of runs was read, which recent runs are known by ID, and which are open,
 * i.e. have not ended or could not be read. Its size is bounded. Moments are in milliseconds since 1970 by the service's clock.
 */
export class PollCursor {
	/** The moment from which the list is read. Since then all runs are known by ID. */
	from: number;
	/** The runs since then, those dated ahead, and the open ones. */
	readonly runs = new RunMemory({ open: MAX_OPEN, known: Infinity });

	/**
	 * @param botId the bot whose runs are polled; undefined for all
	 * @param newest when the newest known run was created
	 */
	constructor(
		readonly botId: string | undefined,
		private newest: number,
	) {
		this.from = newest - OVERLAP_MS;
	}

	/** Forgets the runs from before a moment. Nothing created before it is read any more. */
	forgetBefore(moment: number): void {
		this.from = Math.max(this.from, moment);
		this.runs.forgetBefore(moment);
	}

	/**
	 * Moves forward to a moment, but not past the service's time. Forgets runs that are too old.
	 *
	 * @param present the service's time; by default not known
	 */
	advance(to: number, present = Infinity): void {
		this.newest = Math.max(this.newest, Math.min(to, present + AHEAD_MS));
		this.forgetBefore(this.newest - OVERLAP_MS);
		const past = this.runs.creations().filter((createdAt) => createdAt <= this.newest);
		const surplus = past[MAX_RECENT];
		if (surplus !== undefined) this.forgetBefore(surplus + 1);
	}

	/** The cursor as JSON, to be stored. */
	write(): JsonObject {
		const { botId = null, newest, from } = this;
		return { botId, newest, from, runs: this.runs.write() };
	}

	/** Reads what `write` gave. Undefined where it is something else. */
	static read(kept: unknown): PollCursor | undefined {
		if (!isJsonObject(kept) || !isMoment(kept.newest)) return undefined;
		const botId = typeof kept.botId === 'string' ? kept.botId : undefined;
		const cursor = new PollCursor(botId, kept.newest);
		if (isMoment(kept.from)) cursor.from = kept.from;
		cursor.runs.add(kept.runs);
		return cursor;
	}
}

/** Whether a value is a moment that a date can hold, in milliseconds since 1970. */
function isMoment(value: unknown): value is number {
	return typeof value === 'number' && Math.abs(value) <= 8.64e15;
}
