import { setTimeout } from 'node:timers/promises';

import { keptLedger } from '../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import type { Callback, Run } from '../../core/harness';
import { keywords, passedOn, scrape, useScene } from './scene';
import { skipTo, startTimeLapse, until } from '../../timeLapse';

jest.mock('n8n-workflow', () =>
	jest.requireActual<{ lapsed(): object }>('../../timeLapse').lapsed(),
);

const scene = useScene();

/** The callback URL that the run for a keyword was started with. */
async function callbackUrl(keyword: string): Promise<URL> {
	return new URL((await scene.runFor(keyword)).callbackUrl ?? '');
}

/** Calls n8n for the runs of these keywords, as the service would. */
async function callsWith(...words: string[]): Promise<Callback[]> {
	const calls = words.map(async (word) => {
		return await scene.take((await callbackUrl(word)).toString(), {});
	});
	return await Promise.all(calls);
}

/** n8n wakes no execution before `goOn`; how many it would wake by now. */
function holdWaking(): { readonly waking: number; goOn(): void } {
	const { pace } = scene.harness;
	const { beforeClaim } = pace;
	let wake = (): void => undefined;
	const isUp = new Promise<void>((resolve) => (wake = resolve));
	const held = {
		waking: 0,
		goOn: () => {
			pace.beforeClaim = beforeClaim;
			wake();
		},
	};
	pace.beforeClaim = async () => {
		held.waking += 1;
		await isUp;
	};
	return held;
}

it('carries the item and a nonce, and is the resume URL otherwise', async () => {
	const asleep = await scene.run({ items: keywords('a', 'b') });
	const [a, b] = [await callbackUrl('a'), await callbackUrl('b')];

	expect(a.searchParams.get('item')).toBe('0');
	expect(b.searchParams.get('item')).toBe('1');
	expect(a.searchParams.get('nonce')).toMatch(/^[0-9a-f]{32}$/);
	expect(a.searchParams.get('nonce')).not.toBe(b.searchParams.get('nonce'));
	for (const name of ['item', 'nonce']) a.searchParams.delete(name);
	expect(a.toString()).toBe(asleep.resumeUrl);
});

describe('a callback that cannot be from the service', () => {
	it.each([
		['has a wrong nonce', (url: URL) => url.searchParams.set('nonce', '0'.repeat(32))],
		['has a short nonce', (url: URL) => url.searchParams.set('nonce', '0')],
		['has no nonce', (url: URL) => url.searchParams.delete('nonce')],
		['speaks of another item', (url: URL) => url.searchParams.set('item', '1')],
		['speaks of no item', (url: URL) => url.searchParams.set('item', 'length')],
	])('changes nothing when it %s', async (_, forge) => {
		const asleep = await scene.run({ items: keywords('a', 'b') });
		await scene.sandbox.setCallbackFaults({ lose: 'all' });
		await scene.finish('a', 'b');
		const url = await callbackUrl('a');
		forge(url);
		const { response, run } = await scene.harness.receive(url.toString(), { body: {} });

		expect(response).toMatchObject({
			status: 403,
			body: { message: 'This callback belongs to no run of this execution.' },
		});
		expect(response.headers).not.toHaveProperty('retry-after');
		expect(run).toBeUndefined();
		expect(scene.harness.stored(asleep).status).toBe('waiting');
	});
});

describe('the ID of a sleep', () => {
	function sleepIdOf(asleep: Run): string {
		const { contextData } = scene.harness.stored(asleep).data?.executionData ?? {};
		const ledgers = Object.values(contextData ?? {}).map((context) => keptLedger(context));
		return ledgers.find((ledger) => ledger?.sleep !== undefined)?.sleep?.id ?? '';
	}

	async function call(asleep: Run, name: string, value: string): Promise<Callback> {
		const url = new URL(asleep.resumeUrl ?? '');
		url.searchParams.set(name, value);
		return await scene.harness.receive(url.toString(), { body: {} });
	}

	it('is asked for in vain by a question between processes, whose only answer is yes', async () => {
		const asleep = await scene.run({ items: keywords('a') });
		const { response, run } = await call(asleep, 'ask', sleepIdOf(asleep));

		expect(response).toMatchObject({ status: 200 });
		expect(response.body).toEqual({ asleep: true });
		expect(run).toBeUndefined();
	});

	it.each(['wake', 'ask'])('is what it takes to %s', async (name) => {
		const asleep = await scene.run({ items: keywords('a') });
		const page = new URL(asleep.metadata.resumeUrl ?? '');
		const others = [
			'',
			'0'.repeat(32),
			page.searchParams.get('key') ?? '',
			(await callbackUrl('a')).searchParams.get('nonce') ?? '',
		];
		for (const other of others) {
			const { response, run } = await call(asleep, name, other);
			expect(response.status).toBe(403);
			expect(run).toBeUndefined();
		}
		expect(scene.harness.stored(asleep).status).toBe('waiting');
	});

	it('is in nothing that the service or a person is given', async () => {
		const asleep = await scene.run({ items: keywords('a') });
		const page = await scene.harness.receive(asleep.metadata.resumeUrl ?? '', { method: 'GET' });
		const given = [await scene.sandbox.requests(), page.response, asleep.metadata];

		expect(sleepIdOf(asleep)).toMatch(/^[0-9a-f]{32}$/);
		expect(JSON.stringify(given)).not.toContain(sleepIdOf(asleep));
	});
});

