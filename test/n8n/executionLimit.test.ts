import { randomUUID } from 'node:crypto';

import { callWebhook } from '../../dev/n8n/callWebhook';
import { N8nClient } from '../../dev/n8n/client';
import { startN8n } from '../../dev/n8n/server';
import { n8nVersions, type N8nVersion } from '../../dev/n8n/versions';
import { workflowOf, type NodeSketch } from '../../dev/n8n/workflow';
import { CONNECTIONS, packedPackage } from './sharedServer';
import { light } from './useBench';
import { loopOver, scrapesTwice } from './waitingRaces';
import { expectResults, inScene, type Scene } from './waitingScene';
import { webhookNode } from './workbench';

const SECOND = 1_000;

/** How long an execution may take where others are busy. */
const PATIENCE = 600 * SECOND;

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
	await client.publish(
		workflowOf('Busy', [{ ...webhookNode(path, {}), position: [0, 0] }, ...waits]),
	);
	// n8n answers when the execution has its place.
	void callWebhook(setup.webhookUrl, path).catch(() => undefined);
}

/** Begins so many executions of nodes, and waits for their results for these words. */
async function play(
	scene: Scene,
	nodes: NodeSketch[],
	given: string[],
	{ executions = 1, occupied = [40] } = {},
): Promise<void> {
	const begun = Array.from(
		{ length: executions },
		async () => await scene.begin(nodes, 'in an active workflow'),
	);
	await occupy(scene, ...occupied);
	for (const executionId of await Promise.all(begun)) {
		expectResults(await scene.ending(executionId, PATIENCE), ...given);
	}
}

async function batchOfThree(scene: Scene): Promise<void> {
	const given = ['1', '2', '3'];
	await play(scene, scene.scrapes(given), given);
	expect(await scene.starts()).toBe(3);
}

async function twoInARow(scene: Scene): Promise<void> {
	const nodes = scrapesTwice(scene, ['1', '2']);
	await play(scene, nodes, ['1', '2'], { occupied: [40, 40] });
	expect(await scene.starts()).toBe(4);
}

async function threeRounds(scene: Scene): Promise<void> {
	const loop = loopOver(scene, 1, ['1', '2', '3']);
	const executionId = await scene.begin(loop, 'in an active workflow');
	await occupy(scene, 40);
	const execution = await scene.ending(executionId, PATIENCE);
	expect(execution.failure).toBeUndefined();
	expect(await scene.starts()).toBe(3);
	const runs = (await scene.sandbox.runs()).map(({ taskId }) => taskId);
	expect(execution.json('Loop', 0).map(({ task_id }) => task_id)).toEqual(runs);
}

async function tenAtOnce(scene: Scene): Promise<void> {
	await play(scene, scene.scrapes(['1', '2']), ['1', '2'], { executions: 10 });
	expect(await scene.starts()).toBe(20);
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
			environment: {
				...light(version),
				...CONNECTIONS,
				N8N_CONCURRENCY_PRODUCTION_LIMIT: String(limit),
			},
		});
		try {
			const client = await N8nClient.signIn(server.url);
			const setup = { version, client, webhookUrl: server.url };
			await Promise.all(acts.map(async (act) => await inScene(setup, act, { durations })));
		} finally {
			await server.remove();
		}
	},
	15 * 60 * SECOND,
);
