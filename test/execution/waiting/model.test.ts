import fc from 'fast-check';

import type { Run } from '../../core/harness';
import { keywords, passedOn, Scene, scrape } from './scene';
import { endTimeLapse, startTimeLapse, until } from './timeLapse';

jest.mock('n8n-workflow', () => jest.requireActual<{ lapsed(): object }>('./timeLapse').lapsed());

const WORDS = ['a', 'b', 'c', 'd'];

/** What the outside world may do to a sleeping execution; `of` chooses a run. */
type Event =
	| { kind: 'end'; of: number; lost: boolean; how: 'finished' | 'failed' }
	| { kind: 'pause'; of: number }
	| { kind: 'repeat'; of: number }
	| { kind: 'forge'; of: number }
	| { kind: 'break'; times: number }
	| { kind: 'restart' }
	| { kind: 'limit' };

const of = fc.nat({ max: WORDS.length - 1 });

const event: fc.Arbitrary<Event> = fc.oneof(
	{
		weight: 5,
		arbitrary: fc.record({
			kind: fc.constant('end' as const),
			of,
			lost: fc.boolean(),
			how: fc.constantFrom('finished' as const, 'finished' as const, 'failed' as const),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('pause' as const), of }) },
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant('repeat' as const), of }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('forge' as const), of }) },
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('break' as const),
			times: fc.integer({ min: 1, max: 6 }),
		}),
	},
	{ weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
	{ weight: 1, arbitrary: fc.constant({ kind: 'limit' as const }) },
);

const story = fc.record({
	count: fc.integer({ min: 1, max: WORDS.length }),
	/** The plan's limit of running tasks. */
	slots: fc.integer({ min: 1, max: WORDS.length }),
	events: fc.array(event, { maxLength: 12 }),
	goesOn: fc.boolean(),
	retries: fc.boolean(),
});

type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

let scene: Scene;

beforeAll(async () => {
	scene = await Scene.open();
});

afterAll(async () => {
	await scene.close();
});

/** The execution's last state; undefined while it sleeps. */
async function ended(asleep: Run): Promise<Run | undefined> {
	await scene.sandbox.callbacksSettled();
	await until(
		() => scene.harness.stored(asleep).status !== 'running',
		'the execution to sleep or end',
	);
	return scene.callbacks
		.flatMap(({ run }) => run ?? [])
		.find((run) => run.executionId === asleep.executionId && run.status !== 'waiting');
}

async function happen(asleep: Run, what: Event): Promise<Run | undefined> {
	const runs = await scene.runs();
	const run = 'of' in what ? runs[what.of] : undefined;
	const isOpen = run !== undefined && run.finishedAt === null;
	switch (what.kind) {
		case 'end':
			if (!isOpen) break;
			await scene.sandbox.setCallbackFaults(what.lost ? { lose: 1 } : {});
			await scene.sandbox.moveRun({ taskId: run.taskId, status: what.how });
			break;
		case 'pause':
			if (isOpen) await scene.sandbox.moveRun({ taskId: run.taskId, status: 'paused' });
			break;
		case 'repeat':
			if (run?.callbackUrl) await scene.take(run.callbackUrl, { task_id: run.taskId });
			break;
		case 'forge': {
			if (!run?.callbackUrl) break;
			const url = new URL(run.callbackUrl);
			url.searchParams.set('nonce', 'f'.repeat(32));
			await scene.take(url.toString(), { task_id: run.taskId, status: 'finished' });
			break;
		}
		case 'break':
			await scene.sandbox.addFault({ kind: 'serverError', method: 'GET', times: what.times });
			break;
		case 'restart':
			scene.harness.restart();
			break;
		case 'limit':
			if (scene.harness.stored(asleep).status === 'waiting') {
				return await scene.harness.resumeByTimeout(asleep);
			}
	}
	return await ended(asleep);
}

/** Ends every run that is left, with its callback, until the execution is over. */
async function finishUp(asleep: Run): Promise<Run> {
	await scene.sandbox.clearFaults();
	await scene.sandbox.setCallbackFaults({});
	for (;;) {
		const over = await ended(asleep);
		if (over !== undefined) return over;
		const runs = await scene.runs();
		const open = runs.find(({ finishedAt }) => finishedAt === null);
		if (open === undefined) {
			if (scene.harness.stored(asleep).status !== 'waiting') continue;
			// All callbacks of the last runs are lost: only the limit is left.
			return await scene.harness.resumeByTimeout(asleep);
		}
		await scene.sandbox.moveRun({ taskId: open.taskId, status: 'finished' });
	}
}

async function play({ count, slots, events, goesOn, retries }: Story): Promise<void> {
	await scene.reset();
	await scene.sandbox.setKey({ key: scene.sandbox.key, concurrency: slots });
	startTimeLapse();
	try {
		const asleep = await scene.run({
			parameters: scrape(),
			items: keywords(...WORDS.slice(0, count)),
			...(goesOn && { onError: 'continueRegularOutput' as const }),
			...(retries && { settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 } }),
		});
		let over = asleep.status === 'waiting' ? undefined : asleep;
		for (const what of events) {
			if (over !== undefined) break;
			over = await happen(asleep, what);
		}
		over ??= await finishUp(asleep);
		await checkEnd(over, count);
	} finally {
		await endTimeLapse();
	}
}

/** Results exactly once, or an error that names the run; never two starts for one item. */
async function checkEnd(over: Run, count: number): Promise<void> {
	const runs = await scene.runs();
	const inputs = runs.map(({ input }) => input.keyword);
	expect(new Set(inputs).size).toBe(inputs.length);
	const told = JSON.stringify([over.error?.message, over.error, passedOn(over)]);
	for (const { taskId } of runs) expect(told).toContain(taskId);
	if (over.status !== 'success') {
		expect(over.status).toBe('error');
		return;
	}
	const items = passedOn(over);
	expect(items).toHaveLength(count);
	for (const [index, item] of items.entries()) {
		const run = runs.find(({ input }) => input.keyword === WORDS[index]);
		if ('error' in item) continue;
		expect(item.task_id).toBe(run?.taskId);
		expect(run?.status).toBe(item.status);
	}
	const resumed = scene.callbacks.filter(
		({ run }) => run?.executionId === over.executionId && run.status !== 'waiting',
	);
	expect(resumed.length).toBeLessThanOrEqual(1);
}

it('whatever happens, results come exactly once or an error names the runs, and nothing is started twice', async () => {
	await fc.assert(fc.asyncProperty(story, play), {
		numRuns: Number(process.env['MODEL_RUNS'] ?? 40),
		endOnFailure: false,
	});
}, 300_000);
