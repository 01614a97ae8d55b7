import { randomUUID } from 'node:crypto';
import type { INodeParameters } from 'n8n-workflow';

import { ACTION, chosen } from '../../fixture';
import { skipTo, startTimeLapse } from '../../timeLapse';
import { keywords, passedOn, scrape, useScene } from './scene';

const scene = useScene();
const { timeout } = AbortSignal;

const AGAIN = 'Starting it again starts another run.';
const STILL_RUNNING = expect.stringMatching(/^Still running, .*Read it with Run > Wait/);
const GOING_ON = { status: 'running', timed_out: true, hint: STILL_RUNNING };
const GIVEN_UP = expect.stringMatching(/^n8n lets this node wait no longer/);
const SLOW = { kind: 'latency', ms: 20_000, method: 'GET', path: '^/v3/bots/runs/[^/]+$' } as const;

describe('a tool of one of n8n’s Agents, which keep nothing', () => {
	const input = "={{ { keyword: $fromAI('keyword'), max_results: 1 } }}";
	const byModel = (further: INodeParameters = {}, options: INodeParameters = {}) =>
		scrape({ input, ...further }, options);

	async function call(keyword: string, parameters: INodeParameters = byModel()) {
		const called = { nodeType: ACTION, parameters, items: keywords(keyword) };
		return (await scene.harness.runForAgent(called)).map(({ json }) => json);
	}

	it('after five minutes answers with the run, which goes on', async () => {
		startTimeLapse(500);
		const [answer] = await call('a');
		const { taskId } = await scene.runFor('a');

		expect(answer).toEqual({ task_id: taskId, ...GOING_ON });
		expect(answer).toHaveProperty('hint', expect.stringContaining(AGAIN));
		expect(await scene.statuses()).toEqual(['running']);

		const wait = { resource: 'run', operation: 'wait', taskId: chosen(taskId), options: {} };
		const [later] = await call('', { ...wait, output: 'simplified' });
		expect(later).toMatchObject({ task_id: taskId, timed_out: true, hint: STILL_RUNNING });
		expect(later).not.toHaveProperty('hint', expect.stringContaining(AGAIN));
	});

	/** A tool that was never called before, as starts of like tools count together. */
	const newTool = (options: INodeParameters) => {
		const unique = `={{ { keyword: $fromAI('keyword', '${randomUUID()}') } }}`;
		return scrape({ input: unique, waitForCompletion: 'none' }, options);
	};

	it('names its run also where the results take longer than a quarter of a minute more', async () => {
		await scene.sandbox.setDurations({ created: 0, running: 0 });
		await scene.sandbox.addFault(SLOW);
		let resultsWithin = 0;
		jest.spyOn(AbortSignal, 'timeout').mockImplementation((limit) => {
			if (limit > 300_000) resultsWithin = limit;
			return timeout.call(AbortSignal, limit > 300_000 ? 2_000 : limit);
		});
		const [answer] = await call('a').finally(() => jest.restoreAllMocks());
		const [task_id] = await scene.idsFor('a');
		expect(answer).toMatchObject({ task_id, hint: GIVEN_UP });
		expect(resultsWithin).toBeGreaterThan(310_000);
		expect(resultsWithin).toBeLessThanOrEqual(315_000);
	});

	it('starts as many runs within an hour as the user allows, over all calls of the same tool', async () => {
		await scene.sandbox.setDurations({ created: 0, running: 0 });
		const [parameters, other] = [newTool({ maxRuns: 2 }), newTool({ maxRuns: 2 })];
		await call('a', parameters);
		const both = await Promise.allSettled([call('b', parameters), call('c', parameters)]);

		const refused = both.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
		const words = /3 runs within an hour.*2 were before.*may be called again/s;
		expect(refused).toEqual([expect.stringMatching(words)]);
		await call('d', other);
		expect(await scene.runs()).toHaveLength(3);
	});

	it('may start as many runs again an hour after the first of them', async () => {
		await scene.sandbox.setDurations({ created: 0, running: 0 });
		const parameters = newTool({ maxRuns: 2 });
		for (const keyword of ['a', 'b', 'c']) {
			await call(keyword, parameters);
			skipTo(Date.now() + 31 * 60_000);
		}
		expect(await scene.runs()).toHaveLength(3);
	});

	it('says before a start that it cannot tell which rows are new', async () => {
		const parameters = byModel({ output: 'rows' }, { onlyNewRows: 'all' });
		await expect(call('a', parameters)).rejects.toThrow("Changed Rows' has nothing to");
		expect(await scene.runs()).toEqual([]);
	});
});

describe('a node that the AI Assistant executes', () => {
	const assistant = { mode: 'manual', alone: true, executionTimeout: 15 } as const;

	it('waits in place, and answers before n8n ends it with its run as it stands', async () => {
		const run = await scene.run({ ...assistant, items: keywords('a') });

		expect(run.status).toBe('success');
		const { taskId } = await scene.runFor('a');
		expect(passedOn(run)).toEqual([{ task_id: taskId, ...GOING_ON }]);
		expect(await scene.statuses()).toEqual(['running']);
	});

	it.each([true, false])('fails where its run does, also if why is late: %s', async (isLate) => {
		startTimeLapse(1);
		if (isLate) await scene.sandbox.addFault(SLOW);
		const begun = scene.run({ ...assistant, executionTimeout: 8, items: keywords('a') });
		await scene.started(1);
		await scene.move('a', 'failed');

		const { status, error } = await begun;
		expect(status).toBe('error');
		expect(error?.message).toMatch(/^Run \d+ failed/);
	});

	it('names its run also where the results take too long', async () => {
		startTimeLapse(1);
		await scene.sandbox.setDurations({ created: 0, running: 0 });
		await scene.sandbox.addFault(SLOW);
		const run = await scene.run({ ...assistant, executionTimeout: 4, items: keywords('a') });

		expect(run.status).toBe('success');
		const { taskId } = await scene.runFor('a');
		expect(passedOn(run)).toEqual([{ task_id: taskId, status: 'finished', hint: GIVEN_UP }]);
	});
});
