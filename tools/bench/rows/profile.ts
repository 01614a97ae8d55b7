import { partsIn, Profiling, type Span } from '../profile';
import {
	chosen,
	feed,
	httpRequest,
	openStage,
	ourNode,
	type NodeMeasure,
	type Stage,
} from '../stage';
import { download, fileOf, httpDownload } from './downloads';

const ITEMS = 1_000;
const BOT = '1001';
const ROUNDS = 5;

type Contenders = Record<string, () => Promise<NodeMeasure>>;

/** What n8n's main thread does while a node reads 1,000 items, or downloads a file of 100 MB. */
export async function profile(isQuick: boolean): Promise<void> {
	const profiling = new Profiling();
	const stage = await openStage(isQuick, profiling.environment);
	try {
		const rounds = isQuick ? 1 : ROUNDS;
		await profileOf('1,000 items, one read each', await readers(stage), {
			stage,
			profiling,
			rounds,
		});
		await profileOf('A file of 100 MB', await downloaders(stage), { stage, profiling, rounds });
	} finally {
		await stage.close();
		profiling.remove();
	}
}

async function readers(stage: Stage): Promise<Contenders> {
	const parameters = { resource: 'bot', operation: 'get' };
	const fixed = ourNode(stage, { ...parameters, botId: chosen(BOT) });
	const byExpression = ourNode(stage, {
		...parameters,
		botId: chosen(`={{ $json.index < 0 ? "" : "${BOT}" }}`),
	});
	const url = `${stage.sandbox.url}/v3/bots/${BOT}`;
	return {
		'Browser Automation': await feed(stage, fixed, ITEMS),
		'its bot by an expression': await feed(stage, byExpression, ITEMS),
		'HTTP Request': await feed(stage, httpRequest(stage, url), ITEMS),
	};
}

async function downloaders(stage: Stage): Promise<Contenders> {
	const { taskIds } = await stage.sandbox.seedRuns({ count: 1, bot: '1007' });
	const [taskId = ''] = taskIds;
	const url = await fileOf(stage, taskId);
	return {
		'Browser Automation': await feed(stage, download(stage, taskId), 1),
		'HTTP Request': await feed(stage, httpDownload(stage, url), 1),
	};
}

/** Shows the parts of the thread's time that each contender takes, a round after one to warm up. */
async function profileOf(
	title: string,
	contenders: Contenders,
	{ stage, profiling, rounds }: { stage: Stage; profiling: Profiling; rounds: number },
): Promise<void> {
	const columns: Record<string, Map<string, number>> = {};
	for (const [name, measure] of Object.entries(contenders)) {
		await measure();
		const spans: Span[] = [];
		const taken = await profiling.during(stage, async () => {
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
