import { workflowOf, type NodeSketch, type WorkflowDefinition } from '../../dev/n8n/workflow';
import { attempt } from '../../nodes/BrowserAutomation/service/attempt';
import { messageOf } from '../../nodes/BrowserAutomation/service/errors';
import {
	after,
	BEGINNINGS,
	CHECKS,
	expectResults,
	scrapeEach,
	words,
	type Beginning,
	type Cases,
	type Scene,
} from './waitingScene';
import { manualTrigger, until } from './workbench';

/**
 * n8n hands a callback's handler the execution as it was when the callback came. Slow reads of the
 * service, and callbacks in bursts, make sure that handlers end long after the execution went on.
 */
async function slowDown({ sandbox }: Scene): Promise<void> {
	await sandbox.addFault({ kind: 'latency', ms: 3_000, path: CHECKS });
	await sandbox.setCallbackFaults({ repeat: 6, repeatEveryMs: 700 });
}

export function numbered(count: number): string[] {
	return Array.from({ length: count }, (_, index) => String(index + 1));
}

/** A request for each item, by which the service sees how often this node was carried out. */
function between({ sandbox }: Scene): NodeSketch {
	return {
		name: 'Between',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			url: `${sandbox.url}/v3/bots/1002`,
			sendHeaders: true,
			headerParameters: { parameters: [{ name: 'Authorization', value: `Bearer ${sandbox.key}` }] },
			options: {},
		},
	};
}

/** Two nodes in a row that each start a run for each word. @param others what stands between them */
export function scrapesTwice(scene: Scene, given: string[], ...others: NodeSketch[]): NodeSketch[] {
	const input = "={{ { keyword: $('Words').item.json.keyword, max_results: 1 } }}";
	const first = scene.botNode(scrapeEach(), { name: 'First' });
	return [...words(...given), first, ...others, scene.botNode(scrapeEach({}, { input })), after];
}

/** Begins an execution of two nodes in a row that each start a run for each word, and waits until the first sleeps. */
export async function sleepAtFirst(scene: Scene, given: string[], beginning: Beginning) {
	return await scene.fallAsleep(scrapesTwice(scene, given, between(scene)), beginning);
}

/** Waits until the second of these nodes has started its runs, and sleeps. */
export async function sleepAtSecond(scene: Scene, count: number, executionId: string) {
	await until(async () => (await scene.starts()) >= 2 * count, 'the starts of the second node');
	await scene.untilAt('Bot', executionId);
}

export async function timesBetween({ sandbox }: Scene): Promise<number> {
	return (await sandbox.requests({ path: '/v3/bots/1002$' })).length;
}

async function twoInARow(scene: Scene, count: number, beginning: Beginning): Promise<void> {
	const { sandbox } = scene;
	const given = numbered(count);
	const executionId = await sleepAtFirst(scene, given, beginning);
	await slowDown(scene);
	await scene.finish(...given);
	await sleepAtSecond(scene, count, executionId);
	await sandbox.callbacksSettled();
	expect(await scene.starts()).toBe(2 * count);

	await scene.finish(...given);
	const execution = await scene.ending(executionId);
	await sandbox.callbacksSettled();
	expectResults(execution, ...given);
	expect(await scene.starts()).toBe(2 * count);
	expect(await timesBetween(scene)).toBe(count);
}

export function loopOver(scene: Scene, batchSize: number, given: string[]): WorkflowDefinition {
	const definition = workflowOf('Loop', [
		manualTrigger,
		...words(...given),
		{
			name: 'Loop',
			type: 'n8n-nodes-base.splitInBatches',
			typeVersion: 3,
			parameters: { batchSize, options: {} },
		},
		scene.botNode(scrapeEach()),
	]);
	return {
		...definition,
		connections: {
			...definition.connections,
			Loop: { main: [[], [{ node: 'Bot', type: 'main', index: 0 }]] },
			Bot: { main: [[{ node: 'Loop', type: 'main', index: 0 }]] },
		},
	};
}

