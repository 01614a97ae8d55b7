import { textOf } from '../../../../dev/n8n/json';
import { waitUntil } from '../../../../dev/n8n/waitUntil';
import { workflowOf, type WorkflowDefinition } from '../../../../dev/n8n/workflow';
import { inTurn, shown, spreadOf } from '../../rounds';
import { webhookNode, type Setup } from '../../setup';
import { measure, type Batch } from './batches';
import { botNode, items, next } from './workflows';

/** How many runs the batch has, and over how long they end, in milliseconds. */
const COUNT = 20;
const SPREAD_MS = 40_000;

/** How often each page is read, in milliseconds: more often than it asks by itself. */
const BETWEEN_READS_MS = 1_000;

/** A batch with its status page open so many times: the results are to come no later for it. */
export async function pages(setup: Setup): Promise<void> {
	const workflowAt = (path: string): WorkflowDefinition =>
		workflowOf('Pages', [webhookNode(path), items(COUNT), botNode(setup, 'automatic'), next]);
	const withPages = (count: number) => async (): Promise<Batch> =>
		await measure(setup, workflowAt, COUNT, SPREAD_MS, async (executionId) => {
			const page = await pageOf(setup, executionId);
			await Promise.all(Array.from({ length: count }, async () => await readToTheEnd(page)));
		});
	const found = await inTurn(setup.isQuick ? 1 : 3, {
		'no page': withPages(0),
		'one page': withPages(1),
		'three pages': withPages(3),
	});
	console.log(`\n${COUNT} runs that end over ${SPREAD_MS / 1_000} s, with the status page open`);
	console.table(
		Object.fromEntries(
			Object.entries(found).map(([name, batches]) => [
				name,
				{
					'after the last end s': shown(spreadOf(batches.map(({ late }) => late / 1_000)), 1),
					requests: shown(spreadOf(batches.map(({ requests }) => requests)), 0),
				},
			]),
		),
	);
}

/** Where the page of a sleeping execution is. */
async function pageOf({ client }: Setup, executionId: string): Promise<string> {
	return await waitUntil(
		async () => {
			const [bot] = (await client.execution(executionId)).runs('Bot');
			return bot?.metadata.resumeUrl === undefined ? undefined : textOf(bot.metadata, 'resumeUrl');
		},
		{ timeout: 60_000, interval: 100, describe: () => 'The execution does not sleep' },
	);
}

/** Reads the page as long as there is one: it is busy (409) while n8n carries the execution out. */
async function readToTheEnd(page: string): Promise<void> {
	for (;;) {
		const answer = await fetch(page);
		const text = await answer.text();
		if (!answer.ok && !text.includes('is running')) return;
		await new Promise((resolve) => setTimeout(resolve, BETWEEN_READS_MS));
	}
}
