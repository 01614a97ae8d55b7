import { setTimeout as sleep } from 'node:timers/promises';
import type { N8nClient } from '../n8n/client';
import type { Execution } from '../n8n/execution';
import type { Sandbox } from '../sandbox/server';
import type { Narration } from './narration';

const interval = 50;
const limit = 120_000;

/** Tells what service and n8n do about an execution, as it happens, until it is over. Throws after two minutes. */
export async function watchExecution(
	executionId: string,
	parties: { client: N8nClient; sandbox: Sandbox },
	narration: Narration,
): Promise<Execution> {
	const end = Date.now() + limit;
	while (Date.now() < end) {
		await tellRuns(parties.sandbox, narration);
		const execution = await parties.client.execution(executionId);
		if (execution.status === 'waiting') {
			narration.tellOnce(`Execution ${executionId} is asleep: it is stored, and holds no worker`);
		}
		await tellCallbacks(parties.sandbox, narration);
		if (execution.isOver) {
			narration.tell(`Execution ${executionId} is over: ${execution.status}`);
			return execution;
		}
		await sleep(interval);
	}
	throw new Error(`Execution ${executionId} was not over after ${limit / 1_000} s`);
}

async function tellRuns(sandbox: Sandbox, narration: Narration): Promise<void> {
	for (const run of await sandbox.runs()) {
		narration.tellOnce(`Run ${run.taskId} was started`);
		if (run.status !== 'created') narration.tellOnce(`Run ${run.taskId} is ${run.status}`);
	}
}

async function tellCallbacks(sandbox: Sandbox, narration: Narration): Promise<void> {
	for (const callback of await sandbox.callbacks()) {
		for (const attempt of callback.attempts) {
			const answer = attempt.status ?? attempt.error;
			narration.tellOnce(
				`The service called back about run ${callback.taskId} (${callback.status}); n8n answered ${answer}`,
			);
		}
	}
}
