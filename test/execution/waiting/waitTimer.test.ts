import { noteHandlesRequests } from '../../../nodes/BrowserAutomation/execution/waiting/suspension/suspensions';
import { keywords, passedOn, scrape, useScene } from './scene';
import { holdPauses, skipTo, startTimeLapse, until } from '../../timeLapse';

const scene = useScene();

/** Starts are carried out, and answered, when the faults are cleared. */
const HELD_START = { kind: 'latency', ms: 600_000, path: '/runs$', method: 'POST' } as const;

// First, as what follows has this process handle calls.
it.each([
	['n8n’s wait timer resumed it and runs go on', 2, true, false],
	['n8n’s wait timer resumed it and starts are still pending', 1, true, true],
	['a call resumed it', 2, false, true],
	['a call resumed it in the only process that does so', 2, false, false],
])('resumed in vain, it waits out stale writes: %s', async (_, concurrency, byTimer, waits) => {
	if (!byTimer && !waits) noteHandlesRequests();
	await scene.sandbox.setCallbackFaults({ lose: 'all' });
	scene.cutOff();
	await scene.sandbox.setKey({ key: scene.sandbox.key, concurrency });
	const asleep = await scene.run({ mode: 'trigger', items: keywords('a', 'b') });
	let hasWaited = false;
	holdPauses(() => !(hasWaited = true));

	if (byTimer) await scene.resumeByTimer(asleep);
	else await scene.harness.resumeByTimeout(asleep);
	expect(scene.ledgerOf(asleep)?.suspension?.wasResumedInVain).toBe(true);
	expect(hasWaited).toBe(waits);
});

it('an execution whose runs a person had canceled waits out stale writes before it sleeps again', async () => {
	await scene.sandbox.setCallbackFaults({ lose: 'all' });
	scene.cutOff();
	const asleep = await scene.run({ mode: 'manual', items: keywords('a') });
	await scene.sandbox.addFault({ kind: 'answer', status: 400, path: '/cancel$' });
	let hasWaited = false;
	holdPauses(() => !(hasWaited = true));
	const { run } = await scene.take(asleep.metadata.resumeUrl ?? '', { action: 'cancelAll' });
	expect([run?.status, hasWaited]).toEqual(['waiting', true]);
});

describe('resumed by n8n’s wait timer', () => {
	beforeEach(async () => {
		await scene.sandbox.setCallbackFaults({ lose: 'all' });
	});

	it.each([
		['a run has ended', 2],
		['a run has ended and another was started', 1],
	])('it was not resumed in vain where %s', async (_, concurrency) => {
		scene.cutOff();
		await scene.sandbox.setKey({ key: scene.sandbox.key, concurrency });
		const asleep = await scene.run({ items: keywords('a', 'b') });
		const wasResumedInVain = () => scene.ledgerOf(asleep)?.suspension?.wasResumedInVain;
		expect(wasResumedInVain()).toBe(false);
		await scene.finish('a');

		expect((await scene.resumeByTimer(asleep)).status).toBe('waiting');
		expect(wasResumedInVain()).toBe(false);
	});

	it('it goes by what its watcher has read, where that could not resume it', async () => {
		startTimeLapse(1);
		const asleep = await scene.run({ items: keywords('a', 'b') });
		scene.answersCalls = false;
		skipTo(asleep.waitTill?.getTime() ?? 0);
		await scene.finish('a', 'b');
		await until(() => scene.unanswered > 0, 'the call that follows a poll');
		await scene.sandbox.clearRequests();

		expect(passedOn(await scene.harness.resumeByTimeout(asleep))).toHaveLength(2);
		expect((await scene.sandbox.load()).byOperation).toEqual({ 'run.get': 2 });
	});

	it('it passes paused runs on as they were where it may not read their statuses once more', async () => {
		startTimeLapse(1);
		const parameters = scrape({}, { whenPaused: 'continue' });
		const asleep = await scene.run({ parameters, items: keywords('a', 'b') });
		scene.answersCalls = false;
		for (const word of ['a', 'b']) await scene.move(word, 'paused');
		await until(() => scene.unanswered > 0, 'the call that follows a poll');
		const refused = { kind: 'envelopeError', code: 401, msg: 'no' } as const;
		await scene.sandbox.addFault({ ...refused, path: '/status$' });
		const run = await scene.resumeByTimer(asleep);

		const paused = { status: 'paused' };
		expect(passedOn(run)).toMatchObject([paused, paused]);
	});
});

it('where no callback can come, and n8n does not reach itself, a run that ends after the last poll is passed on as it ended', async () => {
	scene.cutOff();
	const unreached = { notify: 'urls', callbackUrl: 'http://127.0.0.1:9/elsewhere' };
	const parameters = scrape(unreached, { waitLimit: 0.05 });
	const asleep = await scene.run({ parameters, items: keywords('a') });
	const resumed = scene.resumeByTimer(asleep);
	await until(async () => (await scene.asked('run.get')) > 0, 'the poll after the wait timer');
	await scene.finish('a');

	expect(passedOn(await resumed)).toMatchObject([{ status: 'finished' }]);
});

