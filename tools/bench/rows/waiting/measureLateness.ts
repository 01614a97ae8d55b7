import { randomUUID } from 'node:crypto';

import { callWebhook } from '../../../../dev/n8n/callWebhook';
import { waitUntil } from '../../../../dev/n8n/waitUntil';
import type { WorkflowDefinition } from '../../../../dev/n8n/workflow';
import type { SandboxRun } from '../../../../dev/sandbox/control';
import type { Setup } from '../../setup';

export interface Lateness {
	/** From the end of each run to the start of the next node, in milliseconds. */
	late: number[];
	/** Requests to the service a run. */
	requests: number;
}

/** Runs whose lateness is measured. */
export interface Measured {
	/** How long each run takes, in milliseconds. */
	durations: number[];
	/** Whether the service's callbacks get lost. */
	areCallbacksLost?: boolean;
}

/** How long after the end of the last run all executions are over at the latest, in milliseconds. */
const PATIENCE_MS = 600_000;

/**
 * Starts executions of a workflow at the same time, each with one run, and ends the runs when their
 * time is over.
 *
 * @param setup with a service that nothing else uses meanwhile
 * @throws Error when an execution does not reach its node `Next`
 */
export async function measureLateness(
	setup: Setup,
	workflowAt: (setup: Setup, path: string) => WorkflowDefinition,
	{ durations, areCallbacksLost = false }: Measured,
): Promise<Lateness> {
	const { client, sandbox, server } = setup;
	await sandbox.reset();
	await sandbox.setDurations({ created: 0, running: null });
	if (areCallbacksLost) await sandbox.setCallbackFaults({ lose: 'all' });
	const path = `bench-${randomUUID()}`;
	const workflow = await client.publish(workflowAt(setup, path));
	await Promise.all(durations.map(async () => await callWebhook(server.url, path)));
	const runs = await waitUntil(
		async () => {
			const started = await sandbox.runs();
			return started.length === durations.length ? started : undefined;
		},
		{ timeout: 60_000, interval: 20, describe: () => 'Not all runs were started' },
	);
	await Promise.all(runs.map(async (run, index) => await endAfter(setup, run, durations[index])));
	const ends = new Map((await sandbox.runs()).map((run) => [run.taskId, run.finishedAt ?? NaN]));
	const late: number[] = [];
	for (const { executionId } of await client.executions(workflow)) {
		const execution = await client.waitForExecution(executionId, { timeout: PATIENCE_MS });
		const [run] = execution.runs('Next');
		const taskId = String(execution.json('Next')[0]?.task_id);
		if (run === undefined) {
			throw new Error(`Execution ${executionId}: ${execution.failure?.message}`);
		}
		late.push(run.startedAt - (ends.get(taskId) ?? NaN));
	}
	const requests = (await sandbox.load()).total / durations.length;
	await client.deactivate(workflow);
	return { late, requests };
}

/** Ends a run when it has taken so long, in milliseconds. */
export async function endAfter(
	{ sandbox }: Pick<Setup, 'sandbox'>,
	run: SandboxRun,
	duration = 0,
): Promise<void> {
	await new Promise((resolve) => setTimeout(resolve, run.createdAt + duration - Date.now()));
	await sandbox.moveRun({ taskId: run.taskId, status: 'finished' });
}
