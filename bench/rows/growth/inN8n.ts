import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { workflowOf, type NodeSketch } from '../../../n8n/workflow';
import { inTurn, ratios, shown, spreadOf, timesOf } from '../../rounds';
import { feed, httpRequest, ourNode, webhookNode, type Stage } from '../../stage';
import { plotOf, type Line } from './plot';

const MEGABYTE = 1024 ** 2;
const SAMPLE_MS = 20;
const PLOT = path.join(__dirname, '../../../docs/images/growth-in-n8n.svg');

/** A bot whose output is a list of rows, one whose output is a file, and one that only ever is read. */
const [CATALOGUE, ARCHIVE, READ] = ['1006', '1007', '1001'];

/** What one run of a workflow took: time in milliseconds, and how much more memory n8n had at the most, in bytes. */
interface Taken {
	time: number;
	growth: number;
}

type Measure = () => Promise<Taken>;

/** Ours and n8n's own for one size. */
type Pair = Record<'ours' | 'theirs', Measure>;

/** Inputs of growing size in a real n8n, beside n8n's own nodes. */
export async function growthInN8n(stage: Stage): Promise<void> {
	const rounds = stage.isQuick ? 1 : 3;
	const most = (sizes: number[]): number[] => sizes.slice(0, stage.isQuick ? 2 : undefined);
	const table: Record<string, Record<string, string>> = {};
	const lines: Line[] = [];
	for (const [name, { sizes, unit, pair }] of Object.entries(SUBJECTS)) {
		const points: Line['points'] = [];
		for (const size of most(sizes)) {
			await stage.sandbox.reset();
			const { ours = [], theirs = [] } = await inTurn(rounds, await pair(stage, size));
			const time = spreadOf(timesOf(ours)).median;
			points.push({ size, cost: time });
			const [first = { size, cost: time }] = points;
			table[`${name}, ${size} ${unit}`] = {
				'ours (ms)': shown(spreadOf(timesOf(ours))),
				"n8n's (ms)": shown(spreadOf(timesOf(theirs))),
				"our time / n8n's": shown(spreadOf(ratios(timesOf(ours), timesOf(theirs))), 2),
				input: `${size / first.size}`,
				'our time, times the first': (time / first.cost).toFixed(1),
				'our memory (MB)': memoryOf(ours),
				"n8n's memory (MB)": memoryOf(theirs),
			};
		}
		lines.push({ name: `${name} (${unit})`, points });
	}
	console.log('\nGrowth with the input, beside n8n’s own nodes');
	console.table(table);
	if (!stage.isQuick) writeFileSync(PLOT, plotOf('Time, beside that of the smallest input', lines));
}

function memoryOf(taken: Taken[]): string {
	return shown(spreadOf(taken.map(({ growth }) => growth / MEGABYTE)));
}

const SUBJECTS: Record<
	string,
	{ sizes: number[]; unit: string; pair(stage: Stage, size: number): Promise<Pair> }
> = {
	Items: { sizes: [10, 100, 1_000], unit: 'reads', pair: reads },
	List: { sizes: [100, 1_000, 10_000], unit: 'runs', pair: lists },
	'One file': { sizes: [1, 10, 100], unit: 'MB', pair: oneFile },
	Files: { sizes: [1, 10, 100], unit: 'of 10 MB', pair: files },
	Rows: { sizes: [1, 10, 100], unit: 'MB of JSON', pair: rows },
};

async function reads(stage: Stage, count: number): Promise<Pair> {
	const botId = { __rl: true, mode: 'id', value: READ };
	return {
		ours: await fed(stage, ourNode(stage, { resource: 'bot', operation: 'get', botId }), count),
		theirs: await fed(stage, httpRequest(stage, `${stage.sandbox.url}/v3/bots/${READ}`), count),
	};
}

async function lists(stage: Stage, count: number): Promise<Pair> {
	await stage.sandbox.seedRuns({ count });
	const parameters = [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }];
	const pagination = {
		paginationMode: 'updateAParameterInEachRequest',
		parameters: { parameters },
		paginationCompleteWhen: 'other',
		completeExpression: '={{ $response.body.page >= $response.body.total_pages }}',
	};
	const url = `${stage.sandbox.url}/v3/bots/runs?limit=100`;
	return {
		ours: await fed(
			stage,
			ourNode(stage, { resource: 'run', operation: 'getAll', returnAll: true }),
			1,
		),
		theirs: await fed(stage, httpRequest(stage, url, { pagination: { pagination } }), 1),
	};
}

async function oneFile(stage: Stage, megabytes: number): Promise<Pair> {
	return await downloadsOf(stage, 1, megabytes);
}

async function files(stage: Stage, count: number): Promise<Pair> {
	return await downloadsOf(stage, count, 10);
}

