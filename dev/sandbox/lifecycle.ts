import type { Failure } from './automations/automation';
import type { DurationSettings, Durations } from './durations';
import { isTerminal } from './runs';
import type { Run, RunStatus } from './runs';

interface NextState {
	readonly status: RunStatus;
	readonly after: keyof Durations;
}

/** Moves runs from state to state (docs/service.md: States and transitions). */
export class Lifecycle {
	private readonly timers = new Map<string, NodeJS.Timeout>();
	private readonly waiting = new Map<string, Array<() => void>>();

	constructor(
		private readonly durations: DurationSettings,
		private readonly onChange: (run: Run) => void,
	) {}

	/** Sets a created run in motion. */
	begin(run: Run): void {
		this.schedule(run, { status: 'running', after: 'created' });
	}

	/** Changes the status at once and goes on from there. Only runs that have not ended move. */
	move(run: Run, status: RunStatus, failure?: Failure): void {
		const now = Date.now();
		run.status = status;
		run.updatedAt = now;
		if (status !== 'created') run.startedAt ??= now;
		if (isTerminal(status)) run.finishedAt = now;
		if (status === 'failed') run.failure = failure ?? run.automation.failure ?? STOPPED;
		this.onChange(run);
		const next = nextState(run);
		if (next) this.schedule(run, next);
		else this.rest(run);
	}

	/** Asks a paused run to go on; it still says `paused` until it does. */
	resume(run: Run): void {
		run.resumed = true;
		this.schedule(run, { status: 'running', after: 'resuming' });
	}

	/** Resolves when the run has ended or is paused. */
	async untilRest(run: Run): Promise<void> {
		if (isTerminal(run.status) || run.status === 'paused') return;
		await new Promise<void>((resolve) => {
			const waiting = this.waiting.get(run.taskId) ?? [];
			this.waiting.set(run.taskId, [...waiting, resolve]);
		});
	}

	/** Leaves a run in the state that it is in. */
	rest(run: Run): void {
		clearTimeout(this.timers.get(run.taskId));
		this.timers.delete(run.taskId);
		this.waiting.get(run.taskId)?.forEach((resolve) => resolve());
		this.waiting.delete(run.taskId);
	}

	/** Stops all runs where they are. */
	stop(): void {
		for (const timer of this.timers.values()) clearTimeout(timer);
		this.timers.clear();
		for (const waiting of this.waiting.values()) waiting.forEach((resolve) => resolve());
		this.waiting.clear();
	}

	private schedule(run: Run, { status, after }: NextState): void {
		clearTimeout(this.timers.get(run.taskId));
		this.timers.delete(run.taskId);
		const duration = run.hurried ? 0 : this.durations.of(after);
		if (duration === null) return;
		const timer = setTimeout(() => {
			this.timers.delete(run.taskId);
			this.move(run, status);
		}, duration);
		this.timers.set(run.taskId, timer);
	}
}

const STOPPED: Failure = { code: 20001, message: 'The task ended with an error.' };

function nextState({ status, automation, resumed }: Run): NextState | undefined {
	if (status === 'created') return { status: 'running', after: 'created' };
	if (status === 'pausing') return { status: 'paused', after: 'pausing' };
	if (status !== 'running') return undefined;
	if (automation.pauses && !resumed) return { status: 'pausing', after: 'running' };
	return { status: automation.failure ? 'failed' : 'finished', after: 'running' };
}
