import type { Automation, Failure } from './automations/automation';
import type { JsonObject } from './json';

export const RUN_STATUSES = [
	'created',
	'running',
	'finished',
	'canceled',
	'pausing',
	'paused',
	'failed',
] as const;

export type RunStatus = (typeof RUN_STATUSES)[number];

export function isRunStatus(value: unknown): value is RunStatus {
	return RUN_STATUSES.some((status) => status === value);
}

export function isTerminal(status: RunStatus): boolean {
	return status === 'finished' || status === 'canceled' || status === 'failed';
}

/** One run of a bot or template; V2 shows the same run as a task. Times are epoch milliseconds. */
export interface Run {
	readonly taskId: string;
	readonly automation: Automation;
	readonly company: string;
	/** The API key that started it. */
	readonly key: string;
	readonly input: JsonObject;
	readonly createdAt: number;
	readonly profileId: string;
	readonly proxyRegion: string | undefined;
	readonly callbackUrl: string | undefined;
	readonly statusCallbackUrl: string | undefined;
	/** Runs through its states without delay. */
	readonly hurried: boolean;
	status: RunStatus;
	updatedAt: number;
	startedAt: number | undefined;
	finishedAt: number | undefined;
	failure: Failure | undefined;
	/** Whether it has been resumed, or is about to be. */
	resumed: boolean;
	/** The business code of its cancellation. */
	bizCode: number | undefined;
	/** V2 reports the status `unknown`. */
	unknownInV2: boolean;
}

export type NewRun = Omit<
	Run,
	| 'taskId'
	| 'profileId'
	| 'status'
	| 'updatedAt'
	| 'startedAt'
	| 'finishedAt'
	| 'failure'
	| 'resumed'
	| 'bizCode'
	| 'unknownInV2'
> & { readonly profileId: string | undefined };

/** Beyond the whole numbers that a JavaScript number can hold, like the IDs of the service. */
const FIRST_TASK_ID = 9_100_000_000_000_000_001n;

/** All runs of the service. */
export class Runs {
	private nextId = FIRST_TASK_ID;
	private byId = new Map<string, Run>();
	private byCompany = new Map<string, Run[]>();
	private readonly unsorted = new Set<string>();

	reset(): void {
		this.byId = new Map();
		this.byCompany = new Map();
		this.unsorted.clear();
	}

	/** Adds a run in the state `created`. */
	add(newRun: NewRun): Run {
		const taskId = String(this.nextId);
		this.nextId += 1n;
		const run: Run = {
			...newRun,
			taskId,
			profileId: newRun.profileId ?? `profile-${taskId.slice(-6)}`,
			status: 'created',
			updatedAt: newRun.createdAt,
			startedAt: undefined,
			finishedAt: undefined,
			failure: undefined,
			resumed: false,
			bizCode: undefined,
			unknownInV2: false,
		};
		this.byId.set(taskId, run);
		const runs = this.byCompany.get(run.company) ?? [];
		const last = runs.at(-1);
		if (last && last.createdAt > run.createdAt) this.unsorted.add(run.company);
		runs.push(run);
		this.byCompany.set(run.company, runs);
		return run;
	}

	/** Forgets a run, as if there had never been one. */
	remove({ taskId, company }: Run): void {
		this.byId.delete(taskId);
		const runs = this.byCompany.get(company) ?? [];
		this.byCompany.set(
			company,
			runs.filter((run) => run.taskId !== taskId),
		);
	}

	find(taskId: string): Run | undefined {
		return this.byId.get(taskId);
	}

	/** Every run, in the order in which they were added. */
	all(): Run[] {
		return [...this.byId.values()];
	}

	/** The runs of a company that fit, newest first. */
	select(company: string, fits: (run: Run) => boolean): Run[] {
		const runs = this.byCompany.get(company) ?? [];
		if (this.unsorted.delete(company)) runs.sort((one, other) => one.createdAt - other.createdAt);
		return runs.filter(fits).reverse();
	}

	/** How many runs of a key take up a place of its plan. */
	countActive(key: string, company: string): number {
		const active = (run: Run): boolean =>
			run.key === key && !isTerminal(run.status) && run.status !== 'paused';
		return (this.byCompany.get(company) ?? []).filter(active).length;
	}
}
