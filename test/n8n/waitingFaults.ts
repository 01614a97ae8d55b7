import { setTimeout } from 'node:timers/promises';

import { fetchAlone } from '../../dev/fetchAlone';
import type { Execution } from '../../dev/n8n/execution';
import { workflowOf } from '../../dev/n8n/workflow';
import { waitForPost } from './waitingCases';
import {
	expectResults,
	firstCheck,
	scrapeEach,
	words,
	type Cases,
	type Scene,
} from './waitingScene';
import { manualTrigger, PATIENCE, until } from './workbench';

/** A fault that befalls an execution with the runs a, b and c. */
interface Fault {
	prepare?(scene: Scene): Promise<void>;
	/** Whether the fault befalls an execution that is asleep (it does unless said otherwise). */
	whileAwake?: boolean;
	/** Causes it; what was ended by then may have sent its callbacks. */
	cause?(scene: Scene): Promise<void>;
	/** Whether n8n’s wait timer has to bring the end; otherwise it is to come within a minute. */
	byClock?: boolean;
	/** What is to come out: all three results unless said otherwise. */
	expected?(execution: Execution, scene: Scene): Promise<void>;
}

/** Ends all runs; their callbacks are lost, and the poll after falling asleep is over. */
async function finishUnheard(scene: Scene): Promise<void> {
	await scene.untilCheckedAgain();
	await scene.sandbox.setCallbackFaults({ lose: 'all' });
	await scene.finish('a', 'b', 'c');
}

/** Calls back like the service for each run: without the right secrets, then with an untrue body. */
async function forge({ sandbox }: Scene): Promise<void> {
	for (const { callbackUrl, taskId } of await sandbox.runs()) {
		const call = async (forgery: Record<string, string>): Promise<number> => {
			const url = new URL(callbackUrl ?? '');
			for (const [name, value] of Object.entries(forgery)) url.searchParams.set(name, value);
			const body = JSON.stringify({ task_id: taskId, status: 'finished', output: 'forged' });
			const headers = { 'content-type': 'application/json' };
			return (await fetchAlone(url, { method: 'POST', body, headers })).status;
		};
		expect(await call({ token: '0'.repeat(32) })).toBe(403);
		if (callbackUrl?.includes('signature=') === true) {
			expect(await call({ signature: '0' })).toBe(401);
		}
		// Where n8n is slow, the node asks to be called again.
		const answered = async (): Promise<number | false> => {
			const status = await call({});
			return status !== 503 && status;
		};
		expect(await until(answered, 'an answer to the untrue callback')).toBe(200);
	}
}

const READS = { method: 'GET', path: '^/v3/bots/runs' };

const FAULTS: Readonly<Record<string, Fault>> = {
	'All callbacks lost': { cause: finishUnheard, byClock: true },
	'Each callback ten times, in reverse order': {
		cause: async (scene) => {
			await scene.sandbox.setCallbackFaults({ repeat: 10, reverseWithinMs: 500 });
			await scene.finish('a', 'b', 'c');
		},
	},
	'Forged callbacks (wrong token, untrue body)': {
		cause: async (scene) => {
			await forge(scene);
			await scene.finish('a', 'b', 'c');
		},
	},
	'Callbacks before the execution sleeps': {
		prepare: async ({ sandbox }) => await sandbox.setDurations({ created: 0, running: 0 }),
		whileAwake: true,
	},
	'The service is out of reach for longer than a callback is repeated': {
		cause: async (scene) => {
			const { sandbox } = scene;
			await scene.untilCheckedAgain();
			await sandbox.addFault({ kind: 'cutConnection', ...READS });
			await scene.finish('a', 'b', 'c');
			await sandbox.callbacksSettled();
			await sandbox.clearFaults();
		},
		byClock: true,
	},
	'The API key is replaced while asleep': {
		cause: async (scene) => {
			const { client, sandbox, credential } = scene;
			const { key } = sandbox;
			await sandbox.setKey({ key: 'new-key', company: 'sandbox-company' });
			await sandbox.removeKey({ key });
			await client.updateCredential(credential, { baseUrl: sandbox.url, apiKey: 'new-key' });
			await scene.finish('a', 'b', 'c');
		},
	},
	'The API key is refused while asleep': {
		cause: async (scene) => {
			await scene.sandbox.removeKey({ key: scene.sandbox.key });
			await scene.finish('a', 'b', 'c');
		},
		byClock: true,
		expected: async ({ status, failure }, { sandbox }) => {
			expect(status).toBe('error');
			const said = `${failure?.message} ${failure?.description}`;
			expect(said).toContain('Invalid authorization');
			expect(said).toMatch(/API key/);
			for (const { taskId } of await sandbox.runs()) expect(said).toContain(taskId);
		},
	},
};

async function play(scene: Scene, how: Fault): Promise<void> {
	const { sandbox } = scene;
	const clock = how.byClock === true ? firstCheck(scene) : { options: {}, within: 60_000 };
	await how.prepare?.(scene);
	const nodes = scene.scrapes(['a', 'b', 'c'], scrapeEach(clock.options));
	const executionId = await scene.begin(nodes);
	if (how.whileAwake !== true) await scene.asleep(executionId);
	await how.cause?.(scene);
	const caused = Date.now();
	const execution = await scene.ending(executionId, Math.max(clock.within, PATIENCE));
	const took = Date.now() - caused;

	if (how.expected === undefined) expectResults(execution, 'a', 'b', 'c');
	else await how.expected(execution, scene);
	await sandbox.callbacksSettled();
	expect(await scene.starts()).toBe(3);
	expect(took).toBeLessThan(clock.within);
}

/** Until n8n has looked for dates that are near, which it does once a minute; and until a timer has gone off that it has set then. */
const LOOKED_AFTER = 58_000;
const GONE_OFF_AFTER = 75_000;

/** n8n sets its timer for an execution, not for the node that sleeps. */
async function sleepsOnBehind(scene: Scene): Promise<void> {
	const begun = Date.now();
	const nodes = [...words('a'), scene.botNode(scrapeEach()), waitForPost];
	const executionId = await scene.fallAsleep(nodes, 'in an active workflow');
	await setTimeout(begun + LOOKED_AFTER - Date.now());
	await scene.finish('a');
	await scene.untilAt(waitForPost.name, executionId);
	await setTimeout(begun + GONE_OFF_AFTER - Date.now());
	const execution = await scene.client.execution(executionId);
	expect(execution.status).toBe('waiting');
	expect(execution.runs(waitForPost.name)).toHaveLength(1);
	await scene.client.stopExecution(executionId);
}

/** n8n is done with a run of an execution when its hooks are, some time after it has stored that it sleeps. */
async function resumedAfterHooks(scene: Scene): Promise<void> {
	await scene.sandbox.addFault({ kind: 'latency', ms: 1_000, path: '/runs$', method: 'POST' });
	const workflow = workflowOf('Slow hooks', [manualTrigger, ...scene.scrapes(['a', 'b'])]);
	const executionId = await scene.begin(workflow, 'in an active workflow');
	await scene.finish('a', 'b');
	expectResults(await scene.ending(executionId), 'a', 'b');
}

/** What may go wrong while an execution sleeps, and what comes out. */
export const FAULT_CASES: Cases = {
	...Object.fromEntries(
		Object.entries(FAULTS).map(([title, fault]) => [
			title,
			async (scene) => await play(scene, fault),
		]),
	),
	'A Wait node behind a bot sleeps on, though n8n may have set its timer for the bot':
		sleepsOnBehind,
	'A wave is sent only when the hooks of n8n are done with the one before': resumedAfterHooks,
};
