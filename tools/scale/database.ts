import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import Table from 'cli-table3';

import { beginNode, botNode, items, next } from '../bench/rows/waiting/workflows';
import { openSetup, webhookNode, type Setup } from '../bench/setup';
import { callWebhook } from '../../dev/n8n/callWebhook';
import { startPostgres, type Postgres } from '../../dev/n8n/services';
import { waitUntil } from '../../dev/n8n/waitUntil';
import { workflowOf, type NodeSketch } from '../../dev/n8n/workflow';
import { callbacksOf } from './tally';

const PATIENCE = 600_000;

/** How long n8n may take to write the last of an execution, in milliseconds. */
const SETTLING_MS = 500;

/** When our node has polled once more after it was suspended, in milliseconds. */
const POLLED_AGAIN_MS = 5_000;

interface Bench extends Setup {
	postgres: Postgres;
}

/** What PostgreSQL did for one execution. Sizes in bytes. */
interface Cost {
	/** Statements that change something, and how often the data of an execution were read. */
	writes: number;
	reads: number;
	/** What these statements added to the write-ahead log. */
	written: number;
	/** The execution's data when it was over, as text and as PostgreSQL keeps it. */
	text: number;
	kept: number;
}

/** What one suspension and one resume cost the database, for batches of these sizes, beside n8n's own Wait node. */
export async function database(sizes: number[]): Promise<void> {
	const postgres = await startPostgres({
		settings: {
			shared_preload_libraries: 'pg_stat_statements',
			// Otherwise the first change of a page after a checkpoint logs all of it, whoever makes it.
			full_page_writes: 'off',
		},
	});
	const closing = [async () => await postgres.remove()];
	try {
		await postgres.query('CREATE EXTENSION pg_stat_statements');
		const { environment } = postgres;
		const service = { recordLimit: 100_000, durations: { created: 0, running: null } };
		const setup = await openSetup({ environment, service });
		closing.unshift(async () => await setup.close());
		const bench = { ...setup, postgres };
		const candidates = { 'this node': ourNodes, 'Wait node': ownNodes };
		const table = new Table({
			head: ['Items', 'Node', 'Phase', 'Writes', 'Reads', 'Written', 'an item', 'Text', 'Kept'],
			style: { head: [], border: [] },
		});
		// The first execution of all makes n8n read much that it keeps from then on.
		await measure(bench, ourNodes(bench, 1), 1);
		for (const size of sizes) {
			for (const [name, nodes] of Object.entries(candidates)) {
				const costs = await measure(bench, nodes(bench, size), size);
				for (const [phase, { writes, reads, written, text, kept }] of Object.entries(costs)) {
					const each = Math.round(written / size);
					const row = [size, name, phase, writes, reads, written, each, text, kept];
					table.push(row);
					console.log(row.join('\t'));
				}
			}
		}
		console.log(table.toString());
	} finally {
		for (const close of closing) await close();
	}
}

function ourNodes({ credential }: Bench, size: number): NodeSketch[] {
	return [items(size), botNode({ credential }, 'automatic')];
}

/** The same with n8n's nodes. Its Wait node resumes at the first callback, so that only one is asked for. */
function ownNodes({ sandbox, credential }: Bench, size: number): NodeSketch[] {
	const begin = beginNode(
		{ sandbox, credential },
		', callback_url: $itemIndex ? undefined : $execution.resumeUrl',
	);
	const wait: NodeSketch = {
		name: 'Wait',
		type: 'n8n-nodes-base.wait',
		typeVersion: 1.1,
		webhookId: randomUUID(),
		parameters: { resume: 'webhook', httpMethod: 'POST', options: {} },
	};
	return [items(size), begin, wait];
}

/** Carries out a workflow once: from its start until it sleeps, and from the first callback until it is over. */
async function measure(
	{ server, client, postgres, sandbox }: Bench,
	nodes: NodeSketch[],
	size: number,
): Promise<{ suspend: Cost; resume: Cost }> {
	await sandbox.reset();
	const path = randomUUID();
	const workflow = await client.publish(workflowOf(path, [webhookNode(path), ...nodes, next]));
	const until = async (status: string): Promise<void> => {
		const { workflowId } = workflow;
		await waitUntil(
			async () => {
				const executions = await client.executions(workflow).catch(() => []);
				return executions.some((execution) => execution.status === status) || undefined;
			},
			{ timeout: PATIENCE, describe: () => `The execution of ${workflowId} is not ${status}` },
		);
		await sleep(SETTLING_MS);
	};
	await begin(postgres);
	await callWebhook(server.url, path);
	await waitUntil(async () => (await sandbox.runs()).length >= size || undefined, {
		timeout: PATIENCE,
		describe: () => 'Not all runs were started',
	});
	await until('waiting');
	const asleep = await costSince(postgres);
	await sleep(POLLED_AGAIN_MS);
	await begin(postgres);
	for (const { taskId } of await sandbox.runs()) {
		await sandbox.moveRun({ taskId, status: 'finished' });
	}
	await until('success');
	console.log(`callbacks: ${await callbacksOf(sandbox)}`);
	return { suspend: asleep, resume: await costSince(postgres) };
}

async function begin(postgres: Postgres): Promise<void> {
	await postgres.query('SELECT pg_stat_statements_reset()');
}

async function costSince(postgres: Postgres): Promise<Cost> {
	const [statements = []] = await postgres.query(
		`SELECT coalesce(sum(calls) FILTER (WHERE query ~ '^(INSERT|UPDATE|DELETE)'), 0),
			coalesce(sum(calls) FILTER (WHERE query ~ '^SELECT' AND query ~ 'FROM "public"."execution_data"'), 0),
			coalesce(sum(wal_bytes), 0) FROM pg_stat_statements`,
	);
	const [data = []] = await postgres.query(
		`SELECT octet_length(data), pg_column_size(data) FROM execution_data
		ORDER BY "executionId" DESC LIMIT 1`,
	);
	const [writes = NaN, reads = NaN, written = NaN] = statements.map(Number);
	const [text = NaN, kept = NaN] = data.map(Number);
	return { writes, reads, written, text, kept };
}
