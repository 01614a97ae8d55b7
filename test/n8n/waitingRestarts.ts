import type { Relay } from '../../dev/n8n/relay';
import type { N8nServer } from '../../dev/n8n/server';
import type { SandboxOptions } from '../../dev/sandbox/server';
import {
	after,
	asleep,
	begin,
	ending,
	expectResults,
	finish,
	openRun,
	openScene,
	PUBLIC_SERVICE,
	retry,
	scrapeEach,
	starts,
	words,
	type Scene,
	type WaitingSetup,
} from './waitingScene';
import { PATIENCE, runBot, until } from './workbench';
import { chosen } from '../fixture/parameters';
import type { NodeSketch } from '../../dev/n8n/workflow';

/** An n8n that may be restarted, and the proxy that it uses for all addresses but those of this machine. */
export interface RestartSetup extends WaitingSetup {
	server: N8nServer;
	proxy: Relay;
}

/** An execution that sleeps while n8n is restarted. */
interface SuspensionCase {
	suspension: string;
	service?: SandboxOptions & { baseUrl?: string };
	/** What follows `Words`, the word a, up to `After`. */
	nodes(scene: Scene): NodeSketch[];
	/** Brings the execution to where it sleeps for longer. */
	before?(scene: Scene, executionId: string): Promise<void>;
	/** Whether its run ends while n8n is down; otherwise afterwards. */
	endsMeanwhile: boolean;
}

/** n8n has to find the execution and to carry the node out. */
const AFTER_RETURN = 120_000;

const CALLBACK: SuspensionCase = {
	suspension: 'the only callback comes while n8n is down',
	nodes: (scene) => [scene.botNode(scrapeEach())],
	endsMeanwhile: true,
};

const LATER: SuspensionCase = {
	suspension: 'the callback comes afterwards',
	nodes: (scene) => [scene.botNode(scrapeEach())],
	endsMeanwhile: false,
};

function without(
	suspension: string,
	nodes: (scene: Scene) => NodeSketch[],
	further: Partial<SuspensionCase> = {},
): SuspensionCase {
	const named = `asleep without callbacks: ${suspension}`;
	return { suspension: named, nodes, endsMeanwhile: false, ...further };
}

const automatic = { waitForCompletion: 'automatic' };

/** Waits for the run or task that the node before has started. */
function waitFor(scene: Scene, resource: 'run' | 'task'): NodeSketch {
	return scene.botNode({
		resource,
		operation: 'wait',
		taskId: chosen('={{ $json.task_id }}'),
		output: 'simplified',
		options: {},
	});
}

/** Nodes that no callback can resume sleep all the same: the watcher resumes them, or n8n's wait timer after a restart. */
const WITHOUT_CALLBACKS: readonly SuspensionCase[] = [
	without('a callback that goes elsewhere', (scene) => [
		scene.botNode(scrapeEach({}, { notify: 'urls', callbackUrl: 'http://127.0.0.1:9/elsewhere' })),
	]),
	without('a run that exists already', (scene) => [
		scene.botNode(scrapeEach({}, { waitForCompletion: 'none' }), { name: 'Start Only' }),
		waitFor(scene, 'run'),
	]),
	without(
		'a second wait after a pause',
		(scene) => [
			scene.botNode(
				runBot('1001', {
					input: '={{ { keyword: $json.keyword, max_results: 1 } }}',
					waiting: { whenPaused: 'continue' },
				}),
				{ name: 'Until Paused' },
			),
			waitFor(scene, 'run'),
		],
		{
			before: async (scene, executionId) => {
				const taskId = await openRun(scene, 'a');
				await asleepAt(scene, executionId, 'Until Paused');
				await scene.sandbox.moveRun({ taskId, status: 'paused' });
			},
		},
	),
	without(
		'a service that refuses the callback address',
		(scene) => [scene.botNode(scrapeEach({}, automatic))],
		{ service: { allowLocalCallbacks: false } },
	),
	without(
		'n8n at a private address, the service at a public one',
		(scene) => [scene.botNode(scrapeEach({}, automatic))],
		{ service: { baseUrl: PUBLIC_SERVICE } },
	),
	without('a V2 task that exists already', (scene) => [
		scene.botNode(
			{
				resource: 'workflow',
				operation: 'run',
				workflowId: chosen('1001'),
				inputMode: 'json',
				input: '={{ { keyword: $json.keyword, max_results: 1 } }}',
				waitForCompletion: 'none',
				options: {},
			},
			{ name: 'Start Only' },
		),
		waitFor(scene, 'task'),
	]),
];

interface Suspension {
	scene: Scene;
	executionId: string;
}