async function loopInBursts(scene: Scene, beginning: Beginning): Promise<void> {
	const { sandbox } = scene;
	const given = numbered(8);
	await slowDown(scene);
	await sandbox.setDurations({ created: 0, running: 400 });
	const executionId = await scene.begin(loopOver(scene, 2, given), beginning);
	const execution = await scene.ending(executionId);
	await sandbox.callbacksSettled();

	expect(execution.failure?.message).toBeUndefined();
	expect(await scene.starts()).toBe(8);
	expect(execution.json('Loop', 0).map(({ task_id }) => task_id)).toEqual(
		(await sandbox.runs()).map(({ taskId }) => taskId),
	);
}

/** The plan allows three runs. Handlers for the first three end when the next three are waited for. */
async function freeSlots(scene: Scene, beginning: Beginning): Promise<void> {
	const { sandbox } = scene;
	const given = numbered(10);
	await sandbox.setKey({ key: sandbox.key, concurrency: 3 });
	const executionId = await scene.fallAsleep(scene.scrapes(given), beginning);
	await sandbox.setCallbackFaults({ repeat: 6, repeatEveryMs: 700 });
	const first = given.slice(0, 3);
	for (const keyword of first) {
		const path = `/${await scene.openRun(keyword)}/status$`;
		await sandbox.addFault({ kind: 'latency', ms: 3_000, path });
	}
	await scene.finish(...first);
	await until(async () => (await scene.starts()) >= 6, 'the free slots to be used');
	await scene.untilAt('Bot', executionId);
	await sandbox.callbacksSettled();
	expect(await scene.starts()).toBe(6);

	await sandbox.setDurations({ running: 400 });
	await scene.finish(...given.slice(3, 6));
	const execution = await scene.ending(executionId);
	await sandbox.callbacksSettled();
	expectResults(execution, ...given);
	expect(await scene.starts()).toBe(10);
}

/** No run is started twice, and no node is carried out again, by a handler that comes late. */
export const RACES: Cases = {
	// Few runs, which are read one by one, and many, by the list.
	'starts each run once: two nodes one after the other, 2 items, in the editor': async (scene) =>
		await twoInARow(scene, 2, 'in the editor'),
	'starts each run once: two nodes one after the other, 10 items, in an active workflow': async (
		scene,
	) => await twoInARow(scene, 10, 'in an active workflow'),
};

/** The same, of executions that are resumed many times in a row. */
export const LONG_RACES: Cases = Object.fromEntries(
	BEGINNINGS.flatMap((beginning) => [
		[
			`starts each run once: Loop Over Items with repeated callbacks, ${beginning}`,
			async (scene: Scene) => await loopInBursts(scene, beginning),
		],
		[
			`starts each run once: a plan for 3 runs, 10 items whose runs end at about the same time, ${beginning}`,
			async (scene: Scene) => await freeSlots(scene, beginning),
		],
	]),
);

/** What an execution fails with that n8n has resumed from an old state. */
const OLD_STATE = 'n8n resumed this execution from an old state of it. Nothing was started again';

/**
 * Cases where several processes share an n8n. One that is slow there may have an execution fail, without having started anything
 * twice (docs/use/waiting.md: Is a run ever started twice?).
 */
export function amongProcesses(cases: Cases): Cases {
	const actOrFail = async (scene: Scene, title: string): Promise<void> => {
		const played = await attempt(cases[title]?.(scene) ?? Promise.resolve());
		if (played.ok) return;
		if (!messageOf(played.error).includes(OLD_STATE)) throw played.error;
		console.info(`${title}: ${OLD_STATE}`);
		const given = (await scene.sandbox.runs()).map(({ input }) => input.keyword);
		expect(given).toEqual([...new Set(given)]);
	};
	const titles = Object.keys(cases);
	return Object.fromEntries(
		titles.map((title) => [title, async (scene) => await actOrFail(scene, title)]),
	);
}
