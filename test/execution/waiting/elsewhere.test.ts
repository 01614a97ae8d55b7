import { MAX_SINGLES } from '../../../nodes/BrowserAutomation/execution/waiting/suspension/watcher';
import type { Callback, Run } from '../../core/harness';
import { skipTo, startTimeLapse } from '../../timeLapse';
import { keywords, passedOn, scrape, useScene } from './scene';

const scene = useScene();

async function callBack(word: string): Promise<Callback> {
	return await scene.take((await scene.runFor(word)).callbackUrl ?? '', {});
}

describe('in a process that has not put the execution to sleep', () => {
	beforeEach(async () => {
		// n8n is to answer within a second.
		startTimeLapse(1);
		// The process that has watches nothing.
		scene.cutOff();
		await scene.sandbox.setCallbackFaults({ lose: 'all' });
	});

	/** Puts runs to sleep whose sleep this process does not know. */
	async function sleepElsewhere(words: string[], options = {}, how = {}): Promise<Run> {
		const parameters = scrape({}, options);
		const asleep = await scene.run({ items: keywords(...words), parameters, ...how });
		scene.forget(asleep);
		await scene.sandbox.clearRequests();
		return asleep;
	}

	const taken = { response: { status: 200, body: { received: true } }, run: undefined };
	const pausing = { whenPaused: 'continue' };

	it('a callback of one among several has its runs polled, and those of all resume it', async () => {
		await sleepElsewhere(['a', 'b']);
		await scene.finish('a');
		expect(await callBack('a')).toMatchObject(taken);
		expect(await scene.asked('run.getStatus')).toBe(2);
		await scene.finish('b');
		const { run } = await callBack('b');
		expect(run && passedOn(run)).toHaveLength(2);
	});

	it('a callback is answered 503 while the service cannot be asked, and may resume it later', async () => {
		await sleepElsewhere(['a'], pausing);
		await scene.sandbox.addFault({ kind: 'serverError', path: '/status$' });
		await scene.finish('a');
		expect(await callBack('a')).toMatchObject({ response: { status: 503 }, run: undefined });
		await scene.sandbox.clearFaults();
		const { run } = await callBack('a');
		expect(run && passedOn(run)).toHaveLength(1);
	});

	it('a callback is answered 503 when n8n’s wait timer is due, which may fail to resume it, and resumes it later', async () => {
		const { waitTill } = await sleepElsewhere(['a'], pausing);
		await scene.finish('a');
		skipTo(waitTill?.getTime() ?? 0);
		expect(await callBack('a')).toMatchObject({ response: { status: 503 }, run: undefined });
		skipTo(Date.now() + 11_000);
		const { run } = await callBack('a');
		expect(run && passedOn(run)).toHaveLength(1);
	});

	it('a callback reads some runs of many at most, where the list of runs is refused', async () => {
		const words = Array.from({ length: MAX_SINGLES + 1 }, (_, index) => `word ${index}`);
		await sleepElsewhere(words, pausing);
		const refused = { kind: 'envelopeError', code: 99001, msg: 'no list' } as const;
		await scene.sandbox.addFault({ ...refused, path: '^/v3/bots/runs$' });
		await callBack('word 0');
		expect(await scene.asked('run.getStatus')).toBe(MAX_SINGLES);
	});

	it('the end of one run resumes it where another waits for its slot, and nothing else does', async () => {
		await scene.sandbox.setKey({ key: scene.sandbox.key, concurrency: 1 });
		const oneByOne = { credentials: scene.credential({ requestsAtATime: 1 }) };
		const asleep = await sleepElsewhere(['a', 'b'], {}, oneByOne);
		expect(await callBack('a')).toMatchObject(taken);
		await scene.finish('a');
		const { run } = await callBack('a');
		expect(run?.executionId).toBe(asleep.executionId);
		expect((await scene.runs()).map(({ input }) => input.keyword)).toEqual(['a', 'b']);
	});
});

describe('in an n8n that does not reach itself', () => {
	beforeEach(() => scene.cutOff());

	it.each([
		['', {}],
		[' of the editor', { mode: 'manual' } as const],
	])('a callback costs no request while other runs%s are to call', async (_, how) => {
		await scene.sandbox.setCallbackFaults({ lose: 'all' });
		await scene.run({ items: keywords('a', 'b'), ...how });
		await scene.sandbox.clearRequests();
		await scene.finish('a');
		expect(await callBack('a')).toMatchObject({ response: { status: 200 }, run: undefined });
		expect((await scene.sandbox.load()).byOperation).toEqual({});
	});

	it('a callback is believed though the details of its run lag behind', async () => {
		await scene.sandbox.setCallbackFaults({ lose: 'all' });
		await scene.run({ items: keywords('a') });
		await scene.finish('a');
		await scene.sandbox.addFault({ kind: 'lagging', path: '/runs/\\d+$', times: 1 });
		expect((await callBack('a')).run?.status).toBe('success');
	});

	it('the end of each run is heard, of however many executions, though a callback came in vain before', async () => {
		await scene.sandbox.setCallbackFaults({ lose: 'all' });
		const words = Array.from({ length: 25 }, (_, index) => `word ${index}`);
		for (const word of words) await scene.run({ items: keywords(word) });
		for (const word of words) expect((await callBack(word)).run?.status).toBe('waiting');
		await scene.finish(...words);
		for (const word of words) expect((await callBack(word)).run?.status).toBe('success');
	});
});

it('a callback of an execution that has no notes of runs is refused for good', async () => {
	scene.cutOff();
	const asleep = await scene.run({ items: keywords('a') });
	scene.storeAgain(asleep, (kept) => delete kept.browserAutomationRuns);
	const { response } = await callBack('a');
	expect(response.status).toBe(403);
});

it('Cancel all is to be pressed again where the execution has slept anew before its handler began', async () => {
	await scene.sandbox.setCallbackFaults({ lose: 'all' });
	const asleep = await scene.run({ items: keywords('a') });
	const { pace } = scene.harness;
	const { beforeHandler } = pace;
	pace.beforeHandler = async () => {
		pace.beforeHandler = beforeHandler;
		await scene.resumeByTimer(asleep);
	};
	const page = asleep.metadata.resumeUrl ?? '';
	const { response, run } = await scene.take(page, { action: 'cancelAll' });
	expect(response.status).toBe(409);
	expect(run).toBeUndefined();
	expect(await scene.asked('run.cancel')).toBe(0);
});