describe('a callback that is not true', () => {
	it('changes nothing: the run is read again', async () => {
		const asleep = await scene.run({ items: keywords('a') });
		const forged = {
			body: { task_id: (await scene.runFor('a')).taskId, status: 'finished', output: 'forged' },
		};
		const url = (await callbackUrl('a')).toString();
		const first = await scene.harness.receive(url, forged);

		expect(first.response.status).toBe(200);
		expect(first.run?.status).toBe('waiting');

		// Having woken for nothing, the node looks before it wakes again.
		const second = await scene.harness.receive(url, forged);

		expect(second.response).toMatchObject({ status: 200, body: { received: true } });
		expect(second.run).toBeUndefined();
		expect(await scene.asked('bot.run')).toBe(1);
		await scene.finish('a');
		expect(passedOn(await scene.end(asleep))).toEqual([
			expect.objectContaining({ status: 'finished' }),
		]);
	});

	it('may have any body or none', async () => {
		const asleep = await scene.run({ items: keywords('a') });
		const url = (await callbackUrl('a')).toString();
		for (const body of ['', '[]', '"text"', 'null']) {
			const { response } = await scene.harness.receive(url, { body });
			expect(response.status).toBe(200);
		}
		expect(scene.harness.stored(asleep).status).toBe('waiting');
	});
});

describe('callbacks in disorder', () => {
	it('give one result when each comes ten times', async () => {
		await scene.sandbox.setCallbackFaults({ repeat: 10 });
		const asleep = await scene.run({ items: keywords('a', 'b') });
		await scene.finish('a', 'b');
		const run = await scene.end(asleep);
		await scene.sandbox.callbacksSettled();

		expect(passedOn(run)).toHaveLength(2);
		const woken = scene.callbacks.filter(
			(callback) => callback.run?.executionId === asleep.executionId,
		);
		expect(woken).toHaveLength(1);
	});

	it('give the same result in reverse', async () => {
		await scene.sandbox.setCallbackFaults({ reverseWithinMs: 50 });
		const asleep = await scene.run({ items: keywords('a', 'b', 'c') });
		await scene.finish('a', 'b', 'c');

		expect(passedOn(await scene.end(asleep))).toHaveLength(3);
	});

	it('are refused by n8n when they come late', async () => {
		const asleep = await scene.run({ items: keywords('a') });
		const url = (await callbackUrl('a')).toString();
		await scene.finish('a');
		const run = await scene.end(asleep);
		const late = await scene.harness.receive(url, { body: {} });

		expect(late.response.status).toBe(409);
		expect(scene.harness.stored(asleep).status).toBe(run.status);
	});
});

it('wakes an execution that n8n’s clock is about to wake, and holds it until the clock cannot any more', async () => {
	await scene.sandbox.setCallbackFaults({ lose: 'all' });
	const asleep = await scene.run({ items: keywords('a') });
	await until(async () => (await scene.asked('run.getStatus')) > 0, 'the second look');
	await scene.finish('a');
	skipTo((asleep.waitTill?.getTime() ?? 0) - 1_500);
	const { response, run } = await scene.take((await callbackUrl('a')).toString(), {});

	expect(response).toMatchObject({ status: 200, body: { received: true } });
	expect(run === undefined ? [] : passedOn(run)).toHaveLength(1);
});

