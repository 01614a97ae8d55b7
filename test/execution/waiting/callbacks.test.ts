import {
	RESUME_PATH,
	resumeUrlAt,
} from '../../../nodes/BrowserAutomation/execution/waiting/platform';
import type { Callback, Run } from '../../core/harness';
import { finished, keywords, passedOn, useScene } from './scene';
import { startTimeLapse } from '../../timeLapse';

const scene = useScene();

async function callbackUrl(keyword: string): Promise<URL> {
	return new URL((await scene.runFor(keyword)).callbackUrl ?? '');
}

async function callBack(keyword: string, options: { body?: object | string } = {}) {
	return await scene.harness.receive((await callbackUrl(keyword)).toString(), options);
}

it.each([
	['has a wrong token', (url: URL) => url.searchParams.set('token', '0'.repeat(32))],
	['speaks of another item', (url: URL) => url.searchParams.set('item', '1')],
])('a callback that cannot be from the service changes nothing: it %s', async (_, forge) => {
	const asleep = await scene.run({ items: keywords('a', 'b') });
	await scene.sandbox.setCallbackFaults({ lose: 'all' });
	await scene.finish('a', 'b');
	const url = await callbackUrl('a');
	forge(url);
	const { response, run } = await scene.harness.receive(url.toString(), { body: {} });
	const body = { message: 'This callback belongs to no run of this execution.' };
	expect(response).toMatchObject({ status: 403, body });
	expect(response.headers).not.toHaveProperty('retry-after');
	expect(run).toBeUndefined();
	expect(scene.harness.stored(asleep).status).toBe('waiting');
});

describe('the ID of a sleep', () => {
	const sleepIdOf = (asleep: Run): string => scene.ledgerOf(asleep)?.suspension?.id ?? '';

	async function call(asleep: Run, suspensionId: string): Promise<Callback> {
		const url = resumeUrlAt(RESUME_PATH, asleep.resumeUrl ?? '');
		url.searchParams.set('resume', suspensionId);
		return await scene.harness.receive(url.toString(), { body: {} });
	}

	const refused = { response: { status: 403 }, run: undefined };

	it('is what it takes to resume the execution', async () => {
		const asleep = await scene.run({ items: keywords('a') });
		const key = new URL(asleep.metadata.resumeUrl ?? '').searchParams.get('key') ?? '';
		const token = (await callbackUrl('a')).searchParams.get('token') ?? '';
		for (const other of ['', '0'.repeat(32), key, token])
			expect(await call(asleep, other)).toMatchObject(refused);
		expect(scene.harness.stored(asleep).status).toBe('waiting');
		const { response, run } = await call(asleep, sleepIdOf(asleep));
		expect(response).toMatchObject({ status: 200, body: { resumed: true } });
		expect(run?.executionId).toBe(asleep.executionId);
	});

	it('resumes nothing when the execution has slept anew since', async () => {
		await scene.sandbox.setCallbackFaults({ lose: 'all' });
		const asleep = await scene.run({ items: keywords('a') });
		const earlier = sleepIdOf(asleep);
		expect((await scene.harness.resumeByTimeout(asleep)).status).toBe('waiting');

		expect(await call(asleep, earlier)).toMatchObject(refused);
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
		const { taskId: task_id } = await scene.runFor('a');
		const forged = { body: { task_id, status: 'finished', output: 'forged' } };
		const first = await callBack('a', forged);

		expect(first.response.status).toBe(200);
		expect(first.run?.status).toBe('waiting');

		// Resumed for nothing, the node polls before it is suspended again.
		const second = await callBack('a', forged);

		expect(second.response).toMatchObject({ status: 200, body: { received: true } });
		expect(second.run).toBeUndefined();
		expect(await scene.asked('bot.run')).toBe(1);
		expect(passedOn(await scene.end(asleep, 'a'))).toEqual([finished]);
	});

	it('may have any body or none', async () => {
		const asleep = await scene.run({ items: keywords('a') });
		for (const body of ['', '[]', '"text"', 'null']) {
			expect((await callBack('a', { body })).response.status).toBe(200);
		}
		expect(scene.harness.stored(asleep).status).toBe('waiting');
	});
});

it('callbacks give one result when each comes ten times', async () => {
	await scene.sandbox.setCallbackFaults({ repeat: 10 });
	const asleep = await scene.run({ items: keywords('a', 'b') });
	const before = scene.resumesOf(asleep).length;
	const run = await scene.end(asleep, 'a', 'b');
	await scene.sandbox.callbacksSettled();

	expect(passedOn(run)).toHaveLength(2);
	expect(scene.resumesOf(asleep)).toHaveLength(before + 1);
});

describe('in the editor, where other processes may resume the execution', () => {
	/** What n8n's database does where a handler reads the execution. */
	const whileRead = (does?: () => Promise<void>): void => {
		scene.harness.pace.aroundRead = does ?? (async () => undefined);
	};
	const fail = async (): Promise<never> => await Promise.reject(new Error('The database is busy'));

	// n8n is to answer within a second.
	beforeEach(() => startTimeLapse(1));
	afterEach(() => whileRead());

	it('a callback is answered 503 where n8n cannot say how the execution stands, and comes again', async () => {
		const asleep = await scene.run({ items: keywords('a', 'b'), mode: 'manual' });
		let faults = 2;
		whileRead(async () => (faults-- > 0 ? await fail() : undefined));

		expect(passedOn(await scene.end(asleep, 'a', 'b'))).toHaveLength(2);
		const refused = scene.callbacks.filter(({ response }) => response.status === 503);
		expect(refused).toHaveLength(2);
	});

	it('Cancel all is to be pressed again where n8n cannot say that', async () => {
		const asleep = await scene.run({ items: keywords('a', 'b'), mode: 'manual' });
		const page = asleep.metadata.resumeUrl ?? '';
		whileRead(fail);
		const { response } = await scene.take(page, { action: 'cancelAll' });
		expect(response).toMatchObject({ status: 409 });
		expect(scene.harness.stored(asleep).status).toBe('waiting');
		whileRead();
		const again = await scene.take(page, { action: 'cancelAll' });

		expect(again.response).toMatchObject({ status: 200, body: { canceled: true } });
		expect(again.run?.status).toBe('error');
		expect(await scene.statuses()).toEqual(['canceled', 'canceled']);
	});

	it('Check now shows the page all the same where n8n cannot say that', async () => {
		const asleep = await scene.run({ items: keywords('a', 'b'), mode: 'manual' });
		await scene.sandbox.setCallbackFaults({ lose: 'all' });
		await scene.finish('a', 'b');
		whileRead(fail);
		const { response } = await scene.take(asleep.metadata.resumeUrl ?? '', { action: 'check' });

		expect(response.status).toBe(200);
		expect(String(response.body)).toContain('<html');
		expect(scene.harness.stored(asleep).status).toBe('waiting');
	});
});

it('the credential is not read again for each callback', async () => {
	const asleep = await scene.run({ items: keywords('a', 'b') });
	const read = scene.harness.credentials.decryptions;
	await scene.finish('a');
	await scene.sandbox.callbacksSettled();

	expect(scene.harness.credentials.decryptions).toBe(read);
	expect(passedOn(await scene.end(asleep, 'b'))).toHaveLength(2);
});
