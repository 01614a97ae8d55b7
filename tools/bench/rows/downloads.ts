import type { NodeSketch } from '../../../dev/n8n/workflow';
import { inTurn, ratios, shown, spreadOf, timesOf } from '../rounds';
import { watchingMemory, type Watched } from '../memory';
import { chosen, feed, httpRequest, ourNode, type NodeMeasure, type Setup } from '../setup';

const ROUNDS = 5;

/** One file of 100 MB into n8n's binary store, beside n8n's HTTP Request node. */
export async function downloads(setup: Setup): Promise<void> {
	const { sandbox } = setup;
	await sandbox.reset();
	const { taskIds } = await sandbox.seedRuns({ count: 1, bot: '1007' });
	const [taskId = ''] = taskIds;
	const url = await fileOf(setup, taskId);
	const candidates = {
		ours: download(setup, taskId),
		theirs: httpDownload(setup, url),
	};
	const measures = await inTurn(ROUNDS, {
		ours: watchingMemory(setup, await feed(setup, candidates.ours, 1)),
		theirs: watchingMemory(setup, await feed(setup, candidates.theirs, 1)),
	});
	const [ours = [], theirs = []] = [measures.ours, measures.theirs];
	console.log('\nA download of 100 MB');
	console.table({ 'Browser Automation': figures(ours), 'HTTP Request': figures(theirs) });
	const times = ratios(timesOf(ours), timesOf(theirs));
	console.log(`Our time / its: ${shown(spreadOf(times), 2)}`);
}

function figures(measures: Array<NodeMeasure & Watched>): Record<string, string> {
	return {
		'time (ms)': shown(spreadOf(timesOf(measures))),
		'memory before (MB)': shown(spreadOf(measures.map(({ before }) => before))),
		'growth at the peak (MB)': shown(spreadOf(measures.map(({ peak, before }) => peak - before))),
		'growth after (MB)': shown(spreadOf(measures.map(({ after, before }) => after - before))),
	};
}

/** Our node, which downloads the archive of a run. */
export function download(setup: Setup, taskId: string): NodeSketch {
	return ourNode(setup, {
		resource: 'run',
		operation: 'downloadFiles',
		taskId: chosen(taskId),
		fileTypes: ['other'],
	});
}

/** n8n's HTTP Request node, which downloads a file. */
export function httpDownload(setup: Setup, url: string): NodeSketch {
	return httpRequest(setup, url, { response: { response: { responseFormat: 'file' } } });
}

/** Where a file of a run is: its archive, or its result of a format. */
export async function fileOf({ sandbox }: Setup, taskId: string, format = ''): Promise<string> {
	const answer = await fetch(`${sandbox.url}/v3/bots/runs/${taskId}`, {
		headers: { authorization: `Bearer ${sandbox.key}` },
	});
	const text = await answer.text();
	const links = [...text.matchAll(/"download_url":"([^"]+)"/g)].map(([, url = '']) => url);
	const url = links.find((link) => link.includes(`.${format}`));
	if (url === undefined) throw new Error(`The run has no file: ${text}`);
	return url;
}
