import { setTimeout as sleep } from 'node:timers/promises';
import { fetchAlone } from '../../dev/fetchAlone';
import type { Execution } from '../../dev/n8n/execution';
import { useBench } from './useBench';
import { runBot } from './workbench';

/** A bot of the sandbox whose input schema is made to keep n8n busy. */
const HOSTILE_BOT = '1010';

const bench = useBench();

/** After so long an n8n that is asked how it is counts as busy, in milliseconds. */
const PATIENCE_MS = 10_000;

/** Does some work, while n8n is asked how it is, again soon after it has answered; it has to answer so often at least. */
async function answeringOthers<T>(least: number, work: Promise<T>): Promise<T> {
	const answers: boolean[] = [];
	let isOver = false;
	const ask = async (): Promise<boolean> => {
		const signal = AbortSignal.timeout(PATIENCE_MS);
		return (await fetchAlone(`${bench().client.session.url}/healthz`, { signal })).ok;
	};
	const asking = (async () => {
		for (; !isOver; await sleep(50)) answers.push(await ask().catch(() => false));
	})();
	const done = await work.finally(() => (isOver = true));
	await asking;
	expect(answers).toEqual(answers.map(() => true));
	expect(answers.length).toBeGreaterThanOrEqual(least);
	return done;
}

describe('a bot whose schema is made to keep n8n busy', () => {
	it('has an answer for who opens its form, and n8n answers others meanwhile', async () => {
		const form = bench().formOf(HOSTILE_BOT);
		expect(Array.isArray(await answeringOthers(1, form))).toBe(true);
	});

	async function run(input: object): Promise<Execution> {
		const parameters = runBot(HOSTILE_BOT, { input: JSON.stringify(input) });
		return await bench().runLine([bench().botNode(parameters)]);
	}

	it('runs, and n8n answers others meanwhile', async () => {
		const input = { words: 'a '.repeat(40), tree: [[[]]], ['a'.repeat(40)]: 1 };
		const before = (await bench().sandbox.runs()).length;
		const execution = await answeringOthers(4, run(input));
		const runs = (await bench().sandbox.runs()).slice(before);

		expect(execution).toMatchObject({ status: 'success', failure: undefined });
		expect(runs).toEqual([expect.objectContaining({ input })]);
	});
});
