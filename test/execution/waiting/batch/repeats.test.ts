import { unlessRepeated } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/repeats';
import type { JsonObject } from '../../../../nodes/BrowserAutomation/service/json/json';
import { ledgerOf } from '../ledgerOf';

/** Whether an input of the bot's defaults alone is started where the service lists this run of the bot. */
async function isStarted(listed: JsonObject): Promise<boolean> {
	const client = {
		baseUrl: 'https://service.test',
		send: async ({ path }: { path: string }) =>
			path.endsWith('/runs')
				? {
						items: [
							{ task_id: '7', status: 'running', created_at: new Date().toISOString(), ...listed },
						],
						limit: 100,
					}
				: { input_schema: { type: 'object', properties: { pages: { default: 3 } } } },
	};
	const ledger = ledgerOf([], {}, { noRepeatMs: 60_000 });
	const startOnce = unlessRepeated(client, JSON.stringify(listed), ledger);
	const request = { method: 'POST', path: '/v3/bots/1/runs', body: { input: {} } } as const;
	return (await startOnce('digest', request, async () => '8')) === undefined;
}

it.each<[boolean, string, JsonObject]>([
	[false, 'of the defaults', { input: { pages: 3 } }],
	[false, 'without them', { input: {} }],
	[true, 'of other values', { input: { pages: 4 } }],
	[true, 'that the service does not tell', {}],
	[true, 'that the service tells as nothing', { input: null }],
	[true, 'of another bot', { bot_id: '2', input: {} }],
])('an input of defaults is started %s beside a run with an input %s', async (starts, _, run) => {
	expect(await isStarted(run)).toBe(starts);
});
