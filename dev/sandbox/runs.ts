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
export interface Run extends Beginning {
	readonly taskId: string;
	readonly profileId: string;
	status: RunStatus;
	updatedAt: number;
	startedAt?: number;
	finishedAt?: number;
	failure?: Failure;
	/** Whether it has been resumed, or is about to be. */
	resumed?: boolean;
	/** The business code of its cancellation. */
	bizCode?: number;
	/** V2 reports the status `unknown`. */
	unknownInV2?: boolean;
}

/** What a run has from its start on. */
interface Beginning {
	readonly automation: Automation;
	readonly company: string;
	/** The API key that started it. */
	readonly key: string;
	readonly input: JsonObject;
	readonly createdAt: number;
	readonly profileId?: string | undefined;
	readonly proxyRegion?: string | undefined;
	readonly callbackUrl?: string | undefined;
	readonly statusCallbackUrl?: string | undefined;
	/** Runs through its states without delay. */
	readonly hurried?: boolean;
}

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
	add(beginning: Beginning): Run {
		const taskId = String(this.nextId);
		this.nextId += 1n;
		const run: Run = {
			...beginning,
			taskId,
			profileId: beginning.profileId ?? `profile-${taskId.slice(-6)}`,
			status: 'created',
			updatedAt: beginning.createdAt,
		};
		this.byId.set(taskId, run);
		const runs = this.byCompany.get(run.company) ?? [];
		const last = runs.at(-1);
		if (last && last.createdAt > run.createdAt) this.unsorted.add(run.company);
		runs.push(run);
		this.byCompany.set(run.company, runs);
		return run;
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
