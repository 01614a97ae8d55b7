import type { StoredWorkflow } from '../../../../dev/n8n/client';
import { isOver, type ExecutionSummary } from '../../../../dev/n8n/execution';
import { waitUntil } from '../../../../dev/n8n/waitUntil';
import { workflowOf } from '../../../../dev/n8n/workflow';
import type { Setup } from '../../setup';
import { botNode, items, next, start } from './workflows';

const MEGABYTE = 1024 ** 2;

/** The time from the end of one of the thousand runs to the end of the next, in milliseconds. */
const BETWEEN_ENDS_MS = 100;

/** The ID of the workflow's execution once it fits. n8n may be too busy to answer for a while. */
async function executionThat(
	{ client }: Setup,
	workflow: StoredWorkflow,
	fits: (execution: ExecutionSummary) => boolean,
): Promise<string> {
	const found = await waitUntil(
		async () => (await client.executions(workflow).catch(() => [])).find(fits),
		{ timeout: 600_000, interval: 500, describe: () => 'No execution fits after ten minutes' },
	);
	return found.executionId;
}

/** A thousand runs asleep in one execution: memory, requests, order. */
export async function thousand(setup: Setup): Promise<void> {
	const { client, sandbox, server } = setup;
	const count = 1_000;
	await sandbox.reset();
	await sandbox.setDurations({ created: 0, running: null });
	const before = server.memory();
	const workflow = await client.createWorkflow(
		workflowOf('Thousand', [start, items(count), botNode(setup, 'automatic'), next]),
	);
	const begun = Date.now();
	await client.runManually(workflow, { trigger: 'Start' });
	const executionId = await executionThat(setup, workflow, ({ status }) => status === 'waiting');
	const asleepAfter = Date.now() - begun;
	const cpuBefore = server.cpu();
	await new Promise((resolve) => setTimeout(resolve, 20_000));
	const during = server.memory();
	const cpu = server.cpu() - cpuBefore;
	const runs = await sandbox.runs();
	for (const { taskId } of runs) {
		await sandbox.moveRun({ taskId, status: 'finished' });
		await new Promise((resolve) => setTimeout(resolve, BETWEEN_ENDS_MS));
	}
	const lastEnd = Date.now();
	await executionThat(setup, workflow, ({ status }) => isOver(status));
	const execution = await client.execution(executionId);
	const [marker] = execution.runs('Next');
	const words = new Map(runs.map(({ taskId, input }) => [taskId, input.keyword]));
	const got = execution.json('Next').map(({ task_id }) => words.get(String(task_id)));
	const inOrder = got.every((word, index) => word === `w${index}`);
	const load = await sandbox.load();
	console.log(`
${count} runs asleep in one execution
asleep after            ${(asleepAfter / 1_000).toFixed(1)} s
memory before, asleep   ${(before / MEGABYTE).toFixed(0)} MB, ${(during / MEGABYTE).toFixed(0)} MB
CPU in 20 s asleep      ${cpu.toFixed(0)} ms
results                 ${got.length}, ${inOrder ? 'in order' : 'NOT in order'} (${execution.status})
last end to next node   ${(((marker?.startedAt ?? NaN) - lastEnd) / 1_000).toFixed(1)} s
requests                ${load.total} (${(load.total / count).toFixed(2)} a run): ${JSON.stringify(load.byOperation)}`);
}
