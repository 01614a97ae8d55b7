import { inTurn, ratios, shown, spreadOf, timesOf } from '../rounds';
import { feed, httpRequest, ourNode, type Stage } from '../stage';

const ROUNDS = 5;
const MEGABYTE = 1024 ** 2;
const SAMPLE_MS = 20;

/** One file of 100 MB into n8n's binary store, beside n8n's HTTP Request node. */
export async function downloads(stage: Stage): Promise<void> {
	const { sandbox } = stage;
	await sandbox.reset();
	const { taskIds } = await sandbox.seedRuns({ count: 1, bot: '1007' });
	const [taskId = ''] = taskIds;
	const url = await fileOf(stage, taskId);
	const contenders = {
		ours: ourNode(stage, {
			resource: 'run',
			operation: 'downloadFiles',
			taskId: { __rl: true, mode: 'id', value: taskId },
			fileTypes: ['other'],
		}),
		theirs: httpRequest(stage, url, { response: { response: { responseFormat: 'file' } } }),
	};
	const measures = await inTurn(ROUNDS, {
		ours: watching(stage, await feed(stage, contenders.ours, 1)),
		theirs: watching(stage, await feed(stage, contenders.theirs, 1)),
	});
	const [ours = [], theirs = []] = [measures.ours, measures.theirs];
	console.log('\nA download of 100 MB');
	console.table({ 'Browser Automation': figures(ours), 'HTTP Request': figures(theirs) });
	const times = ratios(timesOf(ours), timesOf(theirs));
	console.log(`Our time / its: ${shown(spreadOf(times), 2)}`);
}

interface Watched {
	time: number;
	/** Resident memory of n8n, in MB. */
	before: number;
	peak: number;
	after: number;
}

function watching(
	{ server }: Stage,
	measure: () => Promise<{ time: number }>,
): () => Promise<Watched> {
	return async () => {
		const before = server.memory() / MEGABYTE;
		let peak = before;
		const sampling = setInterval(() => {
			peak = Math.max(peak, server.memory() / MEGABYTE);
		}, SAMPLE_MS);
		const { time } = await measure().finally(() => clearInterval(sampling));
		return { time, before, peak, after: server.memory() / MEGABYTE };
	};
}

function figures(measures: Watched[]): Record<string, string> {
	return {
		'time (ms)': shown(spreadOf(timesOf(measures))),
		'memory before (MB)': shown(spreadOf(measures.map(({ before }) => before))),
		'growth at the peak (MB)': shown(spreadOf(measures.map(({ peak, before }) => peak - before))),
		'growth after (MB)': shown(spreadOf(measures.map(({ after, before }) => after - before))),
	};
}

/** Where the run's file is. */
async function fileOf({ sandbox }: Stage, taskId: string): Promise<string> {
	const answer = await fetch(`${sandbox.url}/v3/bots/runs/${taskId}`, {
		headers: { authorization: `Bearer ${sandbox.key}` },
	});
	const text = await answer.text();
	const url = /"download_url":"([^"]+)"/.exec(text)?.[1];
	if (url === undefined) throw new Error(`The run has no file: ${text}`);
	return url;
}
