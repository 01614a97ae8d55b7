import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { callWebhook } from '../../../../dev/n8n/callWebhook';
import { workflowOf, type NodeSketch } from '../../../../dev/n8n/workflow';
import { watchingMemory, type Watched } from '../../memory';
import { cpusOf, inTurn, ratios, shown, spreadOf, timesOf } from '../../rounds';
import {
	chosen,
	fed,
	feeding,
	httpRequest,
	LAST,
	ourNode,
	untilAtRest,
	type Setup,
} from '../../setup';
import { paginated } from '../lists';
import { plotGrowth, type Growth } from '../../plot';

const ROUNDS = 3;
const MEGABYTE = 1024 ** 2;
const PLOT = path.join(__dirname, '../../../../docs/images/sizes.svg');

/** A row of the sandbox's output in bytes of JSON, roughly. */
const ROW_BYTES = 330;

/** Something that a workflow does with more and more input, with our node and with n8n's own. */
interface Subject {
	name: string;
	theirName: string;
	unit: string;
	sizes: number[];
	prepare(setup: Setup, size: number): Promise<Candidates>;
}

interface Candidates {
	/** How many items each is fed. */
	count: number;
	ours: NodeSketch[];
	theirs: NodeSketch[];
}

interface Cost extends Watched {
	/** Of the whole execution, in milliseconds. */
	time: number;
	/** Of n8n, in milliseconds. */
	cpu: number;
}

/**
 * How time and memory of n8n grow with the input, beside n8n's own nodes, as a table and as a plot. Whole executions are measured,
 * whose data n8n does not store.
 */
export async function sizes(setup: Setup): Promise<void> {
	const lines: Growth[] = [];
	const table: Record<string, Record<string, string>> = {};
	for (const subject of SUBJECTS) {
		const ours: Growth = { name: subject.name, points: [] };
		const theirs: Growth = { name: subject.theirName, points: [], isPeer: true };
		for (const size of setup.isQuick ? subject.sizes.slice(0, 1) : subject.sizes) {
			await setup.sandbox.reset();
			const candidates = await subject.prepare(setup, size);
			const measures = await inTurn(setup.isQuick ? 1 : ROUNDS, {
				ours: await whole(setup, candidates.ours, candidates.count),
				theirs: await whole(setup, candidates.theirs, candidates.count),
			});
			const [mine = [], others = []] = [measures.ours, measures.theirs];
			for (const [{ name, points }, costs] of [[ours, mine] as const, [theirs, others] as const]) {
				points.push({ size, cost: spreadOf(timesOf(costs)).median });
				table[`${name}, ${size.toLocaleString('en')} ${subject.unit}`] = {
					'time (ms)': shown(spreadOf(timesOf(costs))),
					'CPU (ms)': shown(spreadOf(cpusOf(costs))),
					'growth at the peak (MB)': shown(
						spreadOf(costs.map(({ peak, before }) => peak - before)),
					),
					'our time / its': shown(spreadOf(ratios(timesOf(mine), timesOf(costs))), 2),
					'our CPU / its': shown(spreadOf(ratios(cpusOf(mine), cpusOf(costs))), 2),
				};
			}
			console.log(`${subject.name}: ${size.toLocaleString('en')} ${subject.unit} measured`);
		}
		lines.push(ours, theirs);
	}
	console.log('\nGrowth with the input in n8n');
	console.table(table);
	const title = 'Time of an execution, beside that with the smallest input';
	if (!setup.isQuick) writeFileSync(PLOT, plotGrowth(title, lines));
}

/** A workflow that feeds items to nodes. Each call of what it returns measures one execution of it. */
async function whole(
	setup: Setup,
	nodes: NodeSketch[],
	count: number,
): Promise<() => Promise<Cost>> {
	const hook = `bench-${crypto.randomUUID()}`;
	await setup.client.publish({
		...workflowOf(hook, [...feeding(hook), ...nodes, LAST]),
		settings: { executionOrder: 'v1', saveDataSuccessExecution: 'none' },
	});
	const measure = watchingMemory(setup, async () => {
		const cpuBefore = setup.server.cpu();
		const begin = performance.now();
		await callWebhook(setup.server.url, hook, fed(count));
		return { time: performance.now() - begin, cpu: setup.server.cpu() - cpuBefore };
	});
	return async () => {
		await untilAtRest(setup);
		return await measure();
	};
}

