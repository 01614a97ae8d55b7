import { randomUUID } from 'node:crypto';
import { callWebhook } from '../../dev/n8n/callWebhook';
import type { Execution } from '../../dev/n8n/execution';
import { chosen } from '../fixture/parameters';
import { callbackTrigger, PublishedTrigger, startAndTrigger } from './triggerWorkflows';
import { useBench } from './useBench';
import { words } from './waitingScene';
import { runBot } from './workbench';

const bench = useBench();

afterEach(async () => await bench().sandbox.reset());

const BOT = '1001';
const FAILING = '1004';
const ASKS_NOTHING = '1011';
const DETAILS = '^/v3/bots/runs/\\d+$|get-task';
const ROWS = [{ a: 1 }, { a: 2 }];

/** Runs a bot, whose runs say this of themselves. */
async function resultOf(
	members: Record<string, unknown>,
	{ bot = BOT, times = 1_000, isV2 = false, ...further }: Record<string, unknown> = {},
): Promise<Execution> {
	await bench().sandbox.addFault({ kind: 'members', members, path: DETAILS, times: Number(times) });
	const of = isV2 === true ? { resource: 'workflow', workflowId: chosen(String(bot)) } : {};
	const input = bot === BOT ? '{"keyword":"a"}' : '{}';
	const parameters = runBot(String(bot), { output: 'rows', input, ...of, ...further });
	return await bench().runLine([bench().botNode(parameters)]);
}

function hintsOf(execution: Execution): string[] {
	return execution.runs('Bot').at(-1)?.hints ?? [];
}

it.each([true, false])(
	'rows come from the JSON file of a bot that gives files alone (V2: %j)',
	async (isV2) => {
		await bench().sandbox.setOutput({ bot: BOT, output: ROWS, outputSchema: null, inFiles: true });
		const execution = await resultOf({}, { isV2 });

		expect(execution.failure).toBeUndefined();
		expect(execution.json('Bot')).toEqual(ROWS);
	},
);

it.each([
	['a block of code', `\`\`\`json\n${JSON.stringify(ROWS)}\n\`\`\``],
	['JSON in JSON', JSON.stringify(JSON.stringify(ROWS))],
	['JSON Lines', ROWS.map((row) => JSON.stringify(row)).join('\n')],
])('rows come from %s', async (_, output) => {
	expect((await resultOf({ output })).json('Bot')).toEqual(ROWS);
});

it.each([
	['CSV', 'a,b\n1,2', 'Default Output Format'],
	['a loop in a loop', [{ item: ROWS }, { item: ROWS }], 'List to Split Into Rows&#39;: item'],
])('a hint says what to do with %s', async (_, output, hint) => {
	const execution = await resultOf({ output });
	expect(hintsOf(execution)).toEqual([expect.stringContaining(hint)]);
});

it('an output that lags behind is waited for, and missed with a hint', async () => {
	await bench().sandbox.setOutput({ bot: BOT, output: ROWS, outputSchema: null });
	const missing = { output: null, output_files: null };
	expect((await resultOf(missing, { times: 2 })).json('Bot')).toEqual(ROWS);
	expect(hintsOf(await resultOf(missing))).toEqual([expect.stringContaining('without output')]);
});

it.each([[ROWS], [[]]])(
	'a run that failed with %j is an item, in the node and in a trigger',
	async (output) => {
		const outputOptions = { failedAsOutput: true };
		const execution = await resultOf({ output }, { bot: FAILING, outputOptions });
		const notifying = { waitForCompletion: 'none', notify: 'trigger' };
		const starter = bench().botNode(runBot(FAILING, notifying));
		const given = { events: ['runFailed'], output: 'rows' };
		const listening = callbackTrigger(bench().credential, given);
		const path = `failed${output.length}`;
		const line = startAndTrigger(path, starter, listening);
		const trigger = await PublishedTrigger.publish(bench(), line);
		await callWebhook(bench().client.session.url, path);
		const [reported] = await trigger.outputs(1);
		await trigger.unpublish();

		expect(execution.failure).toBeUndefined();
		const failure = { status: 'failed', task_failure_info: { code: 20031 }, output };
		expect(execution.json('Bot')).toMatchObject([failure]);
		expect(reported).toMatchObject([{ event: 'runFailed', ...failure }]);
	},
);

it.each([
	['a run failed', [FAILING, ASKS_NOTHING], ROWS],
	['they look like a failure', [ASKS_NOTHING], [{ a: 1, error: 'Out of stock' }, { a: 2 }]],
])('new rows come although n8n executes the node again, as %s', async (_, bots, output) => {
	await bench().sandbox.setOutput({ bot: ASKS_NOTHING, output, outputSchema: null });
	const parameters = runBot('={{ $json.keyword }}', {
		output: 'rows',
		rows: { onlyNewRows: 'all' },
	});
	const again = { retryOnFail: true, waitBetweenTries: 10, onError: 'continueRegularOutput' };
	const node = bench().botNode(parameters, { ...again, id: randomUUID() });
	const execution = await bench().runLine([words(...bots), node]);

	expect(execution.json('Bot').slice(-2)).toEqual(output);
	expect(execution.json('Bot')).toHaveLength(bots.length + 1);
});
