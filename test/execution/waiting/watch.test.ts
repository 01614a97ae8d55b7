import { keywords, type Scene, useScene } from './scene';

jest.mock('n8n-workflow', () => jest.requireActual<{ lapsed(): object }>('./timeLapse').lapsed());

let scene: Scene;

useScene((opened) => (scene = opened));

/** Puts two runs to sleep; answers with where a person can watch them. */
async function sleepTwo() {
	const asleep = await scene.run({ items: keywords('a', 'b') });
	expect(asleep.status).toBe('waiting');
	return { asleep, watchUrl: new URL(asleep.metadata.resumeUrl ?? '') };
}

it('shows the runs that are waited for, with live view and log, and sleeps on', async () => {
	const { asleep, watchUrl } = await sleepTwo();
	const [a, b] = [await scene.runFor('a'), await scene.runFor('b')];
	const { response, run } = await scene.harness.receive(watchUrl.toString(), { method: 'GET' });

	expect(response.status).toBe(200);
	const page = String(response.body);
	for (const { taskId } of [a, b]) expect(page).toContain(`<td>${taskId}</td><td>running</td>`);
	expect(page.match(/>Live view<\/a>/g)).toHaveLength(2);
	expect(page.match(/>Log<\/a>/g)).toHaveLength(2);
	expect(run).toBeUndefined();
	expect(scene.harness.stored(asleep).status).toBe('waiting');
});

it.each([
	['without its key', (url: URL) => url.searchParams.delete('key')],
	['with another key', (url: URL) => url.searchParams.set('key', '0'.repeat(32))],
])('shows nothing %s, and asks the service nothing', async (_, forge) => {
	const { watchUrl } = await sleepTwo();
	await scene.sandbox.clearRequests();
	forge(watchUrl);
	const { response } = await scene.harness.receive(watchUrl.toString(), { method: 'GET' });

	expect(response.status).toBe(403);
	expect((await scene.sandbox.requests({ operation: 'run.get' })).length).toBe(0);
});

it('does not let the key of the page wake the execution', async () => {
	const { asleep, watchUrl } = await sleepTwo();
	await scene.sandbox.setCallbackFaults({ lose: 'all' });
	await scene.finish('a', 'b');
	const key = watchUrl.searchParams.get('key') ?? '';
	const callback = new URL((await scene.runFor('a')).callbackUrl ?? '');
	callback.searchParams.set('nonce', key);
	const { response } = await scene.harness.receive(callback.toString(), { body: {} });

	expect(response.status).toBe(403);
	expect(scene.harness.stored(asleep).status).toBe('waiting');
});
