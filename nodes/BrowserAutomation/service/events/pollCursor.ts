import { isJsonObject, type JsonObject } from '../json/json';
import { RunMemory } from './runMemory';

/** How far before the newest run each poll begins, in milliseconds: it finds runs of the same second, and those that are listed late. */
const OVERLAP_MS = 60_000;

/** How many open runs are remembered. */
export const MAX_OPEN = 1_000;

/** How many runs within the overlap are known by ID, and how many of the minutes before it. */
const MAX_RECENT = 2_000;
const MAX_EARLIER = 400;

/** For how long runs are known by ID, in milliseconds. The service's clock may be put back so far. */
const KNOWN_MS = 10 * 60_000;

/** How far a run may be dated ahead of the service's time, in milliseconds. */
const AHEAD_MS = 5_000;

/** Says where the next poll begins. Its size is bounded. Moments are in milliseconds since 1970 by the service's clock. */
export class PollCursor {
	/** Since then all runs are known by ID. Nothing created earlier is read. */
	knownFrom: number;
	/** Where the last part of the list ends that did not show all that it counts. */
	partialAt: number | undefined;
	/** The runs of the last minutes, those dated ahead, and the open ones. */
	readonly runs = new RunMemory({ open: MAX_OPEN, known: Infinity });

	/** @param newest when the newest known run was created */
	constructor(private newest: number) {
		this.knownFrom = newest - KNOWN_MS;
	}

	/** The moment from which the list is read. */
	get from(): number {
		return Math.max(this.newest - OVERLAP_MS, this.knownFrom);
	}

	/** Forgets the runs from before a moment. Nothing created before it is read any more. */
	forgetBefore(moment: number): void {
		this.knownFrom = Math.max(this.knownFrom, moment);
		this.runs.forgetBefore(moment);
	}

	/**
	 * Moves forward to a moment, but not past `present`, the service's time; back to `knownFrom` if the service's clock was put
	 * back. Forgets runs that are too old.
	 *
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

	/** The cursor as JSON, to be stored. */
	write(): JsonObject {
		const { newest, knownFrom, partialAt = null } = this;
		return { newest, knownFrom, partialAt, runs: this.runs.write() };
	}

	/** Reads what `write` gave. Undefined where it is something else. */
	static read(kept: unknown): PollCursor | undefined {
		if (!isJsonObject(kept) || !isMoment(kept.newest)) return undefined;
		const cursor = new PollCursor(kept.newest);
		if (isMoment(kept.knownFrom)) cursor.knownFrom = kept.knownFrom;
		if (isMoment(kept.partialAt)) cursor.partialAt = kept.partialAt;
		cursor.runs.add(kept.runs);
		return cursor;
	}
}

/** Whether a value is a moment that a date can hold, in milliseconds since 1970. */
function isMoment(value: unknown): value is number {
	return typeof value === 'number' && Math.abs(value) <= 8.64e15;
}
