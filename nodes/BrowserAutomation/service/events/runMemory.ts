import {
	isTerminal,
	type RunApi,
	type RunStatus,
	toRunStatus,
	V2_TASKS,
	V3_RUNS,
} from '../runs/runApi';

/** Stored in place of the status of a run that is still to be read. */
const UNREAD = 'unread';

interface Known {
	/** The status last reported. Undefined for a run that is still to be read. */
	status: RunStatus | undefined;
	/** In milliseconds since 1970 by the service's clock; 0 where it is not known. */
	createdAt: number;
	/** Which of the service's APIs shows it. */
	api: RunApi;
	/** How often its status has changed. Where two processes know a run, the larger number is newer. */
	changes: number;
}

/**
 * Remembers the status last reported of each run, so that no change is reported twice, and which runs are open, i.e. are still
 * to be checked. Above its limits it stops checking the oldest open run, and forgets the oldest of the others.
 */
export class RunMemory {
	/** The open runs by task ID. The one recorded longest ago is first. */
	private readonly open = new Map<string, Known>();
	/** The others, in the same order. */
	private readonly known = new Map<string, Known>();

	/** @param max how many runs are remembered: open ones, open ones that were never read, and others */
	constructor(private readonly max: { open: number; unread?: number; known: number }) {}

	/** Whether the run is known, read or not. */
	knows(taskId: string): boolean {
		return this.find(taskId) !== undefined;
	}

	/** The status last reported of a run. Undefined where none was. */
	statusOf(taskId: string): RunStatus | undefined {
		return this.find(taskId)?.status;
	}

	apiOf(taskId: string): RunApi {
		return this.find(taskId)?.api ?? V3_RUNS;
	}

	/** Whether a run that is said to have this status may have one that is to be reported: of one that says nothing, until it has ended. */
	mayHaveChanged(taskId: string, status: RunStatus): boolean {
		const isOver = isTerminal(this.statusOf(taskId) ?? 'unknown');
		return status === 'unknown' ? !isOver : this.hasChanged(taskId, status);
	}

	/** Whether this status is to be reported. Of a run that has ended, nothing is. */
	hasChanged(taskId: string, status: RunStatus): boolean {
		const reported = this.statusOf(taskId);
		return reported === undefined || (reported !== status && !isTerminal(reported));
	}

	/** Records the status that was reported of a run; without one, that the run is still to be read. The first `createdAt` but 0 stays. */
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
		if (this.open.size > this.max.open) this.stopChecking(oldestOpen);
		const [oldestKnown = taskId] = this.known.keys();
		if (this.known.size > this.max.known) this.known.delete(oldestKnown);
	}

	/** Records that a run is to be checked which could not be read. @returns whether it was not open before */
	addUnread(taskId: string, api: RunApi): boolean {
		if (this.open.has(taskId)) return false;
		this.record(taskId, undefined, 0, api);
		return this.open.has(taskId);
	}

	forget(taskId: string): void {
		this.open.delete(taskId);
		this.known.delete(taskId);
	}

	/** Stops checking a run. Its reported status, if any, stays known. @returns whether it was open */
	stopChecking(taskId: string): boolean {
		const left = this.open.get(taskId);
		if (left?.status !== undefined) this.known.set(taskId, left);
		return this.open.delete(taskId);
	}

	/** Forgets the runs from before a moment, except the open ones. */
	forgetBefore(moment: number): void {
		for (const [taskId, { createdAt }] of this.known) {
			if (createdAt < moment) this.known.delete(taskId);
		}
	}

	/** The IDs of the open runs, the one recorded longest ago first. */
	taskIdsToCheck(): string[] {
		return [...this.open.keys()];
	}

	/** When the runs were created, the newest first. */
	creations(): number[] {
		const all = [...this.open.values(), ...this.known.values()];
		return all.map(({ createdAt }) => createdAt).sort((a, b) => b - a);
	}

	/** The latest runs of each kind as short texts, to be stored. */
	write(max = Infinity): string[] {
		return [this.known, this.open].flatMap((runs) =>
			[...runs].slice(-max).map(([taskId, { status, createdAt, api, changes }]) => {
				return `${status ?? UNREAD}${api === V2_TASKS ? ' v2' : ''} ${changes} ${createdAt} ${taskId}`;
			}),
		);
	}

	/** Adds what `write` gave in any process. A run known here stays as it is, unless it ended there or changed more often. */
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
		return this.taskIdsToCheck().filter((taskId) => this.statusOf(taskId) === undefined);
	}

	private find(taskId: string): Known | undefined {
		return this.open.get(taskId) ?? this.known.get(taskId);
	}
}