const SUBJECTS: Subject[] = [
	{
		name: 'Reads',
		theirName: 'HTTP Request',
		unit: 'items',
		sizes: [100, 1_000, 10_000],
		prepare: async (setup, count) => ({
			count,
			ours: [ourNode(setup, { resource: 'bot', operation: 'get', botId: chosen('1001') })],
			theirs: [httpRequest(setup, `${setup.sandbox.url}/v3/bots/1001`)],
		}),
	},
	{
		name: 'Lists',
		theirName: 'HTTP Request, pages',
		unit: 'runs',
		sizes: [100, 1_000, 10_000],
		prepare: async (setup, count) => {
			await setup.sandbox.seedRuns({ count });
			return {
				count: 1,
				ours: [ourNode(setup, { resource: 'run', operation: 'getAll', returnAll: true })],
				theirs: [
					paginated(setup),
					{
						name: 'Rows',
						type: 'n8n-nodes-base.splitOut',
						parameters: { fieldToSplitOut: 'items', options: {} },
					},
				],
			};
		},
	},
	{
		name: 'Files',
		theirName: 'HTTP Request, file',
		unit: 'MB',
		sizes: [1, 10, 100],
		prepare: async (setup, size) => {
			await setup.sandbox.setFiles({ archiveSize: size * MEGABYTE });
			const { taskIds } = await setup.sandbox.seedRuns({ count: 1, bot: '1007' });
			const [taskId = ''] = taskIds;
			return {
				count: 1,
				ours: [download(setup, taskId)],
				theirs: [httpDownload(setup, await fileOf(setup, taskId))],
			};
		},
	},
	{
		name: 'Files of 10 MB',
		theirName: 'HTTP Request, files',
		unit: 'files',
		sizes: [1, 10],
		prepare: async (setup, count) => {
			await setup.sandbox.setFiles({ archiveSize: 10 * MEGABYTE });
			const { taskIds } = await setup.sandbox.seedRuns({ count, bot: '1007' });
			const urls = await Promise.all(taskIds.map(async (id) => await fileOf(setup, id)));
			return {
				count,
				ours: [download(setup, ofItem(taskIds))],
				theirs: [httpDownload(setup, ofItem(urls))],
			};
		},
	},
	{
		name: 'Rows',
		theirName: 'HTTP Request, JSON',
		unit: 'MB',
		sizes: [1, 10, 100],
		prepare: async (setup, size) => {
			const rows = Math.floor((size * MEGABYTE) / ROW_BYTES);
			const { taskIds } = await setup.sandbox.seedRuns({
				count: 1,
				input: { keyword: 'desk lamp', max_results: rows },
			});
			const [taskId = ''] = taskIds;
			return {
				count: 1,
				ours: [
					ourNode(setup, {
						resource: 'run',
						operation: 'get',
						taskId: chosen(taskId),
						output: 'rows',
					}),
				],
				theirs: [httpRequest(setup, await fileOf(setup, taskId, 'json'))],
			};
		},
	},
];

/** Our node, which downloads the archive of a run. */
function download(setup: Setup, taskId: string): NodeSketch {
	return ourNode(setup, {
		resource: 'run',
		operation: 'downloadFiles',
		taskId: chosen(taskId),
		fileTypes: ['other'],
	});
}

/** n8n's HTTP Request node, which downloads a file. */
function httpDownload(setup: Setup, url: string): NodeSketch {
	return httpRequest(setup, url, { response: { response: { responseFormat: 'file' } } });
}

/** Where a file of a run is: its archive, or its result of a format. */
async function fileOf({ sandbox }: Setup, taskId: string, format = ''): Promise<string> {
	const answer = await fetch(`${sandbox.url}/v3/bots/runs/${taskId}`, {
		headers: { authorization: `Bearer ${sandbox.key}` },
	});
	const text = await answer.text();
	const links = [...text.matchAll(/"download_url":"([^"]+)"/g)].map(([, url = '']) => url);
	const url = links.find((link) => link.includes(`.${format}`));
	if (url === undefined) throw new Error(`The run has no file: ${text}`);
	return url;
}

/** An expression that gives each item its own. */
function ofItem(values: string[]): string {
	return `={{ ${JSON.stringify(values)}[$json.index] }}`;
}
