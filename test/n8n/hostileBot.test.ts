import type { Execution } from '../../dev/n8n/execution';
import { workflowOf } from '../../dev/n8n/workflow';
import { useBench } from './useBench';
import { manualTrigger, runBot, runInEditor } from './workbench';

/** A bot of the sandbox whose input schema is made to keep n8n busy. */
const HOSTILE_BOT = '1010';

const bench = useBench();

/** After so long an n8n that is asked how it is counts as busy, in milliseconds. */
const PATIENCE_MS = 10_000;

interface Answers {
	given: number;
	missing: number;
}

/** Asks n8n how it is, again as soon as it has answered, until some work is done. */
async function answersDuring<T>(work: Promise<T>): Promise<{ result: T; answers: Answers }> {
	const answers = { given: 0, missing: 0 };
	let isOver = false;
	const asking = (async () => {
		while (!isOver) {
			const isAnswered = await fetch(`${bench().client.session.url}/healthz`, {
				signal: AbortSignal.timeout(PATIENCE_MS),
			}).then(
				({ ok }) => ok,
				() => false,
			);
			if (isAnswered) answers.given += 1;
			else answers.missing += 1;
		}
	})();
	try {
		return { result: await work, answers };
	} finally {
		isOver = true;
		await asking;
	}
}

const botId = { __rl: true, mode: 'id', value: HOSTILE_BOT };

describe('a bot whose schema is made to keep n8n busy', () => {
	it('has an answer for who opens its form, and n8n answers others meanwhile', async () => {
		const form = bench().client.resourceMapperFields({
			nodeType: 'n8n-nodes-browser-automation.browserAutomation',
			method: 'getInputFields',
			parameter: 'inputFields',
			parameters: { resource: 'bot', operation: 'run', botId, inputMode: 'fields' },
			credential: bench().credential,
		});
		const { result, answers } = await answersDuring(form);

		expect(Array.isArray(result)).toBe(true);
		expect(answers).toEqual({ given: expect.any(Number), missing: 0 });
		expect(answers.given).toBeGreaterThan(0);
	});

	async function run(input: object): Promise<Execution> {
		const { client, botNode } = bench();
		const node = botNode(runBot(HOSTILE_BOT, { input: JSON.stringify(input) }));
		const workflow = await client.createWorkflow(workflowOf('Hostile', [manualTrigger, node]));
		return await runInEditor(client, workflow);
	}

	it('runs, and n8n answers others meanwhile', async () => {
		const input = { words: 'a '.repeat(40), tree: [[[]]], ['a'.repeat(40)]: 1 };
		const before = (await bench().sandbox.runs()).length;
		const { result, answers } = await answersDuring(run(input));
		const runs = (await bench().sandbox.runs()).slice(before);

		expect(result).toMatchObject({ status: 'success', failure: undefined });
		expect(runs).toEqual([expect.objectContaining({ input })]);
		expect(answers).toEqual({ given: expect.any(Number), missing: 0 });
		expect(answers.given).toBeGreaterThan(3);
	});

	it('leaves an input to the service that other programs take ages to refuse', async () => {
		const before = (await bench().sandbox.runs()).length;
		const { result, answers } = await answersDuring(run({ words: `${'a'.repeat(40)}!` }));

		expect(result).toMatchObject({ status: 'success', failure: undefined });
		expect(await bench().sandbox.runs()).toHaveLength(before + 1);
		expect(answers).toEqual({ given: expect.any(Number), missing: 0 });
	});
});
