import { waitUntil } from '../../../dev/n8n/waitUntil';
import { cpusOf, inTurn, ratios, shown, spreadOf, timesOf } from '../rounds';
import { chosen, feed, httpRequest, ourNode, type NodeMeasure, type Setup } from '../setup';

const COUNT = 1_000;
const BOT = '1001';
const OURS = 'Browser Automation';
const BARE = 'fetch in a bare loop';
const BARE_ANEW = 'fetch, a connection each';

/** As many requests at once as our node sends by default. */
const CONCURRENCY = 20;

/** 1,000 items with one read each, beside n8n's HTTP Request node as it is and at its best. */
export async function items(setup: Setup): Promise<void> {
	await itemsAt(setup, { latency: 20, rounds: 5 });
	await itemsAt(setup, { latency: 1_000, rounds: 1 });
}

/** Measures with a service that answers so late, in milliseconds. */
async function itemsAt(
	setup: Setup,
	{ latency, rounds }: { latency: number; rounds: number },
): Promise<void> {
	const { sandbox } = setup;
	const url = `${sandbox.url}/v3/bots/${BOT}`;
	await sandbox.clearFaults();
	await sandbox.addFault({ kind: 'latency', ms: latency });
	const candidates = {
		[OURS]: ourNode(setup, {
			resource: 'bot',
			operation: 'get',
			botId: chosen(BOT),
		}),
		'HTTP Request': httpRequest(setup, url),
		'HTTP Request, batches of 50': httpRequest(setup, url, batches(50)),
		'HTTP Request, batches of 100': httpRequest(setup, url, batches(100)),
	};
	const measuring: Record<string, () => Promise<Counted>> = {
		[BARE]: async () => await bareLoop(setup, url, {}),
		[BARE_ANEW]: async () => await bareLoop(setup, url, { connection: 'close' }),
	};
	for (const [name, node] of Object.entries(candidates)) {
		measuring[name] = counting(setup, await feed(setup, node, COUNT));
	}
	const measures = await inTurn(rounds, measuring);
	const ours = measures[OURS] ?? [];
	console.log(`\n${COUNT} items, one read each, the service answers in ${latency} ms`);
	const columns = (theirs: Counted[]) => ({
		'time (ms)': shown(spreadOf(theirs.map(({ time }) => time))),
		'CPU (ms)': shown(spreadOf(theirs.map(({ cpu }) => cpu))),
		'requests at once': shown(spreadOf(theirs.map(({ requests }) => requests))),
		connections: shown(spreadOf(theirs.map(({ connections }) => connections))),
		'our time / its': shown(spreadOf(ratios(timesOf(ours), timesOf(theirs))), 2),
		'our CPU / its': shown(spreadOf(ratios(cpusOf(ours), cpusOf(theirs))), 2),
	});
	console.table(
		Object.fromEntries(Object.entries(measures).map(([name, theirs]) => [name, columns(theirs)])),
	);
	for (const name of [BARE, BARE_ANEW]) {
		const bare = measures[name] ?? [];
		const overheads = ours.map(({ time }, round) => (time - (bare[round]?.time ?? NaN)) / COUNT);
		console.log(`Our time an item over ${name}: ${shown(spreadOf(overheads), 2, ' ms')}`);
	}
}

function batches(batchSize: number): Record<string, unknown> {
	return { batching: { batch: { batchSize, batchInterval: 1 } } };
}

/** The same requests without n8n, from this process, whose CPU time does not count. */
async function bareLoop(
	{ sandbox }: Setup,
	url: string,
	further: Record<string, string>,
): Promise<Counted> {
	await startCounting(sandbox);
	const begin = performance.now();
	let left = COUNT;
	const lane = async (): Promise<void> => {
		while (left-- > 0) {
			const headers = { authorization: `Bearer ${sandbox.key}`, ...further };
			const answer = await fetch(url, { headers });
			await answer.json();
		}
	};
	await Promise.all(Array.from({ length: CONCURRENCY }, lane));
	const time = performance.now() - begin;
	const { peakRequests, peakConnections } = await sandbox.load();
	return { time, cpu: NaN, requests: peakRequests, connections: peakConnections };
}

/** Counts from nothing: the connections that the last candidate kept alive are closed first. */
async function startCounting(sandbox: Setup['sandbox']): Promise<void> {
	await waitUntil(async () => ((await sandbox.load()).connections === 0 ? true : undefined), {
		timeout: 60_000,
		interval: 100,
		describe: () => 'The connections of the last candidate are not closed',
	});
	await sandbox.clearRequests();
}

interface Counted {
	time: number;
	/** Of n8n; not a number for what ran outside. */
	cpu: number;
	requests: number;
	connections: number;
}

function counting({ sandbox }: Setup, measure: () => Promise<NodeMeasure>): () => Promise<Counted> {
	return async () => {
		await startCounting(sandbox);
		const { time, cpu, items: returned } = await measure();
		if (returned.length !== COUNT)
			throw new Error(`${returned.length} items came back instead of ${COUNT}`);
		const { peakRequests, peakConnections } = await sandbox.load();
		return { time, cpu, requests: peakRequests, connections: peakConnections };
	};
}