describe('while the service cannot be asked', () => {
	const pausing = scrape({}, { whenPaused: 'continue' });

	it('a callback that needs a look is answered 503, and wakes the execution when it is repeated', async () => {
		const asleep = await scene.run({ items: keywords('a', 'b'), parameters: pausing });
		await until(async () => (await scene.asked('run.getStatus')) > 0, 'the second look');
		await scene.sandbox.addFault({ kind: 'serverError', path: '/status$' });
		await scene.finish('a');
		const isRefused = (): boolean =>
			scene.callbacks.some(({ response }) => response.status === 503);
		await until(isRefused, 'the callback that is to come again');
		await scene.sandbox.clearFaults();
		await scene.finish('b');
		const run = await scene.end(asleep);

		const statuses = scene.callbacks.map(({ response }) => response.status);
		expect(statuses).toContain(200);
		expect(passedOn(run)).toHaveLength(2);
	});

	it('an execution woken by a callback sleeps again, and n8n’s clock wakes it', async () => {
		const asleep = await scene.run({ items: keywords('a') });
		await until(async () => (await scene.asked('run.getStatus')) > 0, 'the second look');
		await scene.sandbox.addFault({ kind: 'serverError', path: '/v3/bots/runs/' });
		await scene.finish('a');
		await until(() => scene.callbacks.length > 0, 'the callback');
		await scene.sandbox.clearFaults();
		await scene.sandbox.setCallbackFaults({ lose: 'all' });
		const run = await scene.endByClock(asleep);

		expect(passedOn(run)).toHaveLength(1);
		expect(await scene.asked('bot.run')).toBe(1);
	});

	it('a key that is refused ends the execution with what to do about it', async () => {
		const asleep = await scene.run({ items: keywords('a') });
		await scene.sandbox.removeKey({ key: scene.sandbox.key });
		const { response, run } = await scene.harness.receive((await callbackUrl('a')).toString(), {});

		expect(response.status).toBe(200);
		expect(run?.status).toBe('error');
		expect(run?.error?.message).toContain('does not accept the API key');
		expect(run?.executionId).toBe(asleep.executionId);
	});

	it('so does one that is refused when a callback has the node look first', async () => {
		await scene.sandbox.setCallbackFaults({ lose: 'all' });
		const asleep = await scene.run({ items: keywords('a', 'b'), parameters: pausing });
		await until(async () => (await scene.asked('run.getStatus')) > 0, 'the second look');
		await scene.finish('a');
		await scene.sandbox.removeKey({ key: scene.sandbox.key });
		await scene.take((await callbackUrl('a')).toString(), {});
		const run = await scene.end(asleep);

		expect(run.error?.message).toContain('does not accept the API key');
	});
});

