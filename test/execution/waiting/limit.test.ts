import { keywords, passedOn, scrape, useScene } from './scene';
import { skipTo, until } from '../../timeLapse';

jest.mock('n8n-workflow', () =>
	jest.requireActual<{ lapsed(): object }>('../../timeLapse').lapsed(),
);

const scene = useScene();

const lastKnown = expect.stringMatching(/^(created|running)$/);

describe('when the limit of waiting is reached asleep', () => {
	it('the node fails with the runs and their last known status', async () => {
		const asleep = await scene.run({ items: keywords('a', 'b') });
		const run = await scene.endByClock(asleep);

		expect(run.status).toBe('error');
		const [a, b] = [(await scene.runFor('a')).taskId, (await scene.runFor('b')).taskId];
		expect(run.error?.message).toMatch(
			new RegExp(`Run ${a} was still (created|running) when the wait limit of 7 h was reached`),
		);
		expect(run.error).toMatchObject({ description: expect.stringContaining(b) });
		expect(passedOn(run)).toEqual([]);
	});

	it('each item goes to the error output, with the fields of its input', async () => {
		const asleep = await scene.run({ items: keywords('a', 'b'), onError: 'continueErrorOutput' });
		const run = await scene.endByClock(asleep);

		expect(passedOn(run)).toEqual([]);
		expect(passedOn(run, 1)).toEqual([
			expect.objectContaining({
				keyword: 'a',
				error: expect.stringMatching(`Run ${(await scene.runFor('a')).taskId} .*wait limit`),
				message: expect.stringContaining('Wait for Completion'),
			}),
			expect.objectContaining({ keyword: 'b' }),
		]);
	});

	it('items say so where that is wanted, in order and paired', async () => {
		const asleep = await scene.run({
			parameters: scrape({}, { atWaitLimit: 'continue' }),
			items: keywords('a', 'b'),
			probe: '{{ $("Start").item.json.keyword }}',
		});
		const run = await scene.endByClock(asleep);

		expect(passedOn(run)).toEqual([
			{ task_id: (await scene.runFor('a')).taskId, status: lastKnown, timed_out: true },
			{ task_id: (await scene.runFor('b')).taskId, status: lastKnown, timed_out: true },
		]);
		expect(run.probed[0]).toEqual(['a', 'b']);
	});

	it('is when the user said', async () => {
		const before = Date.now();
		const asleep = await scene.run({
			parameters: scrape({}, { waitLimit: 0.5 }),
			items: keywords('a'),
		});
		await scene.endByClock(asleep);

		const waited = Date.now() - before;
		expect(waited).toBeGreaterThanOrEqual(1_800_000);
		expect(waited).toBeLessThan(1_900_000);
	});

	it('a callback that came before makes the limit irrelevant', async () => {
		const asleep = await scene.run({ items: keywords('a') });
		await scene.finish('a');
		const run = await scene.end(asleep);

		expect(run.error).toBeUndefined();
		await expect(scene.harness.resumeByTimeout(asleep)).rejects.toThrow('does not wait');
	});
});

describe('when the limit of waiting is reached while polling', () => {
	const polling = { waitForCompletion: 'poll' };

	it('the node fails with the run and its last status', async () => {
		const run = await scene.run({
			parameters: scrape(polling, { waitLimit: 0.01 }),
			items: keywords('a'),
		});

		expect(run.status).toBe('error');
		const { taskId, status } = await scene.runFor('a');
		expect(run.error?.message).toContain(`Run ${taskId} was still running`);
		expect(run.error).toMatchObject({ description: expect.stringMatching(/log: http/) });
		expect(status).toBe('running');
	});

	it('the node does not wait much longer for the link to the log', async () => {
		await scene.sandbox.addFault({ kind: 'rateLimit', retryAfter: '60', path: 'runs/\\d+$' });
		const begun = Date.now();
		const run = await scene.run({
			parameters: scrape(polling, { waitLimit: 0.01 }),
			items: keywords('a'),
		});
		const waited = Date.now() - begun;

		expect(run.error?.message).toContain('was still running');
		expect(waited).toBeLessThan(36_000 + 30_000);
	});

	it('finished runs come with their results, the others with their IDs', async () => {
		const started = scene.run({
			parameters: scrape(polling, { waitLimit: 0.05, atWaitLimit: 'continue' }),
			items: keywords('a', 'b'),
		});
		await until(async () => (await scene.runs()).length === 2, 'the starts');
		await scene.finish('b');
		const run = await started;

		expect(passedOn(run)).toEqual([
			{ task_id: (await scene.runFor('a')).taskId, status: 'running', timed_out: true },
			expect.objectContaining({ status: 'finished', finished_at: expect.any(String) }),
		]);
	});

	it('tells what the service said last, where it does not tell of the run', async () => {
		const asleep = await scene.run({
			parameters: scrape({}, { waitLimit: 0.5 }),
			items: keywords('a'),
		});
		await scene.sandbox.addFault({
			path: '/v3/bots/runs/',
			kind: 'envelopeError',
			code: 10100,
			msg: 'Out of order',
		});
		const run = await scene.endByClock(asleep);

		expect(run.error?.message).toContain('was still');
		expect(run.error).toMatchObject({ description: expect.stringContaining('Out of order') });
	});

	it('cancels what still runs also asleep, and says that it did', async () => {
		const asleep = await scene.run({
			parameters: scrape({}, { waitLimit: 0.5, cancelRunsWhen: ['limit'] }),
			items: keywords('a'),
		});
		const run = await scene.endByClock(asleep);

		const { taskId, status } = await scene.runFor('a');
		expect(status).toBe('canceled');
		expect(run.error?.message).toBe(
			`Run ${taskId} was cancelled when the wait limit of 0.5 h was reached`,
		);
	});

	it('passes on what was canceled as that, where the workflow goes on', async () => {
		const options = { waitLimit: 0.5, cancelRunsWhen: ['limit'], atWaitLimit: 'continue' };
		const asleep = await scene.run({ parameters: scrape({}, options), items: keywords('a') });

		expect(passedOn(await scene.endByClock(asleep))).toMatchObject([
			{ status: 'canceled', timed_out: true },
		]);
	});

	it('passes on the result of a run that has ended just before it would be canceled', async () => {
		scene.cutOff();
		await scene.sandbox.setCallbackFaults({ lose: 'all' });
		const asleep = await scene.run({
			parameters: scrape({}, { waitLimit: 0.5, cancelRunsWhen: ['limit'] }),
			items: keywords('a'),
		});
		await scene.finish('a');
		// The last look shows it as it was before its end.
		await scene.sandbox.addFault({ path: 'runs/\\d+$', kind: 'lagging', times: 1 });
		skipTo(Date.now() + 1_800_000);
		const run = await scene.wakeByClock(asleep);

		expect(await scene.asked('run.cancel')).toBe(1);
		expect(passedOn(run)).toEqual([
			expect.objectContaining({ status: 'finished', finished_at: expect.any(String) }),
		]);
	});

	it('cancels what still runs where that is wanted', async () => {
		await scene.run({
			parameters: scrape(polling, { waitLimit: 0.01, cancelRunsWhen: ['limit'] }),
			items: keywords('a'),
		});

		expect((await scene.runFor('a')).status).toBe('canceled');
	});
});
