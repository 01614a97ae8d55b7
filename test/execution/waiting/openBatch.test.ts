import type { IExecuteFunctions } from 'n8n-workflow';

import { keepLedger } from '../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { earlierLedger } from '../../../nodes/BrowserAutomation/execution/waiting/openBatch';
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
		return earlierLedger(context).own !== undefined;
	};
	expect(await insideNode((context) => [isTakenUp(context)], {}, n8n)).toEqual([expected]);
});

it.each([
	['Completion Callback URL', { callbackUrl: 'ftp://example.com/done' }],
	['Status Callback URL', { statusChangeCallbackUrl: 'ftp://example.com/status' }],
])('nothing is started with a %s that the service cannot call', async (name, urls) => {
	const run = await scene.run({
		parameters: scrape({ waitForCompletion: 'none', notify: 'urls', ...urls }),
		items: keywords('a'),
	});

	expect(run.error?.message).toContain(name);
	expect(await scene.asked('bot.run')).toBe(0);
});
