import { Relay } from '../../dev/n8n/relay';
import { newestN8n } from '../../dev/n8n/versions';
import type { NodeSketch } from '../../dev/n8n/workflow';
import { chosen } from '../fixture/parameters';
import { useOwnN8n } from './useBench';
import {
	after,
	expectResults,
	openScene,
	scrapeEach,
	words,
	type Scene,
	type WaitingSetup,
} from './waitingScene';
import { PATIENCE, until, type BenchOptions } from './workbench';

/** What n8n uses for all addresses but those of this machine. */
let proxy: Relay;
let setup: WaitingSetup;

const own = useOwnN8n({ editor: true }, async () => {
	proxy = await Relay.start();
	return { HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1,localhost' };
});

beforeAll(() => {
	const { client } = own.bench();
	setup = { version: newestN8n(), client, webhookUrl: own.server().url };
});

afterAll(async () => await proxy?.close());

/** An execution that sleeps while n8n is restarted. */
interface SuspensionCase {
	suspension: string;
	service?: BenchOptions;
	/** What follows `Words`, the word a, up to `After`; the bot alone by default. */
	nodes?(scene: Scene): NodeSketch[];
	/** Whether its run ends while n8n is down; otherwise afterwards. */
	endsMeanwhile: boolean;
}

/** n8n has to find the execution and to carry the node out. */
const AFTER_RETURN = 120_000;

const CALLBACK: SuspensionCase = {
	suspension: 'the only callback comes while n8n is down',
	endsMeanwhile: true,
};

const LATER: SuspensionCase = { suspension: 'the callback comes afterwards', endsMeanwhile: false };

/** A service at a public address, which n8n reaches by its proxy only. */
const PUBLIC_SERVICE = { baseUrl: 'http://service.example.com' };

/** Nodes that no callback can resume sleep all the same: the watcher resumes them, or n8n's wait timer after a restart. */
const WITHOUT_CALLBACKS: readonly SuspensionCase[] = [
	{
		suspension: 'a callback that goes elsewhere',
		nodes: (scene: Scene) => {
			const callbackUrl = 'http://127.0.0.1:9/elsewhere';
			return [scene.botNode(scrapeEach({}, { notify: 'urls', callbackUrl }))];
		},
	},
	{
		suspension: 'a run that exists already',
		nodes: (scene: Scene) => {
			const started = scrapeEach({}, { waitForCompletion: 'none' });
			const taskId = chosen('={{ $json.task_id }}');
			const how = { output: 'simplified', options: {} };
			const waiting = { resource: 'run', operation: 'wait', taskId, ...how };
			return [scene.botNode(started, { name: 'Start Only' }), scene.botNode(waiting)];
		},
	},
	{ suspension: 'a service that refuses the address', service: { allowLocalCallbacks: false } },
	{ suspension: 'n8n at a private address, the service at a public one', service: PUBLIC_SERVICE },
].map(({ suspension, ...how }) => ({
	suspension: `asleep without callbacks: ${suspension}`,
	endsMeanwhile: false,
	...how,
}));

interface Suspension {
	scene: Scene;
	executionId: string;
}

async function putToSleep({ service, nodes }: SuspensionCase): Promise<Suspension> {
	const scene = await openScene(setup, service);
	if (service?.baseUrl !== undefined) proxy.add(scene.sandbox.url);
	const line = nodes?.(scene) ?? [scene.botNode(scrapeEach())];
	const executionId = await scene.begin([...words('a'), ...line, after], 'in an active workflow');
	await scene.untilAt('Bot', executionId);
	await scene.asleep(executionId);
	return { scene, executionId };
}

/** Not in n8n 1, whose recovery may mark any execution as crashed that it finds unfinished in its event log, asleep or not. */
const RESTARTS = [
	{ how: 'stopped', signal: 'SIGTERM', cases: [CALLBACK, LATER] },
	{ how: 'killed', signal: 'SIGKILL', cases: [CALLBACK, LATER, ...WITHOUT_CALLBACKS] },
];

describe('executions that are not asleep when n8n is killed', () => {
	const opened: Scene[] = [];

	afterAll(async () => {
		for (const scene of opened) await scene.close();
	});

	/**
	 * Begins an execution of five items, and waits until so many of its starts have come to the service, which
	 * carries them out when its faults are cleared.
	 */
	async function starting(sent: number): Promise<Suspension> {
		const scene = await openScene(setup, { requestsAtATime: 2 });
		opened.push(scene);
		const held = { kind: 'latency', ms: 600_000, path: '/runs$', method: 'POST' } as const;
		await scene.sandbox.addFault(held);
		const nodes = scene.scrapes(['a', 'b', 'c', 'd', 'e']);
		const executionId = await scene.begin(nodes, 'in an active workflow');
		const come = async (): Promise<boolean> =>
			((await scene.sandbox.load()).byOperation['bot.run'] ?? 0) >= sent;
		await until(come, `${sent} starts to come`, PATIENCE, 20);
		return { scene, executionId };
	}

	it('start nothing again when a user retries them: n8n killed (SIGKILL) while it starts five runs', async () => {
		const begun = await Promise.all([starting(1), starting(2)]);
		await own.server().kill();
		for (const { scene } of begun) await scene.sandbox.clearFaults();
		await own.server().start();
		for (const { scene, executionId } of begun) {
			await scene.ending(executionId, AFTER_RETURN);
			const before = await scene.starts();
			const { failure } = await scene.retry(executionId);

			expect(failure?.message).toContain('Whether the run was started is not known');
			expect(await scene.starts()).toBe(before);
		}
	}, 400_000);
});

/** Executions that are asleep while n8n is stopped (SIGTERM) or killed (SIGKILL) come to their results. */
describe.each(RESTARTS)('n8n $how ($signal) and started again', ({ how, cases }) => {
	const suspensions = new Map<SuspensionCase, Promise<Suspension>>();

	beforeAll(async () => {
		for (const suspensionCase of cases) suspensions.set(suspensionCase, putToSleep(suspensionCase));
		// Each test tells what became of its own execution.
		await Promise.allSettled(suspensions.values());
		await (how === 'stopped' ? own.server().stop() : own.server().kill());
		for (const [{ endsMeanwhile }, suspension] of suspensions) {
			if (!endsMeanwhile) continue;
			const { scene } = await suspension;
			await scene.finish('a');
			await scene.sandbox.callbacksSettled();
		}
		await own.server().start();
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
			if (!suspensionCase.endsMeanwhile) await scene.finish('a');
			const execution = await scene.ending(executionId, AFTER_RETURN);

			expectResults(execution, 'a');
			expect(await scene.starts()).toBe(1);
		},
		AFTER_RETURN + PATIENCE,
	);
});
