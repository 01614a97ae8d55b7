import { chosen } from '../../fixture';
import { keywords, passedOn, scrape, useScene } from './scene';
import { skipTo } from '../../timeLapse';

jest.mock('n8n-workflow', () =>
	jest.requireActual<{ lapsed(): object }>('../../timeLapse').lapsed(),
);

const scene = useScene();

const MINUTE = 60_000;
const once = (options = {}, further = {}) => scrape(further, { noRepeat: 30, ...options });
const noWait = { waitForCompletion: 'none' };
const taskIdsOf = (run: Parameters<typeof passedOn>[0]) =>
	passedOn(run).map(({ task_id }) => task_id);

/** Runs of templates are listed without the template, so that this process alone knows them. */
const ofTemplate = {
	resource: 'template',
	operation: 'run',
	templateId: chosen('2001'),
	...noWait,
};

describe('with Do Not Repeat Within, an input that was started lately', () => {
	it('gets the result of its run, also in an execution that sleeps', async () => {
		const first = await scene.run({ parameters: once(), items: keywords('a') });
		const second = await scene.run({ parameters: once(), items: keywords('a', 'b') });
		await scene.finish('a', 'b');
		const [one, other] = [await scene.end(first), await scene.end(second)];

		expect(await scene.runs()).toHaveLength(2);
		expect(taskIdsOf(one)).toEqual([(await scene.runFor('a')).taskId]);
		expect(passedOn(other)).toMatchObject([
			{ task_id: (await scene.runFor('a')).taskId, status: 'finished' },
			{ task_id: (await scene.runFor('b')).taskId, status: 'finished' },
		]);
		// Nothing is said of what they cost together, as it has started only one of them.
		expect(other.hints).toEqual([
			expect.objectContaining({ message: expect.stringContaining('1 of 2 items') }),
		]);
	});

	it('is started once among the items of a batch', async () => {
		const parameters = once({}, noWait);
		const run = await scene.run({ parameters, items: keywords('a', 'a', 'b', 'a') });

		const [a, b] = [await scene.runFor('a'), await scene.runFor('b')];
		expect(await scene.runs()).toHaveLength(2);
		expect(taskIdsOf(run)).toEqual([a.taskId, a.taskId, b.taskId, a.taskId]);
	});

	it('is started again when the time is over, after a failed run, and without the option', async () => {
		const parameters = once({}, noWait);
		await scene.run({ parameters, items: keywords('a', 'b') });
		await scene.sandbox.moveRun({ taskId: (await scene.runFor('b')).taskId, status: 'failed' });
		await scene.run({ parameters, items: keywords('b') });
		expect(await scene.runs()).toHaveLength(3);

		await scene.run({ parameters: scrape(noWait), items: keywords('a') });
		expect(await scene.runs()).toHaveLength(4);

		skipTo(Date.now() + 31 * MINUTE);
		await scene.run({ parameters: { ...parameters, ...ofTemplate }, items: keywords('a') });
		expect(await scene.runs()).toHaveLength(5);
		skipTo(Date.now() + 11 * MINUTE);
		await scene.run({
			parameters: { ...once({ noRepeat: 10 }), ...ofTemplate },
			items: keywords('a'),
		});
		expect(await scene.runs()).toHaveLength(6);
	});

	it.each([
		['as it was sent', {}],
		['with the defaults of the bot', { url: 'https://shop.example.com', currency: 'USD' }],
	])('is found in the service where another process has started it: %s', async (_, defaults) => {
		const { taskIds } = await scene.sandbox.seedRuns({
			count: 1,
			statuses: ['running'],
			input: { keyword: 'a', max_results: 1, ...defaults },
			createdFrom: new Date().toISOString(),
		});
		const run = await scene.run({ parameters: once({}, noWait), items: keywords('a', 'b') });

		expect(taskIdsOf(run)).toEqual([taskIds[0], (await scene.runFor('b')).taskId]);
		expect(await scene.runs()).toHaveLength(2);
	});

	it('is started beside one in which another value than the default was chosen', async () => {
		await scene.sandbox.seedRuns({
			count: 1,
			statuses: ['running'],
			input: { keyword: 'a', max_results: 1, currency: 'EUR' },
			createdFrom: new Date().toISOString(),
		});
		await scene.run({ parameters: once({}, noWait), items: keywords('a') });
		expect(await scene.runs()).toHaveLength(2);
	});

	it('is not started where the service cannot be asked for earlier runs, and may be later', async () => {
		await scene.sandbox.addFault({ path: '/v3/bots/runs$', kind: 'serverError' });
		const run = await scene.run({ parameters: once({}, noWait), items: keywords('a') });
		expect(run.error?.message).toContain('could not be looked for');
		expect(run.error?.message).not.toContain('is not known');
		expect(await scene.runs()).toEqual([]);

		await scene.reset();
		expect(
			passedOn(await scene.run({ parameters: once({}, noWait), items: keywords('a') })),
		).toHaveLength(1);
	});

	it('is not started again where nobody knows whether it was', async () => {
		await scene.sandbox.addFault({
			kind: 'cutConnection',
			method: 'POST',
			path: '/runs$',
			times: 1,
		});
		const parameters = { ...once(), ...ofTemplate };
		const first = await scene.run({ parameters, items: keywords('a') });
		const second = await scene.run({ parameters, items: keywords('a') });
		for (const { error } of [first, second]) {
			expect(error?.message).toContain('Whether the run was started is not known');
		}
		expect(await scene.runs()).toEqual([]);
	});

	it('is not canceled by an execution that has not started it', async () => {
		await scene.run({ parameters: once({}, noWait), items: keywords('a') });
		const parameters = once({ waitLimit: 0.02, cancelAfter: 0.5, cancelRunsWhen: ['limit'] });
		const { error } = await scene.run({
			parameters: { ...parameters, waitForCompletion: 'poll' },
			items: keywords('a'),
		});

		expect(error?.message).toContain('was still');
		expect((await scene.runFor('a')).status).not.toBe('canceled');
	});
});
