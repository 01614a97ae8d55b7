import type { IExecuteFunctions } from 'n8n-workflow';

import { keepLedger } from '../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { earlierOf } from '../../../nodes/BrowserAutomation/execution/waiting/openPass';
import { chosen } from '../../fixture';
import { insideNode, type Otherwise } from '../insideNode';
import { ledgerOf } from './ledgerOf';
import { keywords, scrape, useScene } from './scene';

const scene = useScene();

it.each<[string, number, Otherwise, boolean]>([
	['in the same round of a loop', 0, {}, true],
	['in another round', 1, {}, false],
	['by a tool, called many times in one round', 0, { isToolExecution: () => true }, false],
])('what an earlier attempt left is taken up, or not, %s', async (_, runIndex, n8n, expected) => {
	const isTakenUp = (context: IExecuteFunctions): boolean => {
		keepLedger(context.getContext('node'), ledgerOf([], { runIndex }));
		return earlierOf(context).own !== undefined;
	};
	expect(await insideNode((context) => [isTakenUp(context)], {}, n8n)).toEqual([expected]);
});

it.each([
	['Completion Callback URL', { callbackUrl: 'ftp://example.com/done' }],
	['Status Callback URL', { statusChangeCallbackUrl: 'ftp://example.com/status' }],
])('nothing is started with a %s that the service cannot call', async (name, urls) => {
	const parameters = scrape({ waitForCompletion: 'none', notify: 'urls', ...urls });
	const run = await scene.run({ parameters, items: keywords('a') });

	expect(run.error?.message).toContain(name);
	expect(await scene.asked('bot.run')).toBe(0);
});

it('where a bot asks for more by now, the error of a retry names the runs that it would go on with', async () => {
	await scene.sandbox.addBot({ id: '4711', name: 'Before' });
	// In the editor, an execution shares no schema with others that begin together.
	const how = { parameters: scrape({ botId: chosen('4711') }), mode: 'manual' as const };
	const asleep = await scene.run({ items: keywords('a', 'b'), ...how });
	await scene.move('b', 'failed');
	const failed = await scene.end(asleep, 'a');
	const inputSchema = { type: 'object', properties: { level: {} }, required: ['level'] };
	await scene.sandbox.addBot({ id: '4711', name: 'Changed', inputSchema });
	const { error } = await scene.harness.retry(failed);
	expect(error?.message).toContain('does not fit');
	expect(error?.description).toContain((await scene.idsFor('a'))[0]);
	expect(await scene.asked('bot.run')).toBe(2);
});
