import { isJsonObject, type JsonObject } from './json';
import { isTerminal, toRunStatus, type RunStatus } from './runStatus';

/**
 * How far back new runs are looked for again, in milliseconds by the service's clock: runs of the
 * same second, and runs that the list shows late.
 */
const OVERLAP_MS = 60_000;

/** How many runs still going on are watched. */
export const MOST_OPEN = 1_000;

/** How many runs within the overlap are known by name. */
const MOST_RECENT = 2_000;

/**
 * What a watch over the list of runs knows: up to when it has seen the list, which runs of the last
 * minute it knows, and which runs are still going on. It is small, whatever the list holds.
 * Moments are milliseconds since 1970, by the service's clock.
 */
export class PollCursor {
	/** The newest creation that was seen. */
	private mark = 0;
	/** Before this nothing is looked for any more. */
	private floor = 0;
	/** When the runs of the overlap were created, by task ID. */
	private recent = new Map<string, number>();
	/** The last known status of the runs still going on, by task ID, longest unasked first. */
	private open = new Map<string, RunStatus>();

	/** @param botId the bot whose runs are watched; undefined for all */
	constructor(readonly botId: string | undefined) {}

	/** From when on the list is to be read. */
	get from(): number {
		return Math.max(this.mark - OVERLAP_MS, this.floor);
	}

	setMark(mark: number): void {
		this.mark = mark;
	}

	/** Nothing created before this is looked for. */
	forgetBefore(moment: number): void {
		this.floor = moment;
	}

	/** Moves the mark forward, and forgets runs that lie before the overlap. */
	advance(mark: number): void {
		this.mark = Math.max(this.mark, mark);
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

	/** The last known status of a run that is still going on. */
	statusOf(taskId: string): RunStatus | undefined {
		return this.open.get(taskId);
	}

	/** Whether a status of a run is not known yet. Runs that have ended bring no news. */
	isNews(taskId: string, status: RunStatus): boolean {
		const before = this.open.get(taskId);
		return before === undefined ? !this.recent.has(taskId) : before !== status;
	}

	/** Takes note of a run's status. The creation counts when the run is first heard of. */
	note(taskId: string, status: RunStatus, createdAt: number): void {
		if (createdAt >= this.from && !this.recent.has(taskId)) this.recent.set(taskId, createdAt);
		this.open.delete(taskId);
		if (isTerminal(status)) return;
		this.open.set(taskId, status);
		for (const oldest of this.open.keys()) {
			if (this.open.size <= MOST_OPEN) break;
			this.open.delete(oldest);
		}
	}

	/** Takes note that a run is gone. */
	forget(taskId: string): void {
		this.open.delete(taskId);
	}

	/** The runs still going on, longest unasked first. */
	openTaskIds(): string[] {
		return [...this.open.keys()];
	}

	copy(): PollCursor {
		return PollCursor.read(this.write()) ?? new PollCursor(this.botId);
	}

	/** The state as JSON, to be kept outside. */
	write(): JsonObject {
		return {
			botId: this.botId ?? null,
			mark: this.mark,
			floor: this.floor,
			recent: [...this.recent].map(([taskId, createdAt]) => `${createdAt} ${taskId}`),
			open: [...this.open].map(([taskId, status]) => `${status} ${taskId}`),
		};
	}

	/** Reads what `write` gave; undefined when it is something else. */
	static read(kept: unknown): PollCursor | undefined {
		if (!isJsonObject(kept) || typeof kept.mark !== 'number') return undefined;
		const state = new PollCursor(typeof kept.botId === 'string' ? kept.botId : undefined);
		state.mark = kept.mark;
		state.floor = typeof kept.floor === 'number' ? kept.floor : 0;
		for (const [createdAt, taskId] of pairsIn(kept.recent)) {
			state.recent.set(taskId, Number(createdAt));
		}
		for (const [status, taskId] of pairsIn(kept.open)) state.open.set(taskId, toRunStatus(status));
		return state;
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
