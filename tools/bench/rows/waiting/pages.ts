import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { callWebhook } from '../../../../dev/n8n/callWebhook';
import { textOf } from '../../../../dev/n8n/json';
import { waitUntil } from '../../../../dev/n8n/waitUntil';
import { workflowOf } from '../../../../dev/n8n/workflow';
import { webhookNode, type Setup } from '../../setup';
import { botNode, items, next } from './workflows';

/** How many runs the batch has, and how long each takes, in milliseconds. */
const RUNS = 20;
const RUN_MS = 45_000;
const QUICK_RUN_MS = 5_000;

/** How often an open status page asks anew, in milliseconds (execution/waiting/statusPage/script.ts). */
const REFRESH_MS = 15_000;

/** How long after the end of its last run a batch continues, while people have its status page open. */
export async function pages(setup: Setup): Promise<void> {
	const table: Record<string, Record<string, string>> = {};
	for (const count of [0, 1, 3]) table[`${count} pages open`] = await measure(setup, count);
	console.log(`\nA batch of ${RUNS} runs with its status page open`);
	console.table(table);
}

async function measure(setup: Setup, count: number): Promise<Record<string, string>> {
	const { client, sandbox, server } = setup;
	await sandbox.reset();
	await sandbox.setDurations({ created: 0, running: setup.isQuick ? QUICK_RUN_MS : RUN_MS });
	const path = `bench-${randomUUID()}`;
	const nodes = [webhookNode(path), items(RUNS), botNode(setup, 'automatic'), next];
	const workflow = await client.publish(workflowOf('Batch', nodes));
	await callWebhook(server.url, path);
	await client.untilCounted(workflow, 'waiting', 1, 100);
	const [{ executionId = '' } = {}] = await client.executions(workflow);
	const { pathname, search } = await waitUntil(
		async () => {
			const [bot] = (await client.execution(executionId)).runs('Bot');
			return bot && new URL(textOf(bot.metadata, 'resumeUrl'));
		},
		{ timeout: 20_000, interval: 100, describe: () => 'The node shows no status page' },
	);
	const closing = new AbortController();
	const views = Array.from(
		{ length: count },
		async () => await view(`${server.url}${pathname}${search}`, closing.signal),
	);
	const execution = await client.waitForExecution(executionId, { timeout: 300_000 });
	closing.abort();
	await Promise.all(views);
	const ends = (await sandbox.runs()).map(({ finishedAt }) => finishedAt ?? NaN);
	const late = (execution.runs('Next')[0]?.startedAt ?? NaN) - Math.max(...ends);
	const requests = (await sandbox.load()).total;
	await client.deactivate(workflow);
	return { 'after the last end s': (late / 1_000).toFixed(1), requests: String(requests) };
}

/** Has a page open until it is closed. */
async function view(url: string, closed: AbortSignal): Promise<void> {
	while (!closed.aborted) {
		await (await fetch(url)).text();
		await sleep(REFRESH_MS, undefined, { signal: closed }).catch(() => undefined);
	}
}
