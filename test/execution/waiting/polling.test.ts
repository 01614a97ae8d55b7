import type { INodeParameters } from 'n8n-workflow';

import { ACTION, chosen } from '../../fixture';
import { warnings } from '../../triggers/triggerFixture';
import { finished, idsOf, keywords, passedOn, scrape, useScene } from './scene';
import { endTimeLapse, until } from '../../timeLapse';

const scene = useScene();
const polling = scrape({ waitForCompletion: 'poll' });
const NO_WAIT = { waitForCompletion: 'none' };

/** Waits until the service was asked for something, so many times. */
async function untilAsked(operation: string, times = 1): Promise<void> {
	await until(async () => (await scene.asked(operation)) >= times, `${times} of ${operation}`);
}

/** Where the execution never sleeps, also not to be stored. */
const called = { mode: 'webhook', responseMode: 'lastNode' } as const;

it('asks about many runs with pages of the list from the first start on, and gives results in input order', async () => {
	await scene.sandbox.setDurations({ created: 0, running: 40 });
	const words = Array.from({ length: 25 }, (_, index) => `w${index}`);
	const run = await scene.run({ parameters: polling, items: keywords(...words) });

	expect(idsOf(run)).toEqual(await scene.idsFor(...words));
	const lists = await scene.sandbox.requests({ operation: 'run.getAll' });
	expect(lists.length).toBeGreaterThan(0);
	for (const { query } of lists) expect(query).toContain('created_at_from=');
	expect(await scene.asked('run.getStatus')).toBeLessThan(4);
});

it.each(['/status$', '/runs/\\d+$'])('outlasts an odd answer of a gateway to %s', async (path) => {
	const how = { ...called, nodeType: ACTION, parameters: polling, items: keywords('a') };
	const { done } = await scene.harness.start(how);
	await untilAsked('run.getStatus');
	await scene.sandbox.addFault({ kind: 'answer', status: 302, path, times: 1 });
	await untilAsked('run.getStatus', 3);
	await scene.finish('a');
	expect((await done).status).toBe('success');
});

describe('when the execution is stopped', () => {
	/** Starts two runs and stops the execution at a moment. */
	async function stoppedAfter(
		moment: () => Promise<void>,
		parameters: INodeParameters,
		how: object = called,
	): Promise<void> {
		const items = keywords('a', 'b');
		const started = await scene.harness.start({ nodeType: ACTION, parameters, items, ...how });
		await moment();
		started.abort();
		await scene.sandbox.clearFaults();
		expect((await started.done).status).toBe('canceled');
	}

	it('a run whose start is under way is canceled, too, and no further one is started', async () => {
		const log = warnings();
		await scene.sandbox.addFault({ kind: 'latency', ms: 600_000, method: 'POST', path: '/runs$' });
		const oneByOne = { ...called, credentials: scene.credential({ requestsAtATime: 1 }) };
		await stoppedAfter(async () => await untilAsked('bot.run'), polling, oneByOne);
		await untilAsked('run.cancel');
		expect(await scene.statuses()).toEqual(['canceled']);
		expect(log).toEqual([]);
	});

	it('what the service does not accept to cancel is named in n8n’s log', async () => {
		const log = warnings();
		await scene.sandbox.addFault({ kind: 'answer', status: 400, path: '/cancel$', times: 1 });
		const how = { ...called, nodeType: ACTION, parameters: polling, items: keywords('a', 'b') };
		const started = await scene.harness.start(how);
		await untilAsked('run.getStatus');
		started.abort();
		await started.done;
		await until(() => log.length > 0, 'the line in the log');
		const [left, ...others] = (await scene.runs()).filter(({ status }) => status !== 'canceled');
		expect(others).toEqual([]);
		expect(log).toEqual([expect.stringMatching(RegExp(`these runs: ${left?.taskId}$`))]);
	});

	it('they go on where that is wanted', async () => {
		const parameters = scrape({ waitForCompletion: 'poll' }, { cancelRunsWhen: [] });
		await stoppedAfter(async () => await untilAsked('run.getStatus'), parameters);
		await endTimeLapse();

		expect(await scene.statuses()).toEqual(['running', 'running']);
		expect(await scene.asked('run.cancel')).toBe(0);
	});

	it('one that another execution has started goes on', async () => {
		const again = { reuseWithin: 30 };
		await scene.run({ parameters: scrape(NO_WAIT, again), items: keywords('a') });
		const both = async () => await scene.started(2);
		await stoppedAfter(both, scrape({ waitForCompletion: 'poll' }, again));
		const isOver = async () => (await scene.runFor('b')).status === 'canceled';
		await until(isOver, 'the other to be canceled');

		expect(await scene.statuses()).toEqual(['running', 'canceled']);
	});

	it('they go on with Don’t Wait, where the next waits for a slot', async () => {
		await scene.sandbox.setKey({ key: scene.sandbox.key, concurrency: 1 });
		await stoppedAfter(async () => await untilAsked('bot.run', 2), scrape(NO_WAIT), {});
		await endTimeLapse();

		expect(await scene.statuses()).toEqual(['running']);
		expect(await scene.asked('run.cancel')).toBe(0);
	});
});

describe('Run > Wait for Completion', () => {
	const itemsFor = (...ids: string[]) => ids.map((task_id) => ({ json: { task_id } }));
	const waiting = (further = {}) => ({
		resource: 'run',
		operation: 'wait',
		taskId: chosen('={{ $json.task_id }}'),
		output: 'simplified',
		options: {},
		...further,
	});

	it('tells of a run that does not exist by its ID, and goes on with the others', async () => {
		const { taskIds } = await scene.sandbox.seedRuns({ count: 1 });
		const items = itemsFor('123', ...taskIds);
		const onError = 'continueRegularOutput';

		const error = expect.stringContaining('does not exist');
		const failed = { error, details: { task_id: '123', code: 10112 } };
		const run = await scene.run({ parameters: waiting(), items, onError });
		expect(passedOn(run)).toMatchObject([failed, { status: 'finished' }]);
	});

	it('goes on after one answer that does not know a run which was read before', async () => {
		const { taskIds } = await scene.sandbox.seedRuns({ count: 1, statuses: ['running'] });
		const [taskId = ''] = taskIds;
		const started = scene.run({ ...called, parameters: waiting(), items: itemsFor(taskId) });
		await untilAsked('run.getStatus');
		const unknown = { kind: 'envelopeError', code: 10112, msg: 'unknown' } as const;
		await scene.sandbox.addFault({ ...unknown, path: '/runs/\\d+', times: 1 });
		await untilAsked('run.getStatus', 3);
		await scene.sandbox.moveRun({ taskId, status: 'finished' });

		expect(passedOn(await scene.end(await started))).toEqual([finished]);
	});

	it('waits for tasks of V2, whose status may be unknown for a while', async () => {
		const { taskIds } = await scene.sandbox.seedRuns({ count: 1, statuses: ['running'] });
		const [taskId = ''] = taskIds;
		await scene.sandbox.setUnknown({ taskId, unknown: true });
		const parameters = waiting({ resource: 'task' });
		const started = scene.run({ parameters, items: itemsFor(taskId) });
		await untilAsked('task.get', 2);
		await scene.sandbox.setUnknown({ taskId, unknown: false });
		await scene.sandbox.moveRun({ taskId, status: 'finished' });

		expect(passedOn(await scene.end(await started))).toEqual([finished]);
	});
});
