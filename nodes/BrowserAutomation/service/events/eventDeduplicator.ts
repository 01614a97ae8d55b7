import type { RunChange } from './runEvents';
import { isTerminal, RUN_STATUSES, type RunStatus } from '../runs/runStatus';

/** What is known of a run: its latest status, and the one before while nobody knows whether that change gets through. */
interface Known {
	status: RunStatus;
	underWay?: { before: RunStatus | undefined };
}

/**
 * Remembers in which status each run was last told of, so that no change is told twice. Of too many it
 * forgets those that have ended first, and of these the ones heard of longest ago. A change is
 * confirmed when it got through, or taken back; until then it is not written, so that it is not lost if
 * the process dies.
 */
export class EventDeduplicator {
	/** By task ID, in the order in which the runs were heard of. */
	private readonly runs = new Map<string, Known>();

	/** @param most how many runs are remembered */
	constructor(private readonly most: number) {}

	/** Whether anything was heard of the run. */
	knows(taskId: string): boolean {
		return this.runs.has(taskId);
	}

	/** Whether the run was told of in this status, or has ended. */
	hasEmitted(taskId: string, status: RunStatus): boolean {
		const known = this.runs.get(taskId);
		return known !== undefined && (known.status === status || isTerminal(known.status));
	}

	/**
	 * Takes note of a run's status, as the service has it, which is told now.
	 *
	 * @returns undefined when that is no change, or the run had ended before
	 */
	emit(taskId: string, status: RunStatus): RunChange | undefined {
		if (this.hasEmitted(taskId, status)) return undefined;
		const before = this.runs.get(taskId)?.status;
		this.put(taskId, { status, underWay: { before } });
		return { taskId, before, status };
	}

	/** Takes note that the change which `emit` returned got through. */
	confirm(taskId: string): void {
		const known = this.runs.get(taskId);
		if (known !== undefined) this.runs.set(taskId, { status: known.status });
	}

	/** Takes back the change that `emit` returned, because it did not get through. */
	takeBack(taskId: string): void {
		const underWay = this.runs.get(taskId)?.underWay;
		if (underWay === undefined) return;
		if (underWay.before === undefined) this.runs.delete(taskId);
		else this.runs.set(taskId, { status: underWay.before });
	}

	/** Takes note that a run is gone. */
	forget(taskId: string): void {
		this.runs.delete(taskId);
	}

	/** The runs that have not ended, as far as was told, with the status of each. */
	openRuns(): Map<string, RunStatus> {
		const open = [...this.runs].filter(([, { status }]) => !isTerminal(status));
		return new Map(open.map(([taskId, { status }]) => [taskId, status]));
	}

	/** The latest `most` runs that have ended, and as many that have not, as short texts to be kept outside. */
	write(most: number): string[] {
		const told = [...this.runs].flatMap(([taskId, { status, underWay }]) => {
			const known = underWay === undefined ? status : underWay.before;
			return known === undefined ? [] : [{ known, text: `${known} ${taskId}` }];
		});
		const open = told.filter(({ known }) => !isTerminal(known));
		const ended = told.filter(({ known }) => isTerminal(known));
		return [...ended.slice(-most), ...open.slice(-most)].map(({ text }) => text);
	}

	/**
	 * Adds what was kept outside, by this process or another. What is known of a run here already
	 * stays, unless the run has ended there.
	 */
	add(texts: readonly string[]): void {
		for (const text of texts) {
			const space = text.indexOf(' ');
			const status = readStatus(text.slice(0, space));
			const taskId = text.slice(space + 1);
			if (status === undefined || taskId === '') continue;
			const own = this.runs.get(taskId);
			if (own === undefined) this.put(taskId, { status });
			else if (isTerminal(status) && !isTerminal(own.status)) this.runs.set(taskId, { status });
		}
	}

	private put(taskId: string, known: Known): void {
		this.runs.delete(taskId);
		this.runs.set(taskId, known);
		if (this.runs.size <= this.most) return;
		const ended = [...this.runs].find(([, { status }]) => isTerminal(status));
		const [oldest] = ended ?? [...this.runs.keys()];
		if (oldest !== undefined) this.runs.delete(oldest);
	}
}

function readStatus(text: string): RunStatus | undefined {
	if (text === 'unknown') return text;
	return RUN_STATUSES.find((status) => status === text);
}
