import { randomUUID } from 'node:crypto';

import { callWebhook } from '../../dev/n8n/callWebhook';
import { workflowOf, type NodeSketch } from '../../dev/n8n/workflow';
import { compare } from './figures';
import { cpuOf, memoryOf, untilAtRest, type Stage } from './stage';
import { chosen, httpRequest, next, ourNode, split, webhookNode } from './workflows';

/** How a whole execution went: time and n8n's CPU time in milliseconds, and by how many megabytes its memory grew. */
interface Cost {
	time: number;
	cpu: number;
	growth: number;
}

const FIGURES = {
	'ms*': ({ time }: Cost) => time,
	'CPU ms*': ({ cpu }: Cost) => cpu,
	'MB more': ({ growth }: Cost) => growth,
};

const SAMPLE_MS = 20;

/** The same for so many items by our node and by n8n's, whose executions n8n does not store. */
async function beside(
	stage: Stage,
	title: string,
	rounds: number,
	count: number,
	nodes: Record<string, NodeSketch>,
): Promise<void> {
	const measuring = Object.entries(nodes).map(async ([name, node]) => {
		const path = `bench-${randomUUID()}`;
		const hook = webhookNode(path, { responseMode: 'lastNode' });
		const settings = { executionOrder: 'v1', saveDataSuccessExecution: 'none' };
		await stage.client.publish({ ...workflowOf(path, [hook, split, node, next]), settings });
		return [name, async () => await costOf(stage, path, count)] as const;
	});
	await compare(title, rounds, Object.fromEntries(await Promise.all(measuring)), FIGURES);
}

async function costOf(stage: Stage, path: string, count: number): Promise<Cost> {
	await untilAtRest(stage);
	const [begun, cpuBefore, before] = [performance.now(), cpuOf(stage), memoryOf(stage)];
	let peak = before;
	const sampling = setInterval(() => (peak = Math.max(peak, memoryOf(stage))), SAMPLE_MS);
	const items = Array.from({ length: count }, (_, index) => ({ index }));
	await callWebhook(stage.url, path, { items }).finally(() => clearInterval(sampling));
	return { time: performance.now() - begun, cpu: cpuOf(stage) - cpuBefore, growth: peak - before };
}

/** One read for each item, where the service answers quickly and where it does not. */
export async function items(stage: Stage, isQuick: boolean): Promise<void> {
	const count = isQuick ? 20 : 1_000;
	for (const ms of isQuick ? [20] : [20, 1_000]) {
		const rounds = isQuick || ms > 20 ? 1 : 5;
		await stage.sandbox.reset();
		await stage.sandbox.addFault({ kind: 'latency', ms });
		await beside(stage, `${count} reads of ${ms} ms`, rounds, count, {
			ours: ourNode(stage, { resource: 'bot', operation: 'get', botId: chosen('1001') }),
			'HTTP Request': httpRequest(stage, `${stage.sandbox.url}/v3/bots/1001`),
		});
	}
}

/** All pages of a list, beside the pagination of n8n's HTTP Request node over the same pages. */
export async function lists(stage: Stage, isQuick: boolean): Promise<void> {
	const [count, rounds] = isQuick ? [200, 1] : [10_000, 5];
	await stage.sandbox.reset();
	await stage.sandbox.seedRuns({ count });
	await stage.sandbox.addFault({ kind: 'latency', ms: 20 });
	const pagination = {
		paginationMode: 'updateAParameterInEachRequest',
		parameters: {
			parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }],
		},
		paginationCompleteWhen: 'other',
		completeExpression: '={{ $response.body.page >= $response.body.total_pages }}',
	};
	const list = { resource: 'run', operation: 'getAll', returnAll: true, listOutput: 'raw' };
	const url = `${stage.sandbox.url}/v3/bots/runs?limit=100`;
	await beside(stage, `A list of ${count}, pages of 100 in 20 ms`, rounds, 1, {
		ours: ourNode(stage, list),
		'HTTP Request': httpRequest(stage, url, { pagination: { pagination } }),
	});
}

const MEGABYTE = 1024 ** 2;

/** A row of the sandbox's output in bytes of JSON, roughly. */
const ROW_BYTES = 330;

/** A file and the rows of an output, larger and larger. */
export async function sizes(stage: Stage, isQuick: boolean): Promise<void> {
	const { sandbox } = stage;
	for (const size of isQuick ? [1] : [1, 10, 100]) {
		await sandbox.reset();
		await sandbox.setFiles({ archiveSize: size * MEGABYTE });
		const archive = await runOf(stage, { bot: '1007' });
		const response = { response: { response: { responseFormat: 'file' } } };
		await beside(stage, `A file of ${size} MB`, isQuick ? 1 : 3, 1, {
			ours: ourNode(stage, {
				...{ resource: 'run', operation: 'downloadFiles' },
				...{ taskId: chosen(archive.taskId), fileTypes: ['other'] },
			}),
			'HTTP Request': httpRequest(stage, archive.linkTo('warc'), response),
		});
		const count = Math.floor((size * MEGABYTE) / ROW_BYTES);
		const rows = await runOf(stage, { input: { keyword: 'desk lamp', max_results: count } });
		const read = { resource: 'run', operation: 'get', taskId: chosen(rows.taskId), output: 'rows' };
		await beside(stage, `Rows of ${size} MB`, isQuick ? 1 : 3, 1, {
			ours: ourNode(stage, read),
			'HTTP Request': httpRequest(stage, rows.linkTo('json')),
		});
	}
}

/** A finished run, and where its file of a format is. */
async function runOf(
	{ sandbox }: Stage,
	seed: object,
): Promise<{ taskId: string; linkTo(format: string): string }> {
	const { taskIds } = await sandbox.seedRuns({ count: 1, ...seed });
	const [taskId = ''] = taskIds;
	const headers = { authorization: `Bearer ${sandbox.key}` };
	const answer = await fetch(`${sandbox.url}/v3/bots/runs/${taskId}`, { headers });
	const text = await answer.text();
	const links = [...text.matchAll(/"download_url":"([^"]+)"/g)].map(([, url = '']) => url);
	return { taskId, linkTo: (format) => links.find((link) => link.includes(`.${format}`)) ?? '' };
}