describe('in the editor, where a handler asks n8n which sleep is the present one', () => {
	// Answers of n8n count within a second.
	beforeEach(() => startTimeLapse(5));

	it('it asks again while n8n is too busy to say', async () => {
		const asleep = await scene.run({ items: keywords('a'), mode: 'manual' });
		scene.unanswered = 3;
		await scene.finish('a');

		expect(passedOn(await scene.end(asleep))).toHaveLength(1);
		expect(scene.unanswered).toBeLessThan(0);
	});

	it('it has the service call again when n8n does not say; n8n’s clock wakes the execution in any case', async () => {
		const asleep = await scene.run({ items: keywords('a'), mode: 'manual' });
		scene.unanswered = Infinity;
		await scene.finish('a');
		const isAskedFor = (): boolean =>
			scene.callbacks.some(({ response }) => response.status === 503);
		await until(isAskedFor, 'the callback that is to come again');

		expect(scene.harness.stored(asleep).status).toBe('waiting');
		expect(passedOn(await scene.endByClock(asleep))).toHaveLength(1);
	});

	it('it leaves the execution alone that has slept anew since it was called', async () => {
		await scene.sandbox.setCallbackFaults({ lose: 'all' });
		const asleep = await scene.run({ items: keywords('a', 'b'), mode: 'manual' });
		scene.unanswered = 1;
		const late = callsWith('a', 'b');
		await until(() => scene.unanswered < 1, 'the question');
		const again = await scene.harness.resumeByTimeout(asleep);
		expect(again.status).toBe('waiting');

		for (const { response, run } of await late) {
			expect(response).toMatchObject({ status: 200, body: { received: true } });
			expect(run).toBeUndefined();
		}
		expect(scene.harness.stored(asleep).status).toBe('waiting');
	});

	it('it leaves the execution to the handler that wakes it already', async () => {
		startTimeLapse(1);
		await scene.sandbox.setCallbackFaults({ lose: 'all' });
		const asleep = await scene.run({ items: keywords('a'), mode: 'manual' });
		await scene.finish('a');
		const held = holdWaking();
		const woken = callsWith('a');
		await until(() => held.waking === 1, 'the execution that is being woken');
		const { asked } = scene.questions;
		const page = await scene.take(asleep.metadata.resumeUrl ?? '', { action: 'look' });
		held.goOn();

		expect(page.response.status).toBe(200);
		expect(page.run).toBeUndefined();
		expect((await woken)[0]?.run?.status).toBe('success');
		expect(scene.questions.asked).toBe(asked);
	});

	it('it goes on asking after a callback that came while a person asked in vain', async () => {
		await scene.sandbox.setCallbackFaults({ lose: 'all' });
		const asleep = await scene.run({ items: keywords('a'), mode: 'manual' });
		await scene.finish('a');
		scene.unanswered = 1_000;
		const page = scene.take(asleep.metadata.resumeUrl ?? '', { action: 'look' });
		await until(() => scene.unanswered < 1_000, 'the question');
		await scene.take((await callbackUrl('a')).toString(), {});

		expect((await page).response.status).toBe(409);
		scene.unanswered = 0;
		expect(passedOn(await scene.end(asleep))).toHaveLength(1);
	});

	it('it has a callback come again whose turn does not come in time', async () => {
		startTimeLapse(1);
		const { timeout } = AbortSignal;
		const limits = jest
			.spyOn(AbortSignal, 'timeout')
			.mockImplementation((ms) => timeout(ms === 20_000 ? 500 : ms));
		await scene.sandbox.setCallbackFaults({ lose: 'all' });
		const words = ['a', 'b', 'c', 'd'];
		const asleep: Run[] = [];
		for (const word of words) {
			asleep.push(await scene.run({ items: keywords(word), mode: 'manual' }));
		}
		await scene.finish(...words);
		const held = holdWaking();
		void callsWith('a', 'b', 'c');
		await until(() => held.waking === 3, 'three executions that are being woken');
		const [last] = await callsWith('d');
		held.goOn();
		limits.mockRestore();

		expect(last?.response.status).toBe(503);
		void callsWith('d');
		for (const one of asleep) expect((await scene.end(one)).status).toBe('success');
	});

	it('asks once, however many callbacks come', async () => {
		startTimeLapse(1);
		await scene.sandbox.setCallbackFaults({ repeat: 10 });
		const asleep = await scene.run({ items: keywords('a', 'b'), mode: 'manual' });
		await scene.finish('a', 'b');
		await scene.end(asleep);
		await scene.sandbox.callbacksSettled();

		expect(scene.callbacks.length).toBeGreaterThan(10);
		expect(scene.questions.asked).toBe(1);
	});

	it('asks about three sleeps at once at the most, and wakes no more executions at once', async () => {
		startTimeLapse(1);
		const words = ['a', 'b', 'c', 'd', 'e', 'f'];
		const asleep = await Promise.all(
			words.map(async (word) => await scene.run({ items: keywords(word), mode: 'manual' })),
		);
		const waking = { now: 0, most: 0 };
		const { pace } = scene.harness;
		const { beforeClaim } = pace;
		pace.beforeClaim = async () => {
			waking.now += 1;
			waking.most = Math.max(waking.most, waking.now);
			await setTimeout(100);
			waking.now -= 1;
		};
		await scene.finish(...words);
		for (const one of asleep) expect((await scene.end(one)).status).toBe('success');
		pace.beforeClaim = beforeClaim;

		expect(scene.questions).toMatchObject({ asked: words.length });
		expect(scene.questions.most).toBeLessThanOrEqual(3);
		expect(waking.most).toBeLessThanOrEqual(3);
	});
});

describe('the credential', () => {
	it('is not read again for each callback', async () => {
		const asleep = await scene.run({ items: keywords('a', 'b') });
		const read = scene.harness.credentials.decryptions;
		await scene.finish('a');
		await scene.sandbox.callbacksSettled();

		expect(scene.harness.credentials.decryptions).toBe(read);
		await scene.finish('b');
		expect(passedOn(await scene.end(asleep))).toHaveLength(2);
	});

	it('is read again once the service refuses the one from before', async () => {
		const credential = { baseUrl: scene.sandbox.url, apiKey: 'before' };
		await scene.sandbox.setKey({ key: 'before', company: 'one' });
		const asleep = await scene.run({
			items: keywords('a'),
			credentials: { browserAutomationApi: credential },
		});
		await scene.sandbox.setKey({ key: 'after', company: 'one' });
		await scene.sandbox.removeKey({ key: 'before' });
		credential.apiKey = 'after';
		await scene.finish('a');

		expect(passedOn(await scene.end(asleep))).toMatchObject([{ status: 'finished' }]);
	});
});
