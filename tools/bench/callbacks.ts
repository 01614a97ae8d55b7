import { randomUUID } from 'node:crypto';

import type { StoredWorkflow } from '../../dev/n8n/client';
import { workflowOf, type NodeSketch } from '../../dev/n8n/workflow';
import { mapConcurrently } from '../../nodes/BrowserAutomation/service/concurrency';
import { compare } from './figures';
import { cpuOf, untilAtRest, type Stage } from './stage';
import { httpRequest, next, ourTrigger, webhookNode } from './workflows';

/** How many callbacks are on their way at a time. */
const AT_ONCE = 10;

/** What a number of callbacks took: how many a second, and n8n's CPU time for each in milliseconds. */
interface Rate {
	rate: number;
	cpu: number;
}

/**
 * Callbacks to our trigger up to the last saved execution, beside n8n's Webhook, and an HTTP Request that reads the run as
 * our trigger does; and the same callbacks again, which start nothing.
 */
export async function callbacks(stage: Stage, isQuick: boolean): Promise<void> {
	const [count, rounds] = isQuick ? [10, 1] : [60, 4];
	const path = randomUUID();
	const line = async (...nodes: NodeSketch[]): Promise<StoredWorkflow> =>
		await stage.client.publish(workflowOf('Callbacks', [...nodes, next]));
	const ours = await line(ourTrigger(stage));
	const run = `=${stage.sandbox.url}/v3/bots/runs/{{ $json.body.task_id }}`;
	const theirs = await line(webhookNode(path), httpRequest(stage, run));
	const state = JSON.stringify(await stage.client.staticData(ours));
	const url = /"(http[^"]+\/run-completed)"/.exec(state)?.[1] ?? '';
	let reported: string[] = [];
	const fresh = async (): Promise<string[]> => {
		({ taskIds: reported } = await stage.sandbox.seedRuns({ count }));
		return reported;
	};
	await compare(
		`${count} callbacks, ${AT_ONCE} at a time`,
		rounds,
		{
			'our trigger': async () => await taken(stage, url, await fresh(), ours),
			'the same again': async () => await taken(stage, url, reported),
			'Webhook, HTTP Request': async () =>
				await taken(stage, `${stage.url}/webhook/${path}`, await fresh(), theirs),
		},
		{
			'a second': ({ rate }) => rate,
			'ms each*': ({ rate }) => 1_000 / rate,
			'CPU ms each*': ({ cpu }) => cpu,
		},
	);
}

/** @param workflow of which each callback starts an execution */
async function taken(
	stage: Stage,
	url: string,
	taskIds: string[],
	workflow?: StoredWorkflow,
): Promise<Rate> {
	const { client } = stage;
	const before = workflow && (await client.countExecutions(['success'], workflow));
	await untilAtRest(stage);
	const [begun, cpuBefore] = [performance.now(), cpuOf(stage)];
	await mapConcurrently(taskIds, AT_ONCE, async (taskId) => {
		const answer = await fetch(url, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ task_id: taskId, status: 'finished' }),
		});
		await answer.arrayBuffer();
		if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
	});
	if (workflow !== undefined) {
		await client.untilCounted(workflow, 'success', (before ?? 0) + taskIds.length, 100);
	}
	const time = performance.now() - begun;
	const count = taskIds.length;
	return { rate: (count * 1_000) / time, cpu: (cpuOf(stage) - cpuBefore) / count };
}
