import { randomUUID } from 'node:crypto';

import { idsOf, keywords, passedOn, scrape, useScene } from './scene';
import { apiCredential } from '../../fixture';
import { holdPauses, until } from '../../timeLapse';

const scene = useScene();

/** An account that nobody else has used: the line and what is known of the plan are the account's. */
async function newAccount(concurrency: number) {
	const key = randomUUID();
	await scene.sandbox.setKey({ key, concurrency });
	return apiCredential({ url: scene.sandbox.url, key });
}

describe('a batch larger than the plan’s limit of running tasks', () => {
	beforeEach(async () => {
		await scene.sandbox.setKey({ key: scene.sandbox.key, concurrency: 2 });
	});

	it('is started bit by bit while the execution sleeps', async () => {
		const words = ['a', 'b', 'c', 'd', 'e'];
		const asleep = await scene.run({ items: keywords(...words) });
		expect(asleep.status).toBe('waiting');
		expect(await scene.runs()).toHaveLength(2);

		for (let ended = 0; ended < words.length; ended++) {
			const going = async () => (await scene.runs()).find((run) => run.finishedAt === null);
			const next = await until(going, `run ${ended + 1} of ${words.length}`);
			await scene.sandbox.moveRun({ taskId: next.taskId, status: 'finished' });
			await scene.sandbox.callbacksSettled();
		}
		const run = await scene.end(asleep);

		expect(run.status).toBe('success');
		expect(idsOf(run)).toEqual(await scene.idsFor(...words));
		expect(await scene.runs()).toHaveLength(words.length);
	});

	it('stands behind an execution that has waited longer, and asks for nothing until its turn', async () => {
		const { taskIds } = await scene.sandbox.seedRuns({ count: 2, statuses: ['running'] });
		let isHeld = true;
		holdPauses(() => isHeld);
		const first = await scene.run({ items: keywords('a') });
		const isNext = expect.stringContaining('It is next in line');
		expect(first).toMatchObject({ status: 'waiting', hints: [{ message: isNext }] });
		const tried = await scene.asked('bot.run');
		const second = await scene.run({ items: keywords('b', 'c') });
		const message = expect.stringContaining('Its place in line is 2');
		expect(second).toMatchObject({ status: 'waiting', hints: [{ message }] });
		expect(await scene.asked('bot.run')).toBe(tried);
		isHeld = false;
		for (const taskId of taskIds) await scene.sandbox.moveRun({ taskId, status: 'finished' });
		await scene.started(4);
		expect(passedOn(await scene.end(first, 'a', 'b'))).toHaveLength(1);
		await scene.started(5);
		expect(passedOn(await scene.end(second, 'c'))).toHaveLength(2);
	});

	it('leaves the line when it fails', async () => {
		const credentials = await newAccount(1);
		await scene.run({ credentials, items: keywords('a') });
		const queued = await scene.run({ credentials, items: keywords('b') });
		await scene.sandbox.addFault({ kind: 'answer', status: 401, path: '/runs', body: '{}' });
		expect((await scene.end(queued)).status).toBe('error');
		await scene.sandbox.clearFaults();
		const next = await scene.run({ credentials, items: keywords('c') });
		expect(next.hints).toMatchObject([{ message: expect.stringContaining('It is next in line') }]);
	});

	it('waits for slots without waiting for results, with Don’t Wait', async () => {
		await scene.sandbox.setDurations({ created: 0, running: 30 });
		const parameters = scrape({ waitForCompletion: 'none' });
		const run = await scene.run({ items: keywords('a', 'b', 'c'), parameters });

		expect(idsOf(run)).toEqual(await scene.idsFor('a', 'b', 'c'));
		expect((await scene.runFor('a')).callbackUrl).toBeNull();
		for (const question of ['run.get', 'run.getStatus', 'run.getAll'])
			expect(await scene.asked(question)).toBe(0);
	});

	it('fails at once when it shall not wait for a slot, though others stand in line', async () => {
		const credentials = await newAccount(1);
		for (const word of ['a', 'b']) await scene.run({ items: keywords(word), credentials });
		const parameters = scrape({}, { failWithoutSlot: true });
		const run = await scene.run({ items: keywords('c'), parameters, credentials });

		expect(run.error?.message).toContain('10118');
		expect(await scene.runs()).toHaveLength(1);
	});
});

it('starts that are answered 429 are not sent before the wait limit where the service asks for more, and the error says so', async () => {
	await scene.sandbox.addFault({ kind: 'rateLimit', retryAfter: '3600', path: '/runs$' });
	const parameters = scrape({}, { waitLimit: 0.02 });
	const run = await scene.endByTimer(
		await scene.run({ items: keywords('later'), parameters, credentials: await newAccount(20) }),
	);

	expect(run.error?.message).toContain('not started before');
	expect(run.error).toMatchObject({ description: expect.stringContaining('slow down') });
	// What other tests left may start something, too.
	const sent = await scene.sandbox.requests({ operation: 'bot.run' });
	expect(sent.filter(({ body }) => JSON.stringify(body).includes('"later"'))).toHaveLength(1);
});
