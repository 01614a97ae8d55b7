import { isJsonObject, type JsonObject } from './json';
import { isTerminal, toRunStatus, type RunStatus } from './runStatus';

/**
 * How far back new runs are looked for again, in milliseconds by the service's clock: runs of the
 * same second, and runs that the list shows late.
 */
const OVERLAP_MS = 60_000;

/** How many runs still going on are remembered. */
export const MOST_OPEN = 1_000;

/** How many runs within the overlap are known by name. */
const MOST_RECENT = 2_000;

/** In place of the status of a run that could not be read yet. */
const UNREAD = 'unread';

/**
 * Where a poll of the list of runs goes on: up to when the list was read, which runs of the last
 * minute are known, and which runs are still open, because they are still going on or could not be
 * read. It is small, whatever the list holds. Moments are milliseconds since 1970, by the service's
 * clock.
 */
export class PollCursor {
	/** Before this nothing is looked for any more. */
	private floor = 0;
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
	) {}

	/** From when on the list is to be read. */
	get from(): number {
		return Math.max(this.newest - OVERLAP_MS, this.floor);
	}

	/** Nothing created before this is looked for. */
	forgetBefore(moment: number): void {
		this.floor = moment;
	}

	/** Moves forward to a moment, and forgets runs that lie before the overlap. */
	advance(to: number): void {
		this.newest = Math.max(this.newest, to);
		for (const [taskId, createdAt] of this.recent) {
			if (createdAt < this.from) this.recent.delete(taskId);
		}
		const surplus = this.recent.size - MOST_RECENT;
		if (surplus <= 0) return;
		const oldestFirst = [...this.recent].sort(([, a], [, b]) => a - b);
		for (const [taskId, createdAt] of oldestFirst.slice(0, surplus)) {
			this.recent.delete(taskId);
			this.floor = Math.max(this.floor, createdAt + 1);
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
		if (typeof newest !== 'number') return undefined;
		const botId = typeof kept.botId === 'string' ? kept.botId : undefined;
		const cursor = new PollCursor(botId, newest);
		cursor.floor = typeof kept.floor === 'number' ? kept.floor : 0;
		for (const [createdAt, taskId] of pairsIn(kept.recent)) {
			cursor.recent.set(taskId, Number(createdAt));
		}
		for (const [status, taskId] of pairsIn(kept.open)) {
			cursor.open.set(taskId, status === UNREAD ? UNREAD : toRunStatus(status));
		}
		return cursor;
	}

	private noteCreation(taskId: string, createdAt: number): void {
		if (createdAt >= this.from && !this.recent.has(taskId)) this.recent.set(taskId, createdAt);
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

/** Texts of two words each: the first one, and the rest. */
function pairsIn(value: unknown): Array<[string, string]> {
	const texts: unknown[] = Array.isArray(value) ? value : [];
	return texts.flatMap((text): Array<[string, string]> => {
		if (typeof text !== 'string') return [];
		const space = text.indexOf(' ');
		return space < 0 ? [] : [[text.slice(0, space), text.slice(space + 1)]];
	});
}
