import { randomUUID } from 'node:crypto';

import { N8nClient } from '../../../../dev/n8n/client';
import { QueueMode } from '../../../../dev/n8n/queueMode';
import { startWithPackage } from '../../../../dev/n8n/startWithPackage';
import { newestN8n } from '../../../../dev/n8n/versions';
import { waitUntil } from '../../../../dev/n8n/waitUntil';
import { workflowOf } from '../../../../dev/n8n/workflow';
import { openService, openSetup, webhookNode, type Setup } from '../../setup';
import { botNode, next, startEach } from './workflows';

/** How long each run takes, in milliseconds, and how many the plan runs at the same time. */
const RUN_MS = 8_000;
const SLOTS = 3;

/**
 * Many executions of one run each on a plan with few slots, as when a webhook starts a run for each
 * call: the time beside the ideal, in which no slot is ever idle; how often starts were asked for; and
 * how far the order of the runs is from that of the calls.
 */
export async function slots(setup: Setup): Promise<void> {
	const { client, isQuick, server } = setup;
	const counts = isQuick ? [6] : [30, 100];
	await measure('', setup, server.url, counts);
	await measure(', no callback comes', setup, server.url, counts, false);
	const others = [await openService(client), await openService(client)];
	const busy = others.map(async (other) => {
		await measure(', another account', other, server.url, counts.slice(0, 1));
		await other.close();
	});
	await measure(', two other accounts busy', setup, server.url, counts.slice(0, 1));
	await Promise.all(busy);
}

/** The same where n8n carries out five executions at a time, and in queue mode with two workers. */
export async function slotSettings(isQuick: boolean): Promise<void> {
	const counts = isQuick ? [6] : [30];
	const limited = await openSetup({
		environment: { N8N_CONCURRENCY_PRODUCTION_LIMIT: '5' },
	});
	await measure(', five executions at a time', limited, limited.server.url, counts).finally(
		async () => await limited.close(),
	);
	const queue = await startWithPackage(
		async (given) => await QueueMode.start({ version: newestN8n(), workers: 2, ...given }),
	);
	try {
		const service = await openService(await N8nClient.signIn(queue.url));
		await measure(', in queue mode', service, queue.webhookUrl, counts).finally(
			async () => await service.close(),
		);
	} finally {
		await queue.remove();
	}
}

/** @param url where n8n's webhooks are called */
async function measure(
	setting: string,
	setup: Pick<Setup, 'client' | 'sandbox' | 'credential'>,
	url: string,
	counts: number[],
	callsBack = true,
): Promise<void> {
	const table: Record<string, Record<string, string>> = {};
	for (const count of counts) {
		const { client, sandbox } = setup;
		await sandbox.reset();
		await sandbox.setDurations({ created: 0, running: RUN_MS });
		await sandbox.setKey({ key: sandbox.key, concurrency: SLOTS });
		if (!callsBack) await sandbox.setCallbackFaults({ lose: 'all' });
		const path = `bench-${randomUUID()}`;
		const bot = botNode(setup, 'automatic', '$json.body.keyword');
		const workflow = await client.publish(workflowOf(path, [webhookNode(path), bot, next]));
		const begun = Date.now();
		await startEach(url, path, count);
		await waitUntil(
			async () => {
				const ended = (await sandbox.runs()).filter(({ finishedAt }) => finishedAt !== null);
				return ended.length >= count ? true : undefined;
			},
			{
				timeout: (count * RUN_MS * 3) / SLOTS + 60_000,
				interval: 200,
				describe: () => 'Not all runs have ended',
			},
		);
		const time = Date.now() - begun;
		const ideal = Math.ceil(count / SLOTS) * RUN_MS;
		const asked = (await sandbox.load()).byOperation['bot.run'] ?? 0;
		const runs = [...(await sandbox.runs())].sort((one, other) => one.createdAt - other.createdAt);
		const off = runs.map(({ input }, place) =>
			Math.abs(Number(String(input.keyword).slice(1)) - place),
		);
		table[`${count} executions, ${SLOTS} slots`] = {
			'time s': (time / 1_000).toFixed(0),
			'beside the ideal': (time / ideal).toFixed(2),
			'starts asked a run': (asked / count).toFixed(2),
			'order off by, mean': (off.reduce((sum, one) => sum + one, 0) / count).toFixed(1),
			'requests a minute': (((await sandbox.load()).total * 60_000) / time).toFixed(0),
		};
		await client.deactivate(workflow);
	}
	console.log(`\nExecutions of one run of 8 s each, on a plan with few slots${setting}`);
	console.table(table);
}
