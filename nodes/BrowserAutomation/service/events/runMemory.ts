import { isTerminal, RUN_STATUSES, type RunStatus } from '../runs/runStatus';

/** In place of the status of a run that was heard of and is still to be read. */
const UNREAD = 'unread';

const STATUSES: readonly RunStatus[] = [...RUN_STATUSES, 'unknown'];

interface Known {
	status: RunStatus | typeof UNREAD;
	/** In milliseconds since 1970 by the service's clock; 0 where nobody told. */
	createdAt: number;
}

/** How many runs are remembered: those that are still looked at, and the others. */
export interface MemorySize {
	open: number;
	known: number;
}

/**
 * Remembers in which status each run was last told of, so that no change is told twice, and which runs
 * have not ended. Of too many of these, the one noted longest ago is not looked at any more; of the others
 * it is forgotten.
 */
export class RunMemory {
	/** The runs to be looked at, by task ID; the one noted longest ago is first. */
	private readonly open = new Map<string, Known>();
	/** The others, in the same order. */
	private readonly known = new Map<string, Known>();

	constructor(private readonly most: MemorySize) {}

	/** Whether anything was heard of the run. */
	knows(taskId: string): boolean {
		return this.find(taskId) !== undefined;
	}

	/** The status in which a run was told of; undefined when it was not. */
	statusOf(taskId: string): RunStatus | undefined {
		const status = this.find(taskId)?.status;
		return status === UNREAD ? undefined : status;
	}

	/** Whether a run was not told of in this status yet. Runs that have ended bring no news. */
	isNews(taskId: string, status: RunStatus): boolean {
		const told = this.statusOf(taskId);
		return told === undefined || (told !== status && !isTerminal(told));
	}

	/**
	 * Takes note of the status in which a run is told of, or that it is still to be read, whatever was told
	 * of it before. The first creation that is known counts.
	 */
	note(taskId: string, status: RunStatus | undefined, createdAt = 0): void {
		const before = this.find(taskId);
		const first = before?.createdAt ?? 0;
		const told = status ?? before?.status ?? UNREAD;
		this.forget(taskId);
		const hasEnded = told !== UNREAD && isTerminal(told);
		const runs = hasEnded ? this.known : this.open;
		runs.set(taskId, { status: told, createdAt: first === 0 ? createdAt : first });
		const [longestOpen] = this.open;
		if (this.open.size > this.most.open && longestOpen !== undefined) {
			this.open.delete(longestOpen[0]);
			this.known.set(...longestOpen);
		}
		const [longestKnown] = this.known.keys();
		if (this.known.size > this.most.known && longestKnown !== undefined) {
			this.known.delete(longestKnown);
		}
	}

	/** Takes note that a run is gone. */
	forget(taskId: string): void {
		this.open.delete(taskId);
		this.known.delete(taskId);
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
	write(most = Infinity): string[] {
		const texts = (runs: ReadonlyMap<string, Known>): string[] =>
			[...runs]
				.slice(-most)
				.map(([taskId, { status, createdAt }]) => `${status} ${createdAt} ${taskId}`);
		return [...texts(this.known), ...texts(this.open)];
	}

	/**
	 * Adds what was kept outside, by this process or another. What is known of a run here already
	 * stays, unless the run has ended there.
	 */
	add(kept: unknown): void {
		const texts: unknown[] = Array.isArray(kept) ? kept : [];
		for (const text of texts) {
			const [, word, createdAt, taskId] = /^(\w+) (-?\d+) (.+)$/s.exec(String(text)) ?? [];
			if (word === undefined || taskId === undefined) continue;
			const status = STATUSES.find((known) => known === word);
			if (status === undefined && word !== UNREAD) continue;
			const hasEndedThere =
				status !== undefined && isTerminal(status) && this.isNews(taskId, status);
			if (!this.knows(taskId) || hasEndedThere) this.note(taskId, status, Number(createdAt));
		}
	}

	private find(taskId: string): Known | undefined {
		return this.open.get(taskId) ?? this.known.get(taskId);
	}
}
