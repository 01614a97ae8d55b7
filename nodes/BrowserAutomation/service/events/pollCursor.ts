import { isJsonObject, type JsonObject } from '../json/json';
import { RunMemory } from './runMemory';

/**
 * How far back new runs are looked for again, in milliseconds by the service's clock: runs of the
 * same second, and runs that the list shows late.
 */
const OVERLAP_MS = 60_000;

/** How many runs still going on are remembered. */
export const MAX_OPEN = 1_000;

/** How many runs within the overlap are known by name, and how many of the minutes before it. */
const MAX_RECENT = 2_000;
const MAX_EARLIER = 400;

/** For how long runs are known by name: so far the service's clock may be put back, in milliseconds. */
const KNOWN_MS = 10 * 60_000;

/** How far a run may be dated ahead of the service's present, in milliseconds. */
const AHEAD_MS = 5_000;

/**
 * Where a poll of the list of runs goes on: up to when the list was read, and which runs are known by name,
 * or are open, because they are still going on or could not be read. It is small, whatever the list holds.
 * Moments are milliseconds since 1970, by the service's clock.
 */
export class PollCursor {
	/** From then on all runs are known by name; before this nothing is looked for any more. */
	knownFrom: number;
	/** Those of the last minutes, those dated ahead of the present, and the open ones. */
	readonly runs = new RunMemory({ open: MAX_OPEN, known: Infinity });

	/**
	 * @param botId the bot whose runs are polled; undefined for all
	 * @param newest when the newest run was created that was seen
	 */
	constructor(
		readonly botId: string | undefined,
		private newest: number,
	) {
		this.knownFrom = newest - KNOWN_MS;
	}

	/** From when on the list is to be read. */
	get from(): number {
		return Math.max(this.newest - OVERLAP_MS, this.knownFrom);
	}

	/** Nothing created before this is looked for any more: runs from before it are forgotten. */
	forgetBefore(moment: number): void {
		this.knownFrom = Math.max(this.knownFrom, moment);
		this.runs.forgetBefore(moment);
	}

	/**
	 * Moves forward to a moment, but not past the service's present; back as far as all runs are known by name, where the
	 * service's clock was put back. Forgets the runs that lie too far behind.
	 *
	 * @param present the service's, undefined where that is not known
	 * @returns whether it moved back
	 */
	advance(to: number, present = Infinity): boolean {
		const before = this.newest;
		const latest = present + AHEAD_MS;
		if (before > latest) this.newest = this.knownFrom;
		else this.newest = Math.max(before, Math.min(to, latest));
		this.forgetBefore(this.newest - KNOWN_MS);
		const past = this.runs.creations().filter((createdAt) => createdAt <= this.newest);
		const inOverlap = past.filter((createdAt) => createdAt >= this.from).length;
		const surplus = past[Math.min(MAX_RECENT, Math.max(inOverlap, MAX_EARLIER))];
		if (surplus !== undefined) this.forgetBefore(surplus + 1);
		return this.newest < before;
	}

	/** The cursor as JSON, to be kept outside. */
	write(): JsonObject {
		const { botId = null, newest, knownFrom } = this;
		return { botId, newest, knownFrom, runs: this.runs.write() };
	}

	/** Reads what `write` gave; undefined when it is something else. */
	static read(kept: unknown): PollCursor | undefined {
		if (!isJsonObject(kept) || !isMoment(kept.newest)) return undefined;
		const botId = typeof kept.botId === 'string' ? kept.botId : undefined;
		const cursor = new PollCursor(botId, kept.newest);
		if (isMoment(kept.knownFrom)) cursor.knownFrom = kept.knownFrom;
		cursor.runs.add(kept.runs);
		return cursor;
	}
}

/** Whether it is a moment that a date can hold, in milliseconds since 1970. */
function isMoment(value: unknown): value is number {
	return typeof value === 'number' && Math.abs(value) <= 8.64e15;
}