async function putToSleep(
	setup: RestartSetup,
	{ service, nodes, before }: SuspensionCase,
): Promise<Suspension> {
	const scene = await openScene(setup, service);
	if (service?.baseUrl !== undefined) setup.proxy.add(scene.sandbox.url);
	const line = [words('a'), ...nodes(scene), after];
	const executionId = await begin(scene, line, 'in an active workflow');
	await before?.(scene, executionId);
	await asleepAt(scene, executionId, 'Bot');
	return { scene, executionId };
}

/** Not in n8n 1, whose recovery may mark any execution as crashed that it finds unfinished in its event log, asleep or not. */
const RESTARTS = [
	{ how: 'stopped', signal: 'SIGTERM', cases: [CALLBACK, LATER] },
	{ how: 'killed', signal: 'SIGKILL', cases: [CALLBACK, LATER, ...WITHOUT_CALLBACKS] },
];

/** Executions that are asleep while n8n is stopped (SIGTERM) or killed (SIGKILL) come to their results. */
export function describeRestarts(connect: () => RestartSetup): void {
	describe.each(RESTARTS)('n8n $how ($signal) and started again', ({ how, cases }) => {
		const suspensions = new Map<SuspensionCase, Promise<Suspension>>();

		beforeAll(async () => {
			const setup = connect();
			const { server } = setup;
			for (const suspensionCase of cases)
				suspensions.set(suspensionCase, putToSleep(setup, suspensionCase));
			// Each test tells what became of its own execution.
			await Promise.allSettled(suspensions.values());
			await (how === 'stopped' ? server.stop() : server.kill());
			for (const [{ endsMeanwhile }, suspension] of suspensions) {
				if (!endsMeanwhile) continue;
				const { scene } = await suspension;
				await finish(scene, 'a');
				await scene.sandbox.callbacksSettled();
			}
			await server.start();
		}, 400_000);

		afterAll(async () => {
			const settled = await Promise.allSettled(suspensions.values());
			for (const one of settled) if (one.status === 'fulfilled') await one.value.scene.close();
		});

		it.concurrent.each(cases)(
			'$suspension',
			async (suspensionCase) => {
				const suspension = await suspensions.get(suspensionCase);
				if (suspension === undefined) throw new Error('The execution was not begun');
				const { scene, executionId } = suspension;
				if (!suspensionCase.endsMeanwhile) await finish(scene, 'a');
				const execution = await ending(scene, executionId, AFTER_RETURN);

				expectResults(execution, 'a');
				expect(await starts(scene)).toBe(1);
			},
			AFTER_RETURN + PATIENCE,
		);
	});
}

/** Executions that are not asleep when n8n is killed start nothing again when a user retries them. */
export function describeCrash(connect: () => RestartSetup): void {
	const five = ['a', 'b', 'c', 'd', 'e'];
	const opened: Scene[] = [];

	afterAll(async () => {
		for (const scene of opened) await scene.close();
	});

	/**
	 * Begins an execution of five items, and waits until so many of its starts have come to the service, which
	 * carries them out when its faults are cleared.
	 */
	async function starting(waitForCompletion: string, sent: number): Promise<Suspension> {
		const scene = await openScene(connect(), { requestsAtATime: 2 });
		opened.push(scene);
		const held = { kind: 'latency', ms: 600_000, path: '/runs$', method: 'POST' } as const;
		await scene.sandbox.addFault(held);
		const nodes = [words(...five), scene.botNode(scrapeEach({}, { waitForCompletion })), after];
		const executionId = await begin(scene, nodes, 'in an active workflow');
		const come = async (): Promise<boolean> =>
			((await scene.sandbox.load()).byOperation['bot.run'] ?? 0) >= sent;
		await until(come, `${sent} starts to come`, PATIENCE, 20);
		return { scene, executionId };
	}

	it('n8n killed (SIGKILL) while it starts five runs', async () => {
		const { server } = connect();
		const begun = await Promise.all([starting('automatic', 1), starting('automatic', 2)]);
		await server.kill();
		for (const { scene } of begun) await scene.sandbox.clearFaults();
		await server.start();
		for (const { scene, executionId } of begun) {
			await ending(scene, executionId, AFTER_RETURN);
			const before = await starts(scene);
			const { failure } = await retry(scene, executionId);

			expect(failure?.message).toContain('Whether the run was started is not known');
			expect(await starts(scene)).toBe(before);
		}
	}, 400_000);
}

/** Waits until an execution sleeps at this node. */
async function asleepAt({ client }: Scene, executionId: string, node: string): Promise<void> {
	await client.waitForExecution(executionId, {
		until: (execution) =>
			execution.isOver ||
			(execution.status === 'waiting' && execution.runs(node).at(-1)?.status === 'waiting'),
		timeout: PATIENCE,
	});
	await asleep(client, executionId);
}
