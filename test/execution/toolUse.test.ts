import type { INodeParameters } from 'n8n-workflow';

import { toItems, type Run } from '../core/harness';
import { chosen, openBench, type Bench } from '../resources/bench';

let bench: Bench;

beforeAll(async () => {
	bench = await openBench();
});
afterAll(async () => {
	await bench.close();
});

async function useAsTool(parameters: INodeParameters, toolArguments: object): Promise<Run> {
	return await bench.harness.runAsTool({
		nodeType: 'n8n-nodes-browser-automation.browserAutomation',
		parameters: {
			resource: 'bot',
			operation: 'run',
			waitForCompletion: 'automatic',
			...parameters,
		},
		credentials: bench.apiCredential,
		items: toItems({ ...toolArguments }),
	});
}

function answerOf(run: Run): unknown {
	expect(run.error).toBeUndefined();
	return run.outputs[0]?.[0]?.json.answer;
}

const scraper = (most: string): INodeParameters => ({
	botId: chosen('1001'),
	inputMode: 'json',
	input: `={{ { keyword: $fromAI('keyword'), max_results: ${most} } }}`,
	options: {},
});

describe('a bot as the tool of an agent', () => {
	it('is given its input by the model, field by field', async () => {
		const run = await useAsTool(
			{
				botId: chosen('1001'),
				inputFields: {
					mappingMode: 'defineBelow',
					value: {
						keyword: "={{ $fromAI('keyword', 'What to look for', 'string') }}",
						max_results: "={{ $fromAI('most', 'How many', 'number') }}",
					},
					schema: [],
				},
				output: 'rows',
				options: {},
			},
			{ keyword: 'lamp', most: 2 },
		);
		expect(answerOf(run)).toMatchObject([
			{ title: expect.stringContaining('lamp') },
			{ title: expect.stringContaining('lamp') },
		]);
	});

	it('answers with what a model needs, and no nulls or steps', async () => {
		const run = await useAsTool({ ...scraper('2'), output: 'raw' }, { keyword: 'lamp' });
		const [answer] = JSON.parse(JSON.stringify(answerOf(run)));
		expect(answer).toMatchObject({ status: 'finished', output: [{}, {}] });
		expect(answer.output_files.json.download_url).toMatch(/^http/);
		expect(answer).not.toHaveProperty('steps');
		expect(JSON.stringify(answer)).not.toContain('null');
	});

	it.each(['rows', 'simplified'])('shortens a long answer and says so: %s', async (output) => {
		const run = await useAsTool({ ...scraper('500'), output }, { keyword: 'lamp' });
		const text = JSON.stringify(answerOf(run));
		expect(text.length).toBeLessThan(41_000);
		expect(text).toMatch(/"shown":\["[^"]*\d+ of 500 items"\]/);
		expect(text).toContain('to_get_the_rest');
	});

	it('says in the error itself what to do', async () => {
		const run = await useAsTool(scraper('900'), { keyword: 'lamp' });
		expect(run.error?.message).toContain('max_results) is 900, more than 500');
		expect(run.error?.message).toContain('Correct the fields named above');
	});
});

it('leaves the output of a step in a workflow as it is', async () => {
	const run = await bench.run('bot', 'run', {
		botId: chosen('1001'),
		inputMode: 'json',
		input: '{ "keyword": "lamp", "max_results": 500 }',
		waitForCompletion: 'poll',
		output: 'rows',
		options: {},
	});
	expect(run.outputs[0]).toHaveLength(500);
});