/** The file of each of some runs, into n8n's binary store. */
async function downloadsOf(stage: Stage, count: number, megabytes: number): Promise<Pair> {
	const { sandbox } = stage;
	await sandbox.setFiles({ archiveSize: megabytes * MEGABYTE });
	const { taskIds } = await sandbox.seedRuns({ count, bot: ARCHIVE });
	const urls = await Promise.all(taskIds.map(async (id) => await linkOf(stage, id)));
	const ours = ourNode(stage, {
		resource: 'run',
		operation: 'downloadFiles',
		taskId: { __rl: true, mode: 'id', value: expressionFor(taskIds) },
		fileTypes: ['other'],
	});
	const theirs = httpRequest(stage, expressionFor(urls), asFile);
	return { ours: await fed(stage, ours, count), theirs: await fed(stage, theirs, count) };
}

const asFile = { response: { response: { responseFormat: 'file' } } };

function expressionFor(values: string[]): string {
	return `={{ ${JSON.stringify(values)}[$itemIndex] }}`;
}

/** A large output, one item for each row; with n8n's own nodes the file is downloaded, parsed and split. */
async function rows(stage: Stage, megabytes: number): Promise<Pair> {
	const { sandbox } = stage;
	const { taskIds } = await sandbox.seedRuns({ count: 1, bot: CATALOGUE });
	const [taskId = ''] = taskIds;
	const body = JSON.stringify(
		Array.from({ length: megabytes * ROWS_A_MEGABYTE }, (_, index) => rowOf(index)),
	);
	await sandbox.addFault({
		kind: 'answer',
		path: '/result\\.json$',
		status: 200,
		contentType: 'application/json',
		body,
	});
	const ours = ourNode(stage, {
		resource: 'run',
		operation: 'get',
		taskId: { __rl: true, mode: 'id', value: taskId },
		output: 'rows',
	});
	const own: NodeSketch[] = [
		httpRequest(stage, await linkOf(stage, taskId), asFile),
		{
			name: 'Extract',
			type: 'n8n-nodes-base.extractFromFile',
			parameters: { operation: 'fromJson', options: {} },
		},
		{
			name: 'Split',
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'data', options: {} },
		},
	];
	return { ours: await called(stage, [ours]), theirs: await called(stage, own) };
}

const ROWS_A_MEGABYTE = 4_096;

/** 256 bytes of JSON, with the comma behind it. */
function rowOf(index: number): Record<string, unknown> {
	return {
		id: String(index).padStart(8, '0'),
		name: 'An article of the catalogue',
		price: 12.5,
		seller: 'Northern Goods',
		text: 'x'.repeat(142),
	};
}

/** Where the run's first file is. */
async function linkOf({ sandbox }: Stage, taskId: string): Promise<string> {
	const answer = await fetch(`${sandbox.url}/v3/bots/runs/${taskId}`, {
		headers: { authorization: `Bearer ${sandbox.key}` },
	});
	const text = await answer.text();
	const url = /"(https?:[^"]+\/(?:result\.json|[^"/]+\.warc)[^"]*)"/.exec(text)?.[1];
	if (url === undefined) throw new Error(`The run has no file: ${text.slice(0, 1_000)}`);
	return url;
}

/** The node's own time for so many items. */
async function fed(stage: Stage, node: NodeSketch, count: number): Promise<Measure> {
	return watching(stage, await feed(stage, node, count));
}

/** The time of a whole execution, of which n8n keeps nothing, up to the answer with the number of its items. */
async function called(stage: Stage, nodes: NodeSketch[]): Promise<Measure> {
	const path = `bench-${crypto.randomUUID()}`;
	const count: NodeSketch = {
		name: 'Count',
		type: 'n8n-nodes-base.limit',
		parameters: { maxItems: 1, keep: 'lastItems' },
	};
	const webhook = webhookNode(path, { responseMode: 'lastNode' });
	const workflow = await stage.client.createWorkflow({
		...workflowOf(path, [webhook, ...nodes, count]),
		settings: { saveDataSuccessExecution: 'none' },
	});
	await stage.client.activate(workflow);
	return watching(stage, async () => {
		const begin = performance.now();
		const answer = await fetch(`${stage.server.url}/webhook/${path}`, { method: 'POST' });
		const text = await answer.text();
		if (!answer.ok || !text.includes('Northern Goods')) {
			throw new Error(`The benchmark's workflow failed: ${text.slice(0, 1_000)}`);
		}
		return { time: performance.now() - begin };
	});
}

function watching({ server }: Stage, measure: () => Promise<{ time: number }>): Measure {
	return async () => {
		const before = server.memory();
		let peak = before;
		const sampling = setInterval(() => {
			peak = Math.max(peak, server.memory());
		}, SAMPLE_MS);
		const { time } = await measure().finally(() => clearInterval(sampling));
		return { time, growth: peak - before };
	};
}
