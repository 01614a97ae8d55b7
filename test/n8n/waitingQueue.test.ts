import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { fetchAlone } from '../../dev/fetchAlone';
import type { N8nClient } from '../../dev/n8n/client';
import type { QueueMode } from '../../dev/n8n/queueMode';
import type { N8nServer } from '../../dev/n8n/server';
import { newestN8n } from '../../dev/n8n/versions';
import { workflowOf } from '../../dev/n8n/workflow';
import { TOOL } from '../fixture/nodeTypes';
import { codeBlocksOf } from '../project/markdown';
import { connectMcp, mcpWorkflow } from './mcpClient';
import { describeTriggersInQueue } from './triggersInQueue';
import { useQueue } from './useBench';
import { CASES_OF_N8N_2, WAITING_CASES, waitForPost } from './waitingCases';
import {
	amongProcesses,
	LONG_RACES,
	numbered,
	RACES,
	sleepAtFirst,
	sleepAtSecond,
	timesBetween,
} from './waitingRaces';
import {
	expectResults,
	inScene,
	openScene,
	scrapeEach,
	testCases,
	words,
	type Scene,
	type WaitingSetup,
} from './waitingScene';
import { manualTrigger, openWorkbench, runBot, until, PATIENCE } from './workbench';

jest.setTimeout(400_000);

