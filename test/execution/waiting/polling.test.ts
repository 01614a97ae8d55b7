import { ACTION, chosen } from '../../fixture';
import { keywords, passedOn, scrape, useScene } from './scene';
import { endTimeLapse, until } from '../../timeLapse';

jest.mock('n8n-workflow', () =>
	jest.requireActual<{ lapsed(): object }>('../../timeLapse').lapsed(),
);

const scene = useScene();

const polling = scrape({ waitForCompletion: 'poll' });

/** Where the execution never sleeps, also not to be stored. */
const called = { mode: 'webhook', responseMode: 'lastNode' } as const;

it('asks about many runs with pages of the list, and gives results in input order', async () => {
	await scene.sandbox.setDurations({ created: 0, running: 40 });
	const words = Array.from({ length: 25 }, (_, index) => `w${index}`);
	const run = await scene.run({ parameters: polling, items: keywords(...words) });

	const taskIds = await Promise.all(words.map(async (word) => (await scene.runFor(word)).taskId));
	expect(passedOn(run).map(({ task_id }) => task_id)).toEqual(taskIds);
	expect(await scene.asked('run.getAll')).toBeGreaterThan(0);
	expect(await scene.asked('run.getStatus')).toBeLessThan(4);
});

it('finds its runs in the list whatever else the company runs, in few requests', async () => {
	await scene.sandbox.seedRuns({ count: 500, statuses: ['finished'] });
	const started = scene.run({ parameters: polling, items: keywords('a', 'b', 'c', 'd') });
	await until(async () => (await scene.runs()).length === 504, 'the starts');
	await scene.sandbox.seedRuns({ count: 150, statuses: ['finished'] });
	await scene.finish('a', 'b', 'c', 'd');
	const run = await started;

	expect(passedOn(run)).toHaveLength(4);
	expect(await scene.asked('run.getAll')).toBeLessThan(7);
});

it('goes on through faults of the service', async () => {
	const started = scene.run({ parameters: polling, items: keywords('a') });
	await until(async () => (await scene.asked('run.getStatus')) > 0, 'the first question');
	await scene.sandbox.addFault({ kind: 'serverError', path: '/status$', times: 5 });
	await scene.sandbox.addFault({ kind: 'cutConnection', path: '/status$', times: 2 });
	await scene.sandbox.addFault({ kind: 'malformedJson', path: '/status$', times: 1 });
	await scene.finish('a');

	expect(passedOn(await started)).toHaveLength(1);
});

it('waits again for a run that somebody resumes before the others are done', async () => {
	const parameters = scrape({ waitForCompletion: 'poll' }, { whenPaused: 'continue' });
	const started = scene.run({ parameters, items: keywords('a', 'b') });
	const aFurtherLook = async (): Promise<void> => {
		const before = await scene.asked('run.getStatus');
		await until(async () => (await scene.asked('run.getStatus')) > before + 2, 'a further look');
	};
	await aFurtherLook();
	const { taskId } = await scene.runFor('a');
	await scene.sandbox.moveRun({ taskId, status: 'paused' });
	await aFurtherLook();
	await scene.sandbox.moveRun({ taskId, status: 'running' });
	await scene.finish('b');
	await aFurtherLook();
	await scene.finish('a');

	const statuses = passedOn(await started).map(({ status }) => status);
	expect(statuses).toEqual(['finished', 'finished']);
});

it('waits as long as Retry-After says', async () => {
	const started = scene.run({ parameters: polling, items: keywords('a') });
	await until(async () => (await scene.asked('run.getStatus')) > 0, 'the first question');
	await scene.sandbox.addFault({
		kind: 'rateLimit',
		retryAfter: '60',
		path: '/status$',
		times: 1,
	});
	await scene.finish('a');
	await started;

	const asked = await scene.sandbox.requests({ operation: 'run.getStatus' });
	const limited = asked.findIndex(({ status }) => status === 429);
	const [before, after] = asked.slice(limited);
	expect((after?.at ?? 0) - (before?.at ?? 0)).toBeGreaterThanOrEqual(55_000);
});

it('fails with the run when the service refuses to tell', async () => {
	const started = scene.run({ parameters: polling, items: keywords('a') });
	await until(async () => (await scene.runs()).length === 1, 'the start');
	await scene.sandbox.addFault({
		kind: 'envelopeError',
		code: 99002,
		msg: 'no permission',
		path: '/status$',
	});
	const run = await started;

	expect(run.status).toBe('error');
	expect(run.error?.message).toContain('99002');
	expect(run.error).toMatchObject({
		description: expect.stringContaining((await scene.runFor('a')).taskId),
	});
});

