import type { RunOptions } from '../../core/harness';
import { chosen } from '../../fixture';
import { keywords, passedOn, scrape, useScene } from './scene';
import { until } from '../../timeLapse';

const scene = useScene();

const startInTurn = async (words: string[], how: Partial<RunOptions> = {}) => {
	const credentials = scene.credential({ requestsAtATime: 1 });
	return await scene.run({ credentials, items: keywords(...words), ...how });
};

/** Starts three, each with a bot of its own, of which the one for `b` does not exist. */
const startOneUnknown = async (options = {}, how: Partial<RunOptions> = {}) => {
	const botId = chosen('={{ $json.keyword === "b" ? "9999" : "1001" }}');
	return await startInTurn(['a', 'b', 'c'], { parameters: scrape({ botId }, options), ...how });
};

const START = { method: 'POST', path: '/runs$' } as const;
const REFUSED = { kind: 'envelopeError', code: 10021, msg: 'not ready' } as const;
const retries = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

describe('when one start of many is refused', () => {
	it('the node fails, naming every run that was started', async () => {
		const run = await startOneUnknown();

		expect(run.status).toBe('error');
		const [taskId = ''] = (await scene.runs()).map((one) => one.taskId);
		expect(await scene.runs()).toMatchObject([{ status: 'running' }]);
		const context = { itemIndex: 1, data: { code: 10111, task_ids: [taskId] } };
		expect(run.error).toMatchObject({ description: expect.stringContaining(taskId), context });
		expect(run.error?.description).not.toContain('is not known');
		expect(run.error).not.toHaveProperty('context.data.uncertain_items');
	});

	it('the node says of which other items it is not known whether their runs were started', async () => {
		await scene.sandbox.addFault({ ...START, kind: 'cutConnection', after: true, times: 2 });
		const credentials = scene.credential({ requestsAtATime: 3 });
		const run = await scene.run({ credentials, items: keywords('a', 'b', 'c') });

		expect(run.error?.message).toContain('Whether the run was started is not known');
		const runs = await scene.runs();
		expect(runs).toHaveLength(3);
		const said = run.error?.description ?? '';
		const known = runs.filter(({ taskId }) => said.includes(taskId));
		expect(known).toHaveLength(1);
		const uncertain = ['a', 'b', 'c'].flatMap((word, item) =>
			known.some(({ input }) => input.keyword === word) ? [] : [String(item)],
		);
		const others = /is not known \(counted from 0\): (.*?)\./.exec(said)?.[1];
		expect([String(run.error?.context.itemIndex), others].sort()).toEqual(uncertain);
		expect(run.error).toHaveProperty('context.data.uncertain_items', uncertain.map(Number));
	});

	it('cancels the started runs where that is wanted, and starts nothing more on a retry', async () => {
		const settings = { ...retries, maxTries: 2 };
		const run = await startOneUnknown({ cancelRunsWhen: ['refusal'] }, { settings });

		expect(run.status).toBe('error');
		expect(await scene.statuses()).toEqual(['canceled']);
		expect(await scene.asked('bot.run')).toBe(2);
	});
});

it('the error names runs that the service has not accepted to cancel', async () => {
	await scene.sandbox.addFault({ kind: 'answer', status: 400, path: '/cancel$' });
	const run = await startOneUnknown({ cancelRunsWhen: ['refusal'] });
	const [taskId] = (await scene.runs()).map((one) => one.taskId);
	const said = expect.stringContaining(`not accepted to cancel these runs: ${taskId}.`);
	expect(run.error).toMatchObject({ description: said });
});

describe('Retry On Fail', () => {
	it('never starts a run again that failed', async () => {
		const asleep = await scene.run({ items: keywords('a'), settings: retries });
		expect(asleep.status).toBe('waiting');
		await scene.move('a', 'failed');

		expect((await scene.end(asleep)).status).toBe('error');
		expect(await scene.asked('bot.run')).toBe(1);
	});

	it('starts only what was refused before', async () => {
		await scene.sandbox.addFault({ ...START, ...REFUSED, times: 1 });
		const asleep = await startInTurn(['a', 'b'], { settings: retries });
		expect(asleep.status).toBe('waiting');

		expect(passedOn(await scene.end(asleep, 'a', 'b'))).toHaveLength(2);
		expect((await scene.runs()).map(({ input }) => input.keyword)).toEqual(['a', 'b']);
	});

	it.each([{}, { mode: 'trigger' }] as const)(
		'sends what is refused for good so often as n8n tries, and no more (%j)',
		async (how) => {
			await scene.sandbox.addFault({ ...START, ...REFUSED });
			const run = await startInTurn(['a', 'b'], { settings: retries, ...how });
			await until(() => scene.harness.statusOf(run) === 'error', 'the node to fail');
			expect(await scene.asked('bot.run')).toBe(retries.maxTries);
		},
	);
});

describe('a start whose answer never came', () => {
	it('is never repeated', async () => {
		await scene.sandbox.addFault({ ...START, kind: 'malformedJson', times: 1 });
		const run = await scene.run({ items: keywords('a'), settings: retries });

		expect(run.status).toBe('error');
		expect(run.error?.message).toContain('Whether the run was started is not known');
		expect(await scene.asked('bot.run')).toBe(1);
		expect(await scene.runs()).toHaveLength(1);
	});

	it('leaves the other items alone where the node goes on after failures', async () => {
		await scene.sandbox.addFault({ ...START, kind: 'cutConnection', times: 1 });
		const asleep = await startInTurn(['a', 'b'], { onError: 'continueErrorOutput' });
		const run = await scene.end(asleep, 'b');

		expect(passedOn(run)).toHaveLength(1);
		expect(passedOn(run, 1)).toEqual([expect.objectContaining({ keyword: 'a' })]);
	});
});

describe('Wait for Completion', () => {
	it('never takes the user’s own status callback away to resume when paused', async () => {
		const own = 'http://127.0.0.1:9/status';
		const urls = { notify: 'urls', statusChangeCallbackUrl: own };
		const parameters = scrape(urls, { whenPaused: 'continue' });
		const asleep = await scene.run({ parameters, items: keywords('a') });
		expect((await scene.runFor('a')).statusCallbackUrl).toBe(own);
		await scene.move('a', 'paused');

		expect(passedOn(await scene.end(asleep))).toMatchObject([{ status: 'paused' }]);
	});

	it.each(['a', 'b'])('asks for no callbacks where one item has its own: %s', async (word) => {
		const own = 'http://127.0.0.1:9/done';
		const callbackUrl = `={{ $json.keyword === "${word}" ? "${own}" : "" }}`;
		const parameters = scrape({ notify: 'urls', callbackUrl });
		await scene.run({ parameters, items: keywords('a', 'b') });

		expect((await scene.runFor(word)).callbackUrl).toBe(own);
		expect((await scene.runFor(word === 'a' ? 'b' : 'a')).callbackUrl).toBeNull();
	});
});