describe('queue mode, with two workers and two processes for webhooks', () => {
	const lateWrites = mkdtempSync(path.join(tmpdir(), 'late-writes-'));
	const running = useQueue(() => ({
		workers: 2,
		webhookProcesses: 2,
		environment: {
			OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
			EXTERNAL_HOOK_FILES: path.join(__dirname, 'lateWritesHook.cjs'),
			LATE_WRITES: lateWrites,
		},
	}));
	let queue: QueueMode;
	let client: N8nClient;

	beforeAll(() => void ({ queue, client } = running()));
	afterAll(() => rmSync(lateWrites, { recursive: true }));

	function setup(): WaitingSetup {
		return { version: newestN8n(), client, webhookUrl: queue.webhookUrl };
	}

	const races = { ...RACES, ...amongProcesses(LONG_RACES) };
	testCases({ ...WAITING_CASES, ...CASES_OF_N8N_2, ...races }, setup);

	it.concurrent(
		'a worker runs the bot over MCP, and answers with the run before n8n gives it up',
		async () => {
			const bench = await openWorkbench(client);
			await bench.sandbox.setDurations({ created: 0, running: 2_000 });
			const mcpPath = randomUUID();
			const input = "={{ { keyword: $fromAI('keyword'), max_results: 1 } }}";
			const tool = bench.botNode(runBot('1001', { input, output: 'rows' }), { type: TOOL });
			const stored = await client.publish(mcpWorkflow(mcpPath, tool));

			// A session belongs to the process that began it.
			const [webhooks] = queue.webhookProcesses;
			const ask = await connectMcp(`${webhooks?.url}/mcp/${mcpPath}`);
			const called = async (keyword: string): Promise<string> =>
				JSON.stringify(await ask('tools/call', { name: 'Bot', arguments: { keyword } }));
			expect(await called('lamp')).toMatch(/title.*lamp/);
			await bench.sandbox.setDurations({ created: 0, running: null });
			const answer = await called('pan');
			const [run] = (await bench.sandbox.runs()).filter(({ input }) => input.keyword === 'pan');
			await client.deactivate(stored);
			await bench.close();

			expect(answer).toContain('Still running');
			expect(answer).toContain(String(run?.taskId));
		},
	);

	it('the SQL of the page for those who run n8n counts what sleeps, and what of it has runs', async () => {
		const scene = await openScene(setup(), { concurrency: 1 });
		const name = randomUUID();
		const nodes = [manualTrigger, ...words('a'), scene.botNode(scrapeEach())];
		const sleep = async (): Promise<unknown> =>
			await scene.fallAsleep(workflowOf(name, nodes), 'in an active workflow');
		await sleep();
		await sleep();
		const sql = codeBlocksOf('docs/run/queue-mode.md').find(({ language }) => language === 'sql');
		// The one without a run is awake when it probes for a slot.
		const counted = async () => {
			const rows = await queue.postgres.query(sql?.code ?? '');
			return rows.some((row) => row.slice(0, 3).join() === `${name},2,1`);
		};
		await until(counted, 'two that sleep, one of them with a run');
		await scene.close();
	});

	describe('an execution whose first resume n8n carries out late, when it has gone on and sleeps again', () => {
		/** The worker that starts the run of this number for an execution. The last lines of each worker's log are looked at all the time, as more follow. */
		async function starterOf(scene: Scene, executionId: string, number: number) {
			const find = async () => {
				const run = (await scene.sandbox.runs())[number - 1];
				const said = `Execution ${executionId} started run ${run?.taskId}`;
				const hasStarted = ({ log }: N8nServer) => log.tail().includes(said);
				return run !== undefined && queue.workers.find(hasStarted);
			};
			return await until(find, 'the log of the last start', PATIENCE, 20);
		}

		/** Has n8n carry out the late resume in the one worker, which knows what came of the execution or does not. */
		async function resumeLate(
			executionId: string,
			knowing: N8nServer,
			isKnown: boolean,
			act: (executionId: string) => Promise<void>,
		): Promise<void> {
			const stopped = queue.workers.find((worker) => (worker === knowing) !== isKnown);
			await stopped?.stop();
			rmSync(path.join(lateWrites, `${executionId}.held`));
			await act(executionId).finally(async () => await stopped?.start());
		}

		/** Has n8n carry out the next resume of this execution late. @returns waits until n8n is about to */
		function holdNext(executionId: string): () => Promise<unknown> {
			const file = path.join(lateWrites, executionId);
			writeFileSync(file, '');
			return async () => await until(() => existsSync(`${file}.held`), 'n8n to resume it late');
		}

		async function resumeFirstLate(
			scene: Scene,
			isKnown: boolean,
			act: (executionId: string) => Promise<void>,
		): Promise<void> {
			const executionId = await sleepAtFirst(scene, ['a'], 'in an active workflow');
			// One item is not suspended before its start: who resumes the first node starts the second.
			const untilHeld = holdNext(executionId);
			await scene.sandbox.setCallbackFaults({ repeat: 6, repeatEveryMs: 700 });
			const starter = starterOf(scene, executionId, 2);
			await scene.finish('a');
			await untilHeld();
			await sleepAtSecond(scene, 1, executionId);
			await resumeLate(executionId, await starter, isKnown, act);
			expect(await scene.starts()).toBe(2);
		}

		it('goes on in a worker that knows what came of it; the node between is executed again', async () => {
			await inScene(setup(), async (scene) => {
				await resumeFirstLate(scene, true, async (executionId) => {
					await until(async () => (await timesBetween(scene)) === 2, 'the late resume');
					await sleepAtSecond(scene, 1, executionId);
					await scene.finish('a');
					expectResults(await scene.ending(executionId), 'a');
				});
			});
		});

		it('fails in another one, which starts nothing; it names the runs that it knows, n8n’s log all', async () => {
			await inScene(setup(), async (scene) => {
				await resumeFirstLate(scene, false, async (executionId) => {
					const { failure } = await scene.ending(executionId);
					const log = readFileSync(queue.workers[0]?.log.path ?? '', 'utf8');
					const runs = (await scene.sandbox.runs()).map(({ taskId }) => taskId);
					const said = `${failure?.message} ${failure?.description}`;
					expect(said).toContain('from an old state of it. Nothing was started again');
					expect(runs.filter((taskId) => said.includes(taskId))).toEqual(runs.slice(0, 1));
					const logged = runs.map((taskId) => `Execution ${executionId} started run ${taskId}`);
					expect(logged.filter((line) => !log.includes(line))).toEqual([]);
				});
			});
		});

		it('fails in another one, which starts nothing, if it was n8n’s own Wait node that slept', async () => {
			await inScene(setup(), async (scene) => {
				const jsonOutput = '={{ { url: $execution.resumeUrl } }}';
				const set = {
					name: 'Resume',
					type: 'n8n-nodes-base.set',
					typeVersion: 3.4,
					parameters: { mode: 'raw', jsonOutput, options: {} },
				};
				const nodes = [set, waitForPost, ...words('a'), scene.botNode(scrapeEach())];
				const executionId = await scene.begin(nodes, 'in an active workflow');
				await scene.untilAt(waitForPost.name, executionId);
				const [{ url } = {}] = (await client.execution(executionId)).json('Resume');
				const resume = async () => await fetchAlone(String(url), { method: 'POST' });
				const untilHeld = holdNext(executionId);
				const starter = starterOf(scene, executionId, 1);
				const first = resume();
				await untilHeld();
				await resume();
				await scene.untilAt('Bot', executionId);
				await resumeLate(executionId, await starter, false, async () => {
					const { failure } = await scene.ending(executionId);
					expect(failure?.message).toContain('from an old state of it. Nothing was started again');
				});
				await first;
				expect(await scene.starts()).toBe(1);
			});
		});
	});

	it('whatever ends while no process takes webhooks is resumed within seconds of one being ready, not by n8n’s wait timer', async () => {
		const { main, webhookProcesses } = queue;
		const scene = await openScene(setup());
		const given = numbered(8);
		const sleep = async (word: string): Promise<string> =>
			await scene.fallAsleep(scene.scrapes([word]), 'in an active workflow');
		const begun = await Promise.all(given.map(sleep));
		await Promise.all([main, ...webhookProcesses].map(async (process) => await process.stop()));
		await scene.finish(...given);
		await scene.sandbox.callbacksSettled();
		await Promise.all(webhookProcesses.map(async (process) => await process.start()));
		const areRead = async (): Promise<boolean> =>
			(await scene.sandbox.requests({ path: '^/v3/bots/runs/[^/]+$' })).length >= given.length;
		await until(areRead, 'the results to be read', 30_000);
		await main.start();
		for (const [index, executionId] of begun.entries()) {
			expectResults(await scene.ending(executionId), given[index] ?? '');
		}
		expect(await scene.starts()).toBe(given.length);
		await scene.close();
	});

	/** Executions that two runs each are started for, in an active workflow, and what befalls them when processes die. */
	interface Suspension {
		fault: string;
		/** Brings it to where its processes are to die. */
		before?(scene: Scene): Promise<void>;
		meanwhile?(scene: Scene): Promise<void>;
		after?(scene: Scene): Promise<void>;
	}

	async function finishBoth(scene: Scene): Promise<void> {
		await scene.finish('a', 'b');
		await scene.sandbox.callbacksSettled();
	}

	const workers: Suspension[] = [
		{ fault: 'the workers, while the execution sleeps', after: finishBoth },
		{ fault: 'the workers, with callbacks before they are back', meanwhile: finishBoth },
		{
			fault: 'the workers, while they read the results',
			before: async (scene) => {
				const { sandbox } = scene;
				await sandbox.addFault({ kind: 'latency', ms: 600_000, path: '^/v3/bots/runs/\\d+$' });
				await scene.finish('a', 'b');
				await until(async () => (await sandbox.load()).requests > 0, 'a read', 30_000, 20);
			},
			meanwhile: async ({ sandbox }) => await sandbox.clearFaults(),
		},
	];
	const webhookProcesses: Suspension[] = [
		{
			fault: 'the processes for webhooks, while the execution sleeps',
			before: async (scene) => {
				await scene.finish('a');
				await scene.sandbox.callbacksSettled();
			},
			after: async (scene) => await scene.finish('b'),
		},
		{ fault: 'the processes for webhooks, when the only callbacks come', meanwhile: finishBoth },
	];

	describe.each([
		{ which: 'workers', suspensions: workers },
		{ which: 'webhookProcesses', suspensions: webhookProcesses },
	] as const)('processes that die: $which', ({ which, suspensions }) => {
		const begun = new Map<Suspension, { scene: Scene; executionId: string }>();

		beforeAll(async () => {
			const begin = async (suspension: Suspension): Promise<void> => {
				const scene = await openScene(setup());
				const nodes = scene.scrapes(['a', 'b']);
				const executionId = await scene.fallAsleep(nodes, 'in an active workflow');
				begun.set(suspension, { scene, executionId });
			};
			const each = async (act: 'before' | 'meanwhile'): Promise<void> => {
				for (const [suspension, { scene }] of begun) await suspension[act]?.(scene);
			};
			await Promise.all(suspensions.map(begin));
			await each('before');
			const processes = queue[which];
			await Promise.all(processes.map(async (process) => await process.kill()));
			await each('meanwhile');
			await Promise.all(processes.map(async (process) => await process.start()));
		});

		afterAll(async () => {
			for (const { scene } of begun.values()) await scene.close();
		});

		// The results come, if need be after a retry by the user.
		it.concurrent.each(suspensions)('$fault', async (suspension) => {
			const { scene, executionId = '' } = begun.get(suspension) ?? {};
			if (scene === undefined) throw new Error('The execution was not begun');
			await suspension.after?.(scene);
			let execution = await scene.ending(executionId, 170_000);
			if (execution.status !== 'success') execution = await scene.retry(executionId);

			expectResults(execution, 'a', 'b');
			expect(await scene.starts()).toBe(2);
		});
	});

	// Last: it stops a worker.
	describe('the trigger', () => describeTriggersInQueue(running));
});
