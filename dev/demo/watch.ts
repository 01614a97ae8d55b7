import { setTimeout as sleep } from 'node:timers/promises';
import type { N8nClient } from '../n8n/client';
import type { Execution } from '../n8n/execution';
import type { Sandbox } from '../sandbox/server';
import type { Narration } from './narration';

const interval = 50;
const limit = 120_000;

/** The n8n and the service whose work is reported. */
interface Parties {
	client: N8nClient;
	sandbox: Sandbox;
}

/** Tells what service and n8n do about an execution, as it happens. */
export class ExecutionWatch {
	private constructor(
		private readonly parties: Parties,
		private readonly narration: Narration,
		/** The IDs of the runs that were there before, of which nothing is reported. */
		private readonly earlierRuns: ReadonlySet<string>,
	) {}

	/** To be called before the execution starts. */
	static async begin(parties: Parties, narration: Narration): Promise<ExecutionWatch> {
		const runs = await parties.sandbox.runs();
		return new ExecutionWatch(parties, narration, new Set(runs.map(({ taskId }) => taskId)));
	}

	/** Watches an execution until it is over. Throws after two minutes. */
	async untilOver(executionId: string): Promise<Execution> {
		const end = Date.now() + limit;
		while (Date.now() < end) {
			await this.reportRuns();
			const execution = await this.parties.client.execution(executionId);
			if (execution.status === 'waiting') {
				this.narration.sayOnce(
					`Execution ${executionId} is asleep: it is stored, and holds no worker`,
				);
			}
			await this.reportCallbacks();
			if (execution.isOver) {
				this.narration.say(`Execution ${executionId} is over: ${execution.status}`);
				return execution;
			}
			await sleep(interval);
		}
		throw new Error(`Execution ${executionId} was not over after ${limit / 1_000} s`);
	}

	private async reportRuns(): Promise<void> {
		for (const run of await this.parties.sandbox.runs()) {
			if (this.earlierRuns.has(run.taskId)) continue;
			this.narration.sayOnce(`Run ${run.taskId} was started`);
			if (run.status !== 'created') {
				this.narration.sayOnce(`Run ${run.taskId} is ${run.status}`);
			}
		}
	}

	private async reportCallbacks(): Promise<void> {
		for (const callback of await this.parties.sandbox.callbacks()) {
			for (const attempt of callback.attempts) {
				const answer = attempt.status ?? attempt.error;
				this.narration.sayOnce(
					`The service called back about run ${callback.taskId} (${callback.status}); n8n answered ${answer}`,
				);
			}
		}
	}
}
