import { randomUUID } from 'node:crypto';
import { chosen } from '../fixture/parameters';
import { useBench } from './useBench';
import { words } from './waitingScene';
import { runBot } from './workbench';

const bench = useBench();

afterEach(async () => await bench().sandbox.reset());

const ASKS_NOTHING = '1011';
const ROWS = [{ a: 1 }, { a: 2 }];

it.each([
	['bot', 'botId'],
	['workflow', 'workflowId'],
])('rows come from the JSON file of a %s that gives files alone', async (resource, subject) => {
	const inFiles = { bot: '1001', output: ROWS, outputSchema: null, inFiles: true };
	await bench().sandbox.setOutput(inFiles);
	const of = { resource, [subject]: chosen('1001'), output: 'rows', input: '{"keyword":"a"}' };
	const execution = await bench().runLine([bench().botNode(runBot('1001', of))]);

	expect(execution.failure).toBeUndefined();
	expect(execution.json('Bot')).toEqual(ROWS);
});

it.each([
	['a run failed', ['1004', ASKS_NOTHING], ROWS],
	['they look like a failure', [ASKS_NOTHING], [{ a: 1, error: 'Out of stock' }, { a: 2 }]],
])('new rows come although n8n executes the node again, as %s', async (_, bots, output) => {
	await bench().sandbox.setOutput({ bot: ASKS_NOTHING, output, outputSchema: null });
	const parameters = runBot('={{ $json.keyword }}', {
		output: 'rows',
		rows: { onlyNewRows: 'all' },
	});
	const again = { retryOnFail: true, waitBetweenTries: 10, onError: 'continueRegularOutput' };
	const node = bench().botNode(parameters, { ...again, id: randomUUID() });
	const execution = await bench().runLine([...words(...bots), node]);

	expect(execution.json('Bot').slice(-2)).toEqual(output);
	expect(execution.json('Bot')).toHaveLength(bots.length + 1);
});
