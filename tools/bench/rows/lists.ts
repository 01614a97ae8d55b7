import { isDeepStrictEqual } from 'node:util';
import type { NodeSketch } from '../../../dev/n8n/workflow';
import { cpusOf, inTurn, ratios, shown, spreadOf, timesOf } from '../rounds';
import { feed, httpRequest, ourNode, type NodeMeasure, type Setup } from '../setup';

const RUNS = 10_000;
const PAGE = 100;
const LATENCY_MS = 20;
const ROUNDS = 5;

/** All of 10,000 runs, beside the pagination of n8n's HTTP Request node over the same pages. */
export async function lists(setup: Setup): Promise<void> {
	const { sandbox } = setup;
	await sandbox.reset();
	await sandbox.seedRuns({ count: RUNS });
	await sandbox.addFault({ kind: 'latency', ms: LATENCY_MS });
	const ours = await feed(
		setup,
		ourNode(setup, { resource: 'run', operation: 'getAll', returnAll: true, listOutput: 'raw' }),
		1,
	);
	const theirs = await feed(setup, paginated(setup), 1);
	const measures = await inTurn(ROUNDS, { ours, theirs });
	const [mine = [], others = []] = [measures.ours, measures.theirs];
	const listed = others[0]?.items.flatMap(({ items }) => (Array.isArray(items) ? items : []));
	const isSame = isDeepStrictEqual(mine[0]?.items, listed);
	console.log(`\nReturn All over ${RUNS} runs, ${PAGE} a page, ${LATENCY_MS} ms a page`);
	console.table({
		'Browser Automation': figures(mine),
		'HTTP Request with pagination': figures(others),
	});
	const times = ratios(timesOf(mine), timesOf(others));
	const cpus = ratios(cpusOf(mine), cpusOf(others));
	console.log(
		`Our time / its: ${shown(spreadOf(times), 2)}, our CPU / its: ${shown(spreadOf(cpus), 2)}`,
	);
	console.log(
		`${mine[0]?.items.length} items, ${isSame ? 'the same in the same order' : 'OTHER ITEMS'}`,
	);
}

/** n8n's HTTP Request node, which reads the same pages. */
export function paginated(setup: Setup): NodeSketch {
	return httpRequest(setup, `${setup.sandbox.url}/v3/bots/runs?limit=${PAGE}`, {
		pagination: {
			pagination: {
				paginationMode: 'updateAParameterInEachRequest',
				parameters: {
					parameters: [{ type: 'qs', name: 'page', value: '={{ $pageCount + 1 }}' }],
				},
				paginationCompleteWhen: 'other',
				completeExpression: '={{ $response.body.page >= $response.body.total_pages }}',
			},
		},
	});
}

function figures(measures: NodeMeasure[]): Record<string, string> {
	return {
		'time (ms)': shown(spreadOf(timesOf(measures))),
		'CPU (ms)': shown(spreadOf(cpusOf(measures))),
	};
}
