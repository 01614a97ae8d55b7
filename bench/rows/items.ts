import type { NodeSketch } from '../../n8n/workflow';
import { inTurn, ratios, shown, spreadOf } from '../rounds';
import { feed, type NodeMeasure, type Stage } from '../stage';

const COUNT = 1_000;
const ROUNDS = 5;
const BOT = '1001';

/** 1,000 items with one read each, beside n8n's HTTP Request node as it is and at its best. */
export async function items(stage: Stage): Promise<void> {
	for (const latency of [20, 1_000]) await itemsAt(stage, latency);
}

async function itemsAt(stage: Stage, latency: number): Promise<void> {
	const { sandbox } = stage;
	await sandbox.clearFaults();
	await sandbox.addFault({ kind: 'latency', ms: latency });
	const contenders = {
		'Browser Automation': ourNode(stage),
		'HTTP Request': httpRequest(stage),
		'HTTP Request, batches of 50': httpRequest(stage, 50),
		'HTTP Request, batches of 100': httpRequest(stage, 100),
	};
	const measuring: Record<string, () => Promise<Counted>> = {};
	for (const [name, node] of Object.entries(contenders)) {
		measuring[name] = counting(stage, await feed(stage, node, COUNT));
	}
	const measures = await inTurn(ROUNDS, measuring);
	const ours = measures['Browser Automation'] ?? [];
	console.log(`\n${COUNT} items, one read each, the service answers in ${latency} ms`);
	console.table(
		Object.fromEntries(
			Object.entries(measures).map(([name, theirs]) => [
				name,
				{
					'time (ms)': shown(spreadOf(theirs.map(({ time }) => time))),
					'CPU (ms)': shown(spreadOf(theirs.map(({ cpu }) => cpu))),
					'requests at once': shown(spreadOf(theirs.map(({ requests }) => requests))),
					connections: shown(spreadOf(theirs.map(({ connections }) => connections))),
					'our time / its': shown(
						spreadOf(
							ratios(
								ours.map(({ time }) => time),
								theirs.map(({ time }) => time),
							),
						),
						2,
					),
					'our CPU / its': shown(
						spreadOf(
							ratios(
								ours.map(({ cpu }) => cpu),
								theirs.map(({ cpu }) => cpu),
							),
						),
						2,
					),
				},
			]),
		),
	);
}

interface Counted {
	time: number;
	cpu: number;
	requests: number;
	connections: number;
}

function counting({ sandbox }: Stage, measure: () => Promise<NodeMeasure>): () => Promise<Counted> {
	return async () => {
		await sandbox.clearRequests();
		const { time, cpu, items: returned } = await measure();
		if (returned !== COUNT) throw new Error(`${returned} items came back instead of ${COUNT}`);
		const { peakRequests, peakConnections } = await sandbox.load();
		return { time, cpu, requests: peakRequests, connections: peakConnections };
	};
}

function credentialsOf({ credential }: Stage): NodeSketch['credentials'] {
	return { [credential.type]: { id: credential.credentialId, name: credential.name } };
}

function ourNode(stage: Stage): NodeSketch {
	return {
		name: 'Node',
		type: 'n8n-nodes-browser-automation.browserAutomation',
		parameters: {
			resource: 'bot',
			operation: 'get',
			botId: { __rl: true, mode: 'id', value: BOT },
			options: {},
		},
		credentials: credentialsOf(stage),
	};
}

function httpRequest(stage: Stage, batchSize?: number): NodeSketch {
	return {
		name: 'Node',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			url: `${stage.sandbox.url}/v3/bots/${BOT}`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: stage.credential.type,
			options:
				batchSize === undefined ? {} : { batching: { batch: { batchSize, batchInterval: 1 } } },
		},
		credentials: credentialsOf(stage),
	};
}