describe('a large batch', () => {
	const words = Array.from({ length: 220 }, (_, index) => `w${index}`);
	const few = words.slice(0, 12);

	/** Begins a small one, with a credential that its test may break. */
	const beginFew = async () => {
		const credential = { baseUrl: scene.sandbox.url, apiKey: scene.sandbox.key };
		const credentials = { browserAutomationApi: credential };
		return { credential, asleep: await scene.begin({ items: keywords(...few), credentials }) };
	};

	it('is started in waves that are stored before they are sent', async () => {
		// n8n has started the next wave long before a poll is due.
		holdPauses(async () => (await scene.asked('bot.run')) < words.length);
		const reach = scene.holdCalls();
		const asleep = await scene.begin({ items: keywords(...words) });
		expect(await scene.runs()).toHaveLength(0);
		reach();
		await scene.started(words.length);
		const run = await scene.end(asleep, ...words);

		expect(passedOn(run)).toHaveLength(words.length);
		expect(await scene.asked('bot.run')).toBe(words.length);
		const operations = (await scene.sandbox.requests()).map(({ operation }) => operation);
		const begun = operations.slice(0, operations.lastIndexOf('bot.run'));
		expect(begun).not.toContain('run.getAll');
		expect(begun).not.toContain('run.getStatus');
	});

	it('is started to its end by Retry where no wave was sent, as the credential could not be used', async () => {
		const reach = scene.holdCalls();
		const { credential, asleep } = await beginFew();
		credential.baseUrl = 'nowhere';
		reach();
		const failed = await scene.end(asleep);
		expect(failed.status).toBe('error');

		credential.baseUrl = scene.sandbox.url;
		await scene.harness.retry(failed);
		await scene.started(few.length);

		expect((await scene.runs()).map(({ input }) => input.keyword).sort()).toEqual([...few].sort());
	});

	it('loses at most one wave to a crash: Retry names its items and starts none of them again', async () => {
		await scene.sandbox.addFault(HELD_START);
		const onError = 'continueRegularOutput';
		const asleep = await scene.begin({ items: keywords(...words), onError });
		await until(async () => (await scene.asked('bot.run')) === 20, 'the first starts');
		await scene.sandbox.clearFaults();
		await scene.sandbox.addFault(HELD_START);
		await until(async () => (await scene.asked('bot.run')) === 40, 'the next starts');
		scene.harness.restart();
		await scene.sandbox.clearFaults();
		await scene.started(40);
		const inDoubt = (await scene.runs()).length;
		await scene.sandbox.setDurations({ created: 0, running: 0 });
		const run = await scene.end(await scene.harness.retry(asleep));

		const results = passedOn(run);
		expect(results).toHaveLength(words.length);
		const uncertain = results.filter(({ error }) => String(error).includes('is not known'));
		expect(uncertain).toHaveLength(200);
		expect(inDoubt).toBeLessThanOrEqual(200);
		const inputs = (await scene.runs()).map(({ input }) => input.keyword);
		expect(new Set(inputs).size).toBe(inputs.length);
	});

	it('is not started again either by the second Retry, where the first could not use the credential', async () => {
		await scene.sandbox.addFault(HELD_START);
		const { credential, asleep } = await beginFew();
		await until(async () => (await scene.asked('bot.run')) === few.length, 'the starts');
		scene.harness.restart();
		credential.baseUrl = 'nowhere';
		const failed = await scene.harness.retry(asleep);
		credential.baseUrl = scene.sandbox.url;
		await scene.sandbox.setDurations({ created: 0, running: 0 });
		await scene.sandbox.clearFaults();
		await scene.started(few.length);
		const run = await scene.harness.retry(failed);

		expect(run.error?.message).toContain('is not known');
		expect(await scene.asked('bot.run')).toBe(few.length);
	});
});

it('Retry names the runs while the service cannot be asked, and starts none', async () => {
	const asleep = await scene.run({ items: keywords('a', 'b') });
	await scene.sandbox.removeKey({ key: scene.sandbox.key });
	const failed = await scene.resumeByTimer(asleep);
	await scene.sandbox.setKey({ key: scene.sandbox.key });
	await scene.sandbox.addFault({ kind: 'serverError', path: '/v3/bots/runs' });
	const run = await scene.harness.retry(failed);

	expect(run.status).toBe('error');
	for (const taskId of await scene.idsFor('a', 'b')) {
		expect(JSON.stringify(run.error)).toContain(taskId);
	}
	expect(await scene.asked('bot.run')).toBe(2);
});
