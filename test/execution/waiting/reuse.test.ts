import { idsOf, keywords, passedOn, scrape, useScene } from './scene';
import { chosen } from '../../fixture';

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
		const results = [a, b].map((task_id) => ({ task_id, status: 'finished' }));
		expect(passedOn(other)).toMatchObject(results);
		// Nothing is said of what they cost together, as it has started only one of them.
		expect(other.hints).toMatchObject([{ message: expect.stringContaining('1 of 2 items') }]);
	});

	it('is started where it is that of another bot', async () => {
		await scene.run({ parameters: startOnly, items: keywords('x') });
		await scene.sandbox.addBot({ id: '4711', name: 'Another' });
		const other = { ...startOnly, botId: chosen('4711') };
		await scene.run({ parameters: other, items: keywords('x') });
		expect((await scene.runs()).map(({ botId }) => botId)).toEqual(['1001', '4711']);
	});

	it('is started again after a failed run', async () => {
		await scene.run({ parameters: startOnly, items: keywords('y') });
		await scene.move('y', 'failed');
		await scene.run({ parameters: startOnly, items: keywords('y') });
		expect(await scene.runs()).toHaveLength(2);
	});

	it('is not started where the service cannot be asked for earlier runs, and may be later', async () => {
		await scene.sandbox.addFault({ path: '/v3/bots/runs$', kind: 'serverError' });
		const refused = await scene.run({ parameters: startOnly, items: keywords('z') });
		expect(refused.error?.message).toContain('could not be looked for');
		expect(refused.error?.message).not.toContain('is not known');
		expect(await scene.runs()).toEqual([]);

		await scene.reset();
		const later = await scene.run({ parameters: startOnly, items: keywords('z') });
		expect(passedOn(later)).toHaveLength(1);
	});
});
