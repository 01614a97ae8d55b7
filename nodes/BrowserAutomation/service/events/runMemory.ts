import {
	isTerminal,
	type RunApi,
	type RunStatus,
	toRunStatus,
	V2_TASKS,
	V3_RUNS,
} from '../runs/runApi';

/** What is kept in place of the status of a run that is still to be read. */
const UNREAD = 'unread';

interface Known {
	/** Undefined when it was heard of and is still to be read. */
	status: RunStatus | undefined;
	/** In milliseconds since 1970 by the service's clock; 0 where nobody told. */
	createdAt: number;
	/** Which of the service's APIs told of it. */
	api: RunApi;
	/** How often its status has changed: of what two processes know of a run, more is newer. */
	changes: number;
}

/**
 * Remembers in which status each run was last told of, so that no change is told twice, and which runs
 * have not ended. Where too many are open, the one noted longest ago is not looked at any more; where there
 * are too many others, it is forgotten.
 */
export class RunMemory {
	/** The runs to be looked at, by task ID; the one noted longest ago is first. */
	private readonly open = new Map<string, Known>();
	/** The others, in the same order. */
	private readonly known = new Map<string, Known>();

	/** @param max how many runs are remembered: those that are still looked at, of these the ones never read, and the others */
	constructor(private readonly max: { open: number; unread?: number; known: number }) {}

	/** Whether anything was heard of the run. */
	knows(taskId: string): boolean {
		return this.find(taskId) !== undefined;
	}

	/** The status in which a run was told of; undefined when it was not. */
	statusOf(taskId: string): RunStatus | undefined {
		return this.find(taskId)?.status;
	}

	/** By which API a run is to be read. */
	apiOf(taskId: string): RunApi {
		return this.find(taskId)?.api ?? V3_RUNS;
	}

	/** Whether a run was not told of in this status yet. Runs that have ended bring no news. */
	hasChanged(taskId: string, status: RunStatus): boolean {
		const reported = this.statusOf(taskId);
		return reported === undefined || (reported !== status && !isTerminal(reported));
	}

	/**
	 * Records the status in which a run was reported, or that it is still to be read, whatever was reported
	 * before. The first creation that is known counts.
	 */
	record(
		taskId: string,
		status: RunStatus | undefined,
		createdAt = 0,
		api = V3_RUNS,
		changes?: number,
	): void {
		const before = this.find(taskId);
		const reported = status ?? before?.status;
		this.forget(taskId);
		const runs = reported !== undefined && isTerminal(reported) ? this.known : this.open;
		const isChange = before === undefined || reported !== before.status;
		runs.set(taskId, {
			status: reported,
			createdAt: before?.createdAt || createdAt,
			api,
			changes: changes ?? (before?.changes ?? 0) + Number(isChange),
		});
		const unread = reported === undefined ? this.unreadTaskIds() : [];
		const [oldestUnread = taskId] = unread;
		if (unread.length > (this.max.unread ?? Infinity)) this.open.delete(oldestUnread);
		const [oldestOpen = taskId] = this.open.keys();
		if (this.open.size > this.max.open) this.leave(oldestOpen);
		const [oldestKnown = taskId] = this.known.keys();
		if (this.known.size > this.max.known) this.known.delete(oldestKnown);
	}

	/**
	 * A run of which something was heard that could not be read is to be looked at.
	 *
	 * @returns whether it was not before
	 */
	addUnread(taskId: string, api: RunApi): boolean {
		if (this.open.has(taskId)) return false;
		this.record(taskId, undefined, 0, api);
		return this.open.has(taskId);
	}

	/** Forgets all about a run. */
	forget(taskId: string): void {
		this.open.delete(taskId);
		this.known.delete(taskId);
	}

	/**
	 * A run is not to be looked at any more. What was told of it, if anything, stays known.
	 *
	 * @returns whether it was to be
	 */
	leave(taskId: string): boolean {
		const left = this.open.get(taskId);
		if (left?.status !== undefined) this.known.set(taskId, left);
		return this.open.delete(taskId);
	}

	/** Forgets the runs from before a moment, but for those to be looked at. */
	forgetBefore(moment: number): void {
		for (const [taskId, { createdAt }] of this.known) {
			if (createdAt < moment) this.known.delete(taskId);
		}
	}

	/** The IDs of the runs to be looked at, longest unheard of first. */
	openTaskIds(): string[] {
		return [...this.open.keys()];
	}

	/** When the runs were created, the newest first. */
	creations(): number[] {
		const all = [...this.open.values(), ...this.known.values()];
		return all.map(({ createdAt }) => createdAt).sort((a, b) => b - a);
	}

	/** The latest runs of each kind as short texts, to be kept outside. */
	write(max = Infinity): string[] {
		return [this.known, this.open].flatMap((runs) =>
			[...runs].slice(-max).map(([taskId, { status, createdAt, api, changes }]) => {
				return `${status ?? UNREAD}${api === V2_TASKS ? ' v2' : ''} ${changes} ${createdAt} ${taskId}`;
			}),
		);
	}

	/**
	 * Adds what was kept outside, by this process or another. What is known of a run here already stays,
	 * unless the run has ended there, or has changed more often.
	 */
	add(kept: unknown): void {
		const texts: unknown[] = Array.isArray(kept) ? kept : [];
		for (const text of texts) {
			const read = /^(\w+)( v2)? (\d+) (-?\d+) (.+)$/s.exec(String(text));
			const [, word, isTask, changes, createdAt, taskId] = read ?? [];
			if (taskId === undefined) continue;
			const status = word === UNREAD ? undefined : toRunStatus(word);
			if (status === 'unknown' && word !== status) continue;
			const here = this.find(taskId);
			const isLater =
				status !== undefined &&
				this.hasChanged(taskId, status) &&
				(isTerminal(status) || Number(changes) > (here?.changes ?? 0));
			if (here !== undefined && !isLater) continue;
			this.record(taskId, status, Number(createdAt), isTask ? V2_TASKS : V3_RUNS, Number(changes));
		}
	}

	private unreadTaskIds(): string[] {
		return this.openTaskIds().filter((taskId) => this.statusOf(taskId) === undefined);
	}

	private find(taskId: string): Known | undefined {
		return this.open.get(taskId) ?? this.known.get(taskId);
	}
}
