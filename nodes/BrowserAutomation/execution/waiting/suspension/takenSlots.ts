import type { Running, StatusAnswer } from '../../../service/runs/statuses';

/** Open runs by ID, with their last known statuses. */
export type OpenRuns = ReadonlyMap<string, StatusAnswer | undefined>;

/** How long after its start a run may be missing in the list of running runs, in milliseconds. */
const STARTING_MS = 2_000;

/**
 * Which runs of the account take slots of the plan: what the list of running runs said, and what this process has
 * started and seen end since. Moments are in milliseconds since 1970.
 */
export class TakenSlots {
	/** When each run that this process knows was started. */
	private own = new Map<string, number>();
	/** How many runs of others go on; undefined if the service does not say. */
	private others: number | undefined;

	/** How many runs go on; undefined if that is not known. */
	get count(): number | undefined {
		return this.others === undefined ? undefined : this.own.size + this.others;
	}

	/** Whether this process knows all runs that go on, so that it knows of their ends without the list. */
	get areAllOwn(): boolean {
		return this.others === 0;
	}

	/** Records runs that were started just now. */
	recordStarts(taskIds: string[], now: number): void {
		for (const taskId of taskIds) this.own.set(taskId, now);
	}

	/** Records runs that have ended. @returns how many of them went on until now */
	recordEnds(taskIds: string[]): number {
		return taskIds.filter((taskId) => this.own.delete(taskId)).length;
	}

	/**
	 * Records what the list of running runs says.
	 *
	 * @param open the open runs of suspended executions, with their last known statuses
	 */
	recordList({ count, taskIds }: Running, open: OpenRuns, now: number): void {
		const isListed = (taskId: string): boolean => count === undefined || taskIds.has(taskId);
		const kept = [...this.own].filter(
			([taskId, startedAt]) => isListed(taskId) || startedAt + STARTING_MS > now,
		);
		this.own = new Map(kept);
		// The list does not show runs that wait in status `created`.
		for (const [taskId, status] of open) {
			const isTaken = isListed(taskId) || status === 'created';
			if (isTaken && !this.own.has(taskId)) this.own.set(taskId, 0);
		}
		const listedOwn = [...taskIds].filter((taskId) => this.own.has(taskId)).length;
		this.others = count === undefined ? undefined : Math.max(0, count - listedOwn);
	}
}