describe('when the execution is stopped', () => {
	async function stopped(options = {}) {
		const started = await scene.harness.start({
			nodeType: ACTION,
			parameters: scrape({ waitForCompletion: 'poll' }, options),
			items: keywords('a', 'b'),
			...called,
		});
		await until(async () => (await scene.asked('run.getStatus')) > 0, 'the first question');
		started.abort();
		const run = await started.done;
		expect(run.status).toBe('canceled');
	}

	it('the runs are canceled in the service', async () => {
		await stopped();
		await until(
			async () => (await scene.runs()).every(({ status }) => status === 'canceled'),
			'the runs to be canceled',
		);
	});

	it('a run whose start is under way is canceled, too, and no further one is started', async () => {
		await scene.sandbox.addFault({ kind: 'latency', ms: 600_000, method: 'POST', path: '/runs$' });
		const started = await scene.harness.start({
			nodeType: ACTION,
			parameters: scrape({ waitForCompletion: 'poll' }, { concurrency: 1 }),
			items: keywords('a', 'b'),
			...called,
		});
		await until(async () => (await scene.asked('bot.run')) > 0, 'the first start');
		started.abort();
		await scene.sandbox.clearFaults();
		expect((await started.done).status).toBe('canceled');

		await until(async () => (await scene.asked('run.cancel')) > 0, 'the run to be canceled');
		expect((await scene.runs()).map(({ status }) => status)).toEqual(['canceled']);
	});

	it('they go on where that is wanted', async () => {
		await stopped({ cancelRunsWhen: [] });
		await endTimeLapse();

		expect((await scene.runs()).map(({ status }) => status)).toEqual(['running', 'running']);
		expect(await scene.asked('run.cancel')).toBe(0);
	});
});

it('with Don’t Wait, runs go on when the execution is stopped while the next waits for a slot', async () => {
	await scene.sandbox.setKey({ key: scene.sandbox.key, concurrency: 1 });
	const started = await scene.harness.start({
		nodeType: ACTION,
		parameters: scrape({ waitForCompletion: 'none' }),
		items: keywords('a', 'b'),
	});
	await until(async () => (await scene.asked('bot.run')) > 1, 'a start without a slot');
	started.abort();
	const run = await started.done;
	await endTimeLapse();

	expect(run.status).toBe('canceled');
	expect((await scene.runs()).map(({ status }) => status)).toEqual(['running']);
	expect(await scene.asked('run.cancel')).toBe(0);
});

describe('Run > Wait for Completion', () => {
	const waiting = (further = {}) => ({
		resource: 'run',
		operation: 'wait',
		taskId: chosen('={{ $json.task_id }}'),
		output: 'simplified',
		options: {},
		...further,
	});

	it('returns a run that has ended at once', async () => {
		const { taskIds } = await scene.sandbox.seedRuns({ count: 1 });
		const begun = Date.now();
		const run = await scene.run({
			parameters: waiting(),
			items: [{ json: { task_id: taskIds[0] } }],
		});

		expect(passedOn(run)).toEqual([expect.objectContaining({ task_id: taskIds[0] })]);
		expect(Date.now() - begun).toBeLessThan(30_000);
		expect((await scene.sandbox.load()).total).toBe(2);
	});

	it('waits for the ones that have not', async () => {
		const { taskIds } = await scene.sandbox.seedRuns({ count: 3, statuses: ['running'] });
		const started = scene.run({
			parameters: waiting(),
			items: taskIds.map((taskId) => ({ json: { task_id: taskId } })),
		});
		await until(async () => (await scene.asked('run.getStatus')) >= 3, 'the first question');
		for (const taskId of taskIds) await scene.sandbox.moveRun({ taskId, status: 'finished' });

		const run = await scene.end(await started);
		expect(passedOn(run).map(({ task_id }) => task_id)).toEqual(taskIds);
	});

	it('tells of a run that does not exist by its ID, and goes on with the others', async () => {
		const { taskIds } = await scene.sandbox.seedRuns({ count: 1 });
		const run = await scene.run({
			parameters: waiting(),
			items: [{ json: { task_id: '123' } }, { json: { task_id: taskIds[0] } }],
			onError: 'continueRegularOutput',
		});

		expect(passedOn(run)).toEqual([
			expect.objectContaining({
				error: expect.stringContaining('does not exist'),
				details: expect.objectContaining({ task_id: '123', code: 10112 }),
			}),
			expect.objectContaining({ status: 'finished' }),
		]);
	});

	it('waits for tasks of V2, whose status may be unknown for a while', async () => {
		const { taskIds } = await scene.sandbox.seedRuns({ count: 1, statuses: ['running'] });
		const [taskId = ''] = taskIds;
		await scene.sandbox.setUnknown({ taskId, unknown: true });
		const started = scene.run({
			parameters: waiting({ resource: 'task' }),
			items: [{ json: { task_id: taskId } }],
		});
		await until(async () => (await scene.asked('task.get')) >= 2, 'two questions');
		await scene.sandbox.setUnknown({ taskId, unknown: false });
		await scene.sandbox.moveRun({ taskId, status: 'finished' });

		const run = await scene.end(await started);
		expect(passedOn(run)).toEqual([expect.objectContaining({ status: 'finished' })]);
	});
});

describe('workflows of V2', () => {
	it('sleep until the callback as bots do', async () => {
		const asleep = await scene.run({
			parameters: {
				resource: 'workflow',
				operation: 'run',
				workflowId: chosen('1001'),
				waitForCompletion: 'automatic',
				output: 'simplified',
				inputMode: 'json',
				input: '={{ { keyword: $json.keyword } }}',
				options: {},
			},
			items: keywords('a'),
		});
		expect(asleep.error).toBeUndefined();
		expect(asleep.status).toBe('waiting');
		const [run] = await scene.runs();
		await scene.sandbox.moveRun({ taskId: run?.taskId ?? '', status: 'finished' });

		expect(passedOn(await scene.end(asleep))).toEqual([
			expect.objectContaining({ task_id: run?.taskId, status: 'finished' }),
		]);
	});
});
