import { idsOf, keywords, passedOn, scrape, useScene, type TimeLapse } from './scene';

jest.mock('n8n-workflow', () => jest.requireActual<TimeLapse>('../../timeLapse').lapsed());

const scene = useScene();

const once = (options = {}, further = {}) => scrape(further, { reuseWithin: 30, ...options });
const noWait = { waitForCompletion: 'none' };
const startOnly = once({}, noWait);

describe('with Reuse Results For, an input that was started lately', () => {
	it('gets the result of its run, also in an execution that sleeps', async () => {
		const first = await scene.run({ parameters: once(), items: keywords('a') });
		const second = await scene.run({ parameters: once(), items: keywords('a', 'b') });
		const [one, other] = [await scene.end(first, 'a', 'b'), await scene.end(second)];

		const [a, b] = await scene.idsFor('a', 'b');
		expect(await scene.runs()).toHaveLength(2);
		expect(idsOf(one)).toEqual([a]);
		expect(passedOn(other)).toMatchObject([
			{ task_id: a, status: 'finished' },
			{ task_id: b, status: 'finished' },
		]);
		// Nothing is said of what they cost together, as it has started only one of them.
		expect(other.hints).toEqual([
			expect.objectContaining({ message: expect.stringContaining('1 of 2 items') }),
		]);
	});

	it('is started again after a failed run', async () => {
		await scene.run({ parameters: startOnly, items: keywords('a') });
		await scene.move('a', 'failed');
		await scene.run({ parameters: startOnly, items: keywords('a') });
		expect(await scene.runs()).toHaveLength(2);
	});

	it('is found in the service where another process has started it, with the bot’s defaults', async () => {
		const defaults = { url: 'https://shop.example.com', currency: 'USD' };
		const { taskIds } = await scene.sandbox.seedRuns({
			count: 1,
			statuses: ['running'],
			input: { keyword: 'a', max_results: 1, ...defaults },
			createdFrom: new Date().toISOString(),
		});
		const run = await scene.run({ parameters: startOnly, items: keywords('a', 'b') });

		expect(idsOf(run)).toEqual([taskIds[0], (await scene.runFor('b')).taskId]);
		expect(await scene.runs()).toHaveLength(2);
	});

	it('is not started where the service cannot be asked for earlier runs, and may be later', async () => {
		await scene.sandbox.addFault({ path: '/v3/bots/runs$', kind: 'serverError' });
		const refused = await scene.run({ parameters: startOnly, items: keywords('a') });
		expect(refused.error?.message).toContain('could not be looked for');
		expect(refused.error?.message).not.toContain('is not known');
		expect(await scene.runs()).toEqual([]);

		await scene.reset();
		const later = await scene.run({ parameters: startOnly, items: keywords('a') });
		expect(passedOn(later)).toHaveLength(1);
	});

	it('is not canceled by an execution that has not started it', async () => {
		await scene.run({ parameters: startOnly, items: keywords('a') });
		const options = { waitLimit: 0.02, cancelAfter: 0.5, cancelRunsWhen: ['limit'] };
		const parameters = once(options, { waitForCompletion: 'poll' });
		const { error } = await scene.run({ parameters, items: keywords('a') });

		expect(error?.message).toContain('was still');
		expect((await scene.runFor('a')).status).not.toBe('canceled');
	});
});
