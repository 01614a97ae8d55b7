import path from 'node:path';

import { N8nClient } from '../../n8n/client';
import type { Execution } from '../../n8n/execution';
import { placePackage, type PackedPackage } from '../../n8n/packedPackage';
import { startN8n, type N8nServer } from '../../n8n/server';
import { n8nVersions } from '../../n8n/versions';
import { waitUntil } from '../../n8n/waitUntil';
import { workflowOf } from '../../n8n/workflow';
import { packedPackage } from './sharedServer';
import { chosen } from '../fixture/parameters';
import { ownRunTrigger, pollingTrigger, triggered, triggerLine } from './triggerWorkflows';
import { after, asleep, finish, scrapeEach, words } from './waitingScene';
import { manualTrigger, openWorkbench, runBot, runInEditor, type Workbench } from './workbench';

/** The package as it was packed at that commit, without its type declarations. */
const EARLIER: PackedPackage = {
	name: packedPackage().name,
	archive: path.join(__dirname, 'earlier/908df2b.tgz'),
	remove: () => {},
};

/** How many runs of the scraper were started. A trigger's own run is its own affair: 0.1.0 kept it without an owner. */
async function scrapes({ sandbox }: Workbench): Promise<number> {
	return (await sandbox.runs()).filter(({ botId }) => botId === '1001').length;
}

/**
 * A sleeping execution when it is over. n8n 1 may mark it as crashed when it starts again (docs/develop/waiting.md: Limits); Retry goes on
 * with the same runs then.
 */
async function over(
	{ client }: Workbench,
	executionId: string,
	version: string,
): Promise<Execution> {
	const execution = await client.waitForExecution(executionId);
	if (version !== '1.123' || execution.status !== 'crashed') return execution;
	return await client.waitForExecution(await client.retryExecution(executionId));
}

const installationLimit = 20 * 60_000;

describe.each(n8nVersions)('an upgrade of the package in n8n %s', (version) => {
	let server: N8nServer;
	let bench: Workbench;

	beforeAll(async () => {
		server = await startN8n({ version, packages: [EARLIER] });
		bench = await openWorkbench(await N8nClient.signIn(server.url));
	}, installationLimit);

	afterAll(async () => {
		await bench?.close();
		await server?.remove();
	});

	it('wakes what fell asleep before it, and runs stored workflows as they are', async () => {
		const { client, credential, sandbox, botNode } = bench;
		const rows = await client.createWorkflow(
			workflowOf('Rows', [
				manualTrigger,
				botNode(
					runBot('1001', {
						input: JSON.stringify({ keyword: 'lamp', max_results: 2 }),
						output: 'rows',
						waitForCompletion: 'poll',
					}),
				),
			]),
		);
		const reading = await client.createWorkflow(
			workflowOf('Reading', [
				manualTrigger,
				botNode({ resource: 'bot', operation: 'get', botId: chosen('1001') }),
			]),
		);
		const before = [await runInEditor(client, rows), await runInEditor(client, reading)];
		expect(before.map(({ failure }) => failure)).toEqual([undefined, undefined]);
		const seen = (await sandbox.runs()).map(({ taskId }) => taskId);
		const polling = await client.createWorkflow(triggerLine(pollingTrigger(credential)));
		await client.activate(polling);
		await sandbox.setDurations({ created: 0, running: null });
		const own = await client.createWorkflow(triggerLine(ownRunTrigger(credential)));
		await client.activate(own);
		const ownRun = (await sandbox.runs()).at(-1)?.taskId ?? '';
		const sleeping = await client.createWorkflow(
			workflowOf('Sleeping', [manualTrigger, words('a', 'b'), botNode(scrapeEach()), after]),
		);
		const executionId = await asleep(
			client,
			(await client.runManually(sleeping, { trigger: manualTrigger.name })) ?? '',
		);
		const started = await scrapes(bench);

		await server.stop();
		await placePackage(packedPackage(), server.userFolder);
		await server.start();

		await finish(bench, 'b', 'a');
		const woken = await over(bench, executionId, version);
		expect(woken).toMatchObject({ status: 'success', failure: undefined });
		expect(woken.json('After').map(({ of }) => of)).toEqual(['a', 'b']);
		expect(await scrapes(bench)).toBe(started);

		await sandbox.moveRun({ taskId: ownRun, status: 'finished' });
		const [event] = await triggered(client, own, 1);
		expect(event?.[0]).toMatchObject({ task_id: ownRun, status: 'finished' });
		const polled = await waitUntil(
			async () => {
				const ids = (await triggered(client, polling, 1)).flat().map(({ task_id: id }) => id);
				return ids.includes(ownRun) ? ids : undefined;
			},
			{ timeout: 150_000, describe: () => 'The polling trigger did not tell of the last run' },
		);
		const ended = (await sandbox.runs()).filter(({ status }) => status === 'finished');
		const news = ended.map(({ taskId }) => taskId).filter((taskId) => !seen.includes(taskId));
		expect([...polled].sort()).toEqual(news.sort());

		await sandbox.setDurations({ created: 0, running: 0 });
		const afterwards = [await runInEditor(client, rows), await runInEditor(client, reading)];
		expect(afterwards.map(({ failure }) => failure)).toEqual([undefined, undefined]);
		expect(afterwards.map((execution) => execution.json('Bot').map(Object.keys))).toEqual(
			before.map((execution) => execution.json('Bot').map(Object.keys)),
		);
	}, 300_000);
});
