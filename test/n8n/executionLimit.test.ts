import { randomUUID } from 'node:crypto';

import { callWebhook } from '../../dev/n8n/callWebhook';
import { N8nClient } from '../../dev/n8n/client';
import { startN8n } from '../../dev/n8n/server';
import { n8nVersions, type N8nVersion } from '../../dev/n8n/versions';
import { workflowOf } from '../../dev/n8n/workflow';
import { CONNECTIONS, packedPackage } from './sharedServer';
import { loopOver } from './waitingRaces';
import {
	after,
	begin,
	ending,
	expectResults,
	openScene,
	scrapeEach,
	starts,
	words,
	type Scene,
} from './waitingScene';
import { webhookNode } from './workbench';

const SECOND = 1_000;

/** Runs end by themselves, so soon after their start. */
const durations = { created: 0, running: 3 * SECOND };

/** Begins an execution that holds a place for so many seconds: n8n's Wait node stays awake for less than 65 of them. */
async function occupy({ client, setup }: Scene, ...seconds: number[]): Promise<void> {
	const path = randomUUID();
	const waits = seconds.map((amount, index) => ({
		name: `Wait ${index}`,
		type: 'n8n-nodes-base.wait',
		typeVersion: 1.1,
		parameters: { amount, unit: 'seconds' },
	}));
	const workflow = await client.createWorkflow(
		workflowOf('Busy', [{ ...webhookNode(path, {}), position: [0, 0] }, ...waits]),
	);
	await client.activate(workflow);
	// n8n answers when the execution has its place.
	void callWebhook(setup.webhookUrl, path).catch(() => undefined);
}

async function batchOfThree(scene: Scene): Promise<void> {
	const given = ['1', '2', '3'];
	const nodes = [words(...given), scene.botNode(scrapeEach()), after];
	const executionId = await begin(scene, nodes, 'in an active workflow');
	await occupy(scene, 40);
	expectResults(await ending(scene, executionId, 10 * 60 * SECOND), ...given);
	expect(await starts(scene)).toBe(3);
}

async function twoInARow(scene: Scene): Promise<void> {
	const again = { input: "={{ { keyword: $('Words').item.json.keyword, max_results: 1 } }}" };
	const nodes = [
		words('1', '2'),
		scene.botNode(scrapeEach(), { name: 'First' }),
		scene.botNode({ ...scrapeEach(), ...again }),
		after,
	];
	const executionId = await begin(scene, nodes, 'in an active workflow');
	await occupy(scene, 40, 40);
	expectResults(await ending(scene, executionId, 10 * 60 * SECOND), '1', '2');
	expect(await starts(scene)).toBe(4);
}

async function threeRounds(scene: Scene): Promise<void> {
	const executionId = await begin(
		scene,
		loopOver(scene, 1, ['1', '2', '3']),
		'in an active workflow',
	);
	await occupy(scene, 40);
	const execution = await ending(scene, executionId, 10 * 60 * SECOND);
	expect(execution.failure).toBeUndefined();
	expect(await starts(scene)).toBe(3);
	const runs = (await scene.sandbox.runs()).map(({ taskId }) => taskId);
	expect(execution.json('Loop', 0).map(({ task_id }) => task_id)).toEqual(runs);
}

async function tenAtOnce(scene: Scene): Promise<void> {
	const nodes = [words('1', '2'), scene.botNode(scrapeEach()), after];
	const begun = Array.from(
		{ length: 10 },
		async () => await begin(scene, nodes, 'in an active workflow'),
	);
	await occupy(scene, 40);
	for (const executionId of await Promise.all(begun)) {
		expectResults(await ending(scene, executionId, 10 * 60 * SECOND), '1', '2');
	}
	expect(await starts(scene)).toBe(20);
}

const cases: Array<[N8nVersion, number, string, Array<(scene: Scene) => Promise<void>>]> =
	n8nVersions.flatMap((version) => [
		[version, 1, 'a batch, two nodes in a row, and a loop', [batchOfThree, twoInARow, threeRounds]],
		[version, 2, 'ten executions', [tenAtOnce]],
	]);

it.concurrent.each(cases)(
	'n8n %s with a limit of %i production executions, while others are busy: %s start each item once and end',
	async (version, limit, _, acts) => {
		const server = await startN8n({
			version,
			packages: [packedPackage()],
			environment: { ...CONNECTIONS, N8N_CONCURRENCY_PRODUCTION_LIMIT: String(limit) },
		});
		try {
			const client = await N8nClient.signIn(server.url);
			const setup = { version, client, webhookUrl: server.url };
			await Promise.all(
				acts.map(async (act) => {
					const scene = await openScene(setup, { durations });
					await act(scene).finally(async () => await scene.close());
				}),
			);
		} finally {
			await server.remove();
		}
	},
	15 * 60 * SECOND,
);
