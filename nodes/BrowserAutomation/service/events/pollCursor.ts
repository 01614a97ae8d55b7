import { isJsonObject, type JsonObject } from '../json/json';
import { isTerminal, toRunStatus, type RunStatus } from '../runs/runStatus';

/**
 * How far back new runs are looked for again, in milliseconds by the service's clock: runs of the
 * same second, and runs that the list shows late.
 */
const OVERLAP_MS = 60_000;

/** How many runs still going on are remembered. */
export const MOST_OPEN = 1_000;

/** How many runs within the overlap are known by name, and how many of the minutes before it. */
const MOST_RECENT = 2_000;
const MOST_EARLIER = 500;

/** For how long runs are known by name: so far the service's clock may be put back, in milliseconds. */
const KNOWN_MS = 10 * 60_000;

/** How far a run may be dated ahead of the service's present, in milliseconds. */
const AHEAD_MS = 5_000;

/** The latest moment that a date can hold, in milliseconds since 1970. */
const LAST_MOMENT = 8.64e15;

/** In place of the status of a run that could not be read yet. */
const UNREAD = 'unread';

/**
 * Where a poll of the list of runs goes on: up to when the list was read, which runs of the last
 * minutes are known, and those dated ahead of the present, and which runs are still open, because they are still going on or could not be
 * read. It is small, whatever the list holds. Moments are milliseconds since 1970, by the service's
 * clock.
 */
export class PollCursor {
	/** From then on all runs are known by name; before this nothing is looked for any more. */
	private floor: number;
	/** When the runs of the overlap were created, by task ID. */
	private recent = new Map<string, number>();
	/** The last known status of the open runs, by task ID, longest unasked first. */
	private open = new Map<string, RunStatus | typeof UNREAD>();

	/**
	 * @param botId the bot whose runs are polled; undefined for all
	 * @param newest when the newest run was created that was seen
	 */
	constructor(
		readonly botId: string | undefined,
		private newest: number,
	) {
		this.floor = newest - KNOWN_MS;
	}

	/** From when on the list is to be read. */
	get from(): number {
		return Math.max(this.newest - OVERLAP_MS, this.floor);
	}

	/** From when on the runs of a first look are known by name. */
	get knownFrom(): number {
		return this.floor;
	}

	/** Nothing created before this is looked for. */
	forgetBefore(moment: number): void {
		this.forgetEarlier(moment);
	}

	/**
	 * Moves forward to a moment, but not past the service's present; back as far as all runs are known by name, where the
	 * service's clock was put back. Forgets the runs that lie too far behind.
	 *
	 * @param present the service's, undefined where that is not known
	 * @returns whether it moved back
	 */
	advance(to: number, present = Infinity): boolean {
		const latest = present + AHEAD_MS;
		const isPutBack = this.newest > latest;
		if (isPutBack) this.newest = this.floor + OVERLAP_MS;
		else this.newest = Math.max(this.newest, Math.min(to, latest));
		this.forgetEarlier(this.newest - KNOWN_MS);
		const newestFirst = [...this.recent.values()].sort((a, b) => b - a);
		const past = newestFirst.filter((createdAt) => createdAt <= this.newest);
		const inOverlap = past.filter((createdAt) => createdAt >= this.from).length;
		const surplus = past[Math.min(MOST_RECENT, Math.max(inOverlap, MOST_EARLIER))];
		if (surplus !== undefined) this.forgetEarlier(surplus + 1);
		return isPutBack;
	}

	/** Forgets runs from before a moment: so nothing before it is looked for any more. */
	private forgetEarlier(moment: number): void {
		this.floor = Math.max(this.floor, moment);
		for (const [taskId, createdAt] of this.recent) {
			if (createdAt < moment) this.recent.delete(taskId);
		}
	}

	/** The last known status of an open run; undefined when it could not be read yet. */
	statusOf(taskId: string): RunStatus | undefined {
		const status = this.open.get(taskId);
		return status === UNREAD ? undefined : status;
	}

	/** Whether a status of a run is not known yet. Runs that have ended bring no news. */
	isNews(taskId: string, status: RunStatus): boolean {
		const before = this.open.get(taskId);
		return before === undefined ? !this.recent.has(taskId) : before !== status;
	}

	/** Takes note of a run's status. The creation counts when the run is first heard of. */
	note(taskId: string, status: RunStatus, createdAt: number): void {
		this.noteCreation(taskId, createdAt);
		if (isTerminal(status)) this.open.delete(taskId);
		else this.putLast(taskId, status);
	}

	/** Takes note that a run is still to be read, whatever was known of it before. */
	keepOpen(taskId: string, createdAt: number): void {
		this.noteCreation(taskId, createdAt);
		this.putLast(taskId, this.open.get(taskId) ?? UNREAD);
	}

	/** Takes note that a run is gone. */
	forget(taskId: string): void {
		this.open.delete(taskId);
	}

	/** The open runs, longest unasked first. */
	openTaskIds(): string[] {
		return [...this.open.keys()];
	}

	copy(): PollCursor {
		return PollCursor.read(this.write()) ?? new PollCursor(this.botId, this.newest);
	}

	/** The cursor as JSON, to be kept outside. */
	write(): JsonObject {
		return {
			botId: this.botId ?? null,
			newest: this.newest,
			floor: this.floor,
			recent: [...this.recent].map(([taskId, createdAt]) => `${createdAt} ${taskId}`),
			open: [...this.open].map(([taskId, status]) => `${status} ${taskId}`),
		};
	}

	/** Reads what `write` gave; undefined when it is something else. */
	static read(kept: unknown): PollCursor | undefined {
		if (!isJsonObject(kept)) return undefined;
		const { newest } = kept;
		if (!isMoment(newest)) return undefined;
		const botId = typeof kept.botId === 'string' ? kept.botId : undefined;
		const cursor = new PollCursor(botId, newest);
		if (isMoment(kept.floor)) cursor.floor = kept.floor;
		for (const [createdAt, taskId] of pairsIn(kept.recent)) {
			if (isMoment(Number(createdAt))) cursor.recent.set(taskId, Number(createdAt));
		}
		for (const [status, taskId] of pairsIn(kept.open)) {
			cursor.open.set(taskId, status === UNREAD ? UNREAD : toRunStatus(status));
		}
		return cursor;
	}

	private noteCreation(taskId: string, createdAt: number): void {
		if (createdAt >= this.floor && !this.recent.has(taskId)) this.recent.set(taskId, createdAt);
	}

	private putLast(taskId: string, status: RunStatus | typeof UNREAD): void {
		this.open.delete(taskId);
		this.open.set(taskId, status);
		for (const oldest of this.open.keys()) {
			if (this.open.size <= MOST_OPEN) break;
			this.open.delete(oldest);
		}
	}
}

function isMoment(value: unknown): value is number {
	return typeof value === 'number' && Math.abs(value) <= LAST_MOMENT;
}

/** Texts of two words each: the first one, and the rest. */
function pairsIn(value: unknown): Array<[string, string]> {
	const texts: unknown[] = Array.isArray(value) ? value : [];
	return texts.flatMap((text): Array<[string, string]> => {
		if (typeof text !== 'string') return [];
		const space = text.indexOf(' ');
		return space < 0 ? [] : [[text.slice(0, space), text.slice(space + 1)]];
	});
}
