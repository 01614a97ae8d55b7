import { keywords, passedOn, scrape, useScene } from './scene';
import type { Run } from '../../core/harness';
import { chosen } from '../../fixture';
import { skipTo } from '../../timeLapse';

const scene = useScene();

/** Waits for a run that goes on until the limit, asleep, where the service may refuse what is asked at a path. */
async function waitInVain(options: object = {}, further = {}, refusesAt?: string): Promise<Run> {
	const parameters = scrape(further, { waitLimit: 0.5, ...options });
	const asleep = await scene.run({ parameters, items: keywords('a') });
	const refused = { kind: 'envelopeError', code: 10100, msg: 'Out of order' } as const;
	if (refusesAt !== undefined) await scene.sandbox.addFault({ ...refused, path: refusesAt });
	return await scene.endByTimer(asleep);
}

describe('when the limit of waiting is reached asleep', () => {
	it('the node fails with the runs and their last known status', async () => {
		const run = await scene.endByTimer(await scene.run({ items: keywords('a', 'b') }));

		expect(run.status).toBe('error');
		const [a, b] = await scene.idsFor('a', 'b');
		const said = `Run ${a} was still (created|running) when the wait limit of 7 h was reached`;
		expect(run.error?.message).toMatch(new RegExp(said));
		expect(run.error).toMatchObject({ description: expect.stringContaining(b ?? '') });
		expect(run.error).toMatchObject({ description: expect.stringMatching(/log: http/) });
		expect(await scene.statuses()).toEqual(['running', 'running']);
		expect(passedOn(run)).toEqual([]);
	});

	it('tells what the service said last, where it does not tell of the run', async () => {
		const run = await waitInVain({}, {}, '/v3/bots/runs/');

		expect(run.error?.message).toContain('was still');
		expect(run.error).toMatchObject({ description: expect.stringContaining('Out of order') });
	});

	it('when the user said, cancels what still runs where that is wanted, and says that it did', async () => {
		const begun = Date.now();
		const run = await waitInVain({ cancelRunsWhen: ['limit'] });

		expect(Date.now() - begun).toBeGreaterThanOrEqual(1_800_000);
		expect(Date.now() - begun).toBeLessThan(1_900_000);
		const { taskId, status } = await scene.runFor('a');
		expect(status).toBe('canceled');
		const message = `Run ${taskId} was cancelled when the wait limit of 0.5 h was reached`;
		expect(run.error?.message).toBe(message);
	});

	it.each([
		[{ resource: 'bot', botId: chosen('1001') }, {}],
		[{ resource: 'workflow', workflowId: chosen('1001') }, { output: { string: null } }],
	])('gives the whole run as the service has it then, in Raw: %j', async (subject, further) => {
		const options = { atWaitLimit: 'continue', cancelRunsWhen: ['limit'] };
		const run = await waitInVain(options, { ...subject, output: 'raw' });

		const { taskId: task_id } = await scene.runFor('a');
		const [item] = passedOn(run);
		expect(item).toMatchObject({ task_id, status: 'canceled', timed_out: true, ...further });
		expect(item).toHaveProperty('log_detail_url');
		if (subject.resource === 'workflow') expect(item).toHaveProperty('id', task_id);
	});

	it('names the run in Raw, where the service does not tell of it', async () => {
		const run = await waitInVain({ atWaitLimit: 'continue' }, { output: 'raw' }, 'runs/\\d+$');

		const { taskId: task_id } = await scene.runFor('a');
		const status = expect.stringMatching(/^(created|running)$/);
		expect(passedOn(run)).toEqual([{ task_id, status, timed_out: true }]);
	});

	it('passes on the result of a run that has ended just before it would be canceled', async () => {
		scene.cutOff();
		await scene.sandbox.setCallbackFaults({ lose: 'all' });
		const parameters = scrape({}, { waitLimit: 0.5, cancelRunsWhen: ['limit'] });
		const asleep = await scene.run({ parameters, items: keywords('a') });
		await scene.finish('a');
		// The last poll shows it as it was before its end.
		await scene.sandbox.addFault({ path: 'runs/\\d+', kind: 'lagging', times: 2 });
		skipTo(Date.now() + 1_800_000);
		const run = await scene.resumeByTimer(asleep);

		expect(await scene.asked('run.cancel')).toBe(1);
		expect(passedOn(run)).toMatchObject([{ status: 'finished', finished_at: expect.any(String) }]);
	});
});

it('a node that polls does not wait much longer than the limit for a service that tells nothing just then', async () => {
	const path = 'runs/\\d+(/status)?$';
	await scene.sandbox.addFault({ kind: 'rateLimit', retryAfter: '60', path });
	const begun = Date.now();
	const parameters = scrape({ waitForCompletion: 'poll' }, { waitLimit: 0.01 });
	const run = await scene.run({ parameters, items: keywords('a') });

	expect(run.error?.message).toContain('was still');
	expect(Date.now() - begun).toBeLessThan(36_000 + 30_000);
});

it('an unknown status that stays ends the execution early, in the service’s words, and starts no second run', async () => {
	const asleep = await scene.run({ items: keywords('a') });
	await scene.started(1);
	const { taskId } = await scene.runFor('a');
	const body = JSON.stringify({ task_id: taskId, status: 'archiving' });
	const path = `runs/${taskId}(/status)?$`;
	await scene.sandbox.addFault({ kind: 'answer', status: 200, path, body });
	const run = await scene.end(asleep);

	const said = `the status "archiving" for run ${taskId}, which this node does not know`;
	expect(run.error?.message).toBe(`The service reports ${said}`);
	expect(await scene.runs()).toHaveLength(1);
	const again = await scene.harness.retry(run);
	await scene.sandbox.clearFaults();

	expect(passedOn(await scene.end(again, 'a'))).toHaveLength(1);
	expect(await scene.runs()).toHaveLength(1);
});

const MINUTE = 60_000;

it.each([
	['is canceled while the execution sleeps, and its item fails in clear words', 0],
	['is tried again where the service does not take the cancel at first', 1],
])('a run that goes on for longer than Cancel a Run After says %s', async (_, times) => {
	const before = Date.now();
	const parameters = scrape({}, { cancelAfter: 30 });
	const asleep = await scene.run({ parameters, items: keywords('a') });
	const fault = { path: '/cancel$', kind: 'serverError', times: 4 * times } as const;
	if (times > 0) await scene.sandbox.addFault(fault);
	const run = await scene.endByTimer(asleep);

	const { taskId, status } = await scene.runFor('a');
	expect(status).toBe('canceled');
	const why = 'because it had not ended after 30 min';
	expect(run.error?.message).toBe(`Run ${taskId} was cancelled, ${why}`);
	expect(run.error?.description).toContain('Cancel a Run After');
	expect(Date.now() - before).toBeGreaterThanOrEqual(30 * MINUTE);
	expect(Date.now() - before).toBeLessThan((33 + 2 * times) * MINUTE);
});
