import { partsIn, Profiling, type Span } from '../profile';
import {
	chosen,
	feed,
	httpRequest,
	openSetup,
	ourNode,
	type NodeMeasure,
	type Setup,
} from '../setup';
import { download, fileOf, httpDownload } from './downloads';

const ITEMS = 1_000;
const BOT = '1001';
const ROUNDS = 5;

type Candidates = Record<string, () => Promise<NodeMeasure>>;

/** What n8n's main thread does while a node reads 1,000 items, or downloads a file of 100 MB. */
export async function profile(isQuick: boolean): Promise<void> {
	const profiling = new Profiling();
	const setup = await openSetup(isQuick, profiling.environment);
	try {
		const rounds = isQuick ? 1 : ROUNDS;
		await profileOf('1,000 items, one read each', await readers(setup), {
			setup,
			profiling,
			rounds,
		});
		await profileOf('A file of 100 MB', await downloaders(setup), { setup, profiling, rounds });
	} finally {
		await setup.close();
		profiling.remove();
	}
}

async function readers(setup: Setup): Promise<Candidates> {
	const parameters = { resource: 'bot', operation: 'get' };
	const fixed = ourNode(setup, { ...parameters, botId: chosen(BOT) });
	const byExpression = ourNode(setup, {
		...parameters,
		botId: chosen(`={{ $json.index < 0 ? "" : "${BOT}" }}`),
	});
	const url = `${setup.sandbox.url}/v3/bots/${BOT}`;
	return {
		'Browser Automation': await feed(setup, fixed, ITEMS),
		'its bot by an expression': await feed(setup, byExpression, ITEMS),
		'HTTP Request': await feed(setup, httpRequest(setup, url), ITEMS),
	};
}

async function downloaders(setup: Setup): Promise<Candidates> {
	const { taskIds } = await setup.sandbox.seedRuns({ count: 1, bot: '1007' });
	const [taskId = ''] = taskIds;
	const url = await fileOf(setup, taskId);
	return {
		'Browser Automation': await feed(setup, download(setup, taskId), 1),
		'HTTP Request': await feed(setup, httpDownload(setup, url), 1),
	};
}

/** Shows the parts of the thread's time that each candidate takes, a round after one to warm up. */
async function profileOf(
	title: string,
	candidates: Candidates,
	{ setup, profiling, rounds }: { setup: Setup; profiling: Profiling; rounds: number },
): Promise<void> {
	const columns: Record<string, Map<string, number>> = {};
	for (const [name, measure] of Object.entries(candidates)) {
		await measure();
		const spans: Span[] = [];
		const taken = await profiling.during(setup, async () => {
			for (let round = 0; round < rounds; round++) {
				const { startedAt, time } = await measure();
				spans.push({ from: startedAt, to: startedAt + time });
			}
		});
		columns[name] = partsIn(taken, spans);
	}
	console.log(`\n${title}: time of n8n's main thread, milliseconds in each of ${rounds} rounds`);
	console.table(tableOf(columns, rounds));
}

function tableOf(
	columns: Record<string, Map<string, number>>,
	rounds: number,
): Record<string, Record<string, string>> {
	const names = [...new Set(Object.values(columns).flatMap((parts) => [...parts.keys()]))].sort();
	const row = (figure: (parts: Map<string, number>) => number): Record<string, string> =>
		Object.fromEntries(
			Object.entries(columns).map(([name, parts]) => {
				const sum = sumOf(parts);
				const share = Math.round((100 * figure(parts)) / sum);
				return [name, `${(figure(parts) / rounds).toFixed(0)} (${share} %)`];
			}),
		);
	return Object.fromEntries([
		...names.map((name) => [name, row((parts) => parts.get(name) ?? 0)] as const),
		['all', row(sumOf)],
	]);
}

function sumOf(parts: Map<string, number>): number {
	return [...parts.values()].reduce((sum, part) => sum + part, 0);
}
