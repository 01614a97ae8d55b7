import { hintIfCallerWaited } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/waitMethod';
import { keywords, passedOn, useScene } from '../scene';

const scene = useScene();
const MINUTE = 60_000;
const called = { items: keywords('a'), mode: 'webhook', responseMode: 'lastNode' } as const;
const answered = /was answered without the results: they took longer than 2 minutes/;
const said = expect.objectContaining({ message: expect.stringMatching(answered) });

it('after two minutes the execution sleeps, watched, and says what the caller was answered', async () => {
	const begun = Date.now();
	const asleep = await scene.run(called);
	const waited = Date.now() - begun;

	expect(asleep.status).toBe('waiting');
	expect(asleep.hints).toEqual([said]);
	expect(waited).toBeGreaterThan(2 * MINUTE);
	expect(waited).toBeLessThan(4 * MINUTE);

	const end = await scene.end(asleep, 'a');
	expect(passedOn(end)).toEqual([expect.objectContaining({ status: 'finished' })]);
	expect(end.hints).toEqual([said]);
});

it('many items are started at once, and not in waves that each need a sleep', async () => {
	const words = Array.from({ length: 12 }, (_, item) => `w${item}`);
	const answer = scene.run({ ...called, items: keywords(...words) });
	await scene.started(words.length);
	await scene.finish(...words);

	expect(passedOn(await answer)).toHaveLength(words.length);
});

it('an execution that a user retries sleeps at once', async () => {
	const begun = Date.now();
	expect((await scene.run({ ...called, mode: 'retry' })).status).toBe('waiting');
	expect(Date.now() - begun).toBeLessThan(2 * MINUTE);
});

it('a sub-workflow that slept although it was called with one item says to call it once with all', () => {
	const addExecutionHints = jest.fn();
	hintIfCallerWaited(Object({ addExecutionHints }), { kind: 'workflow', since: Date.now() });
	const message = expect.stringContaining('run it once with all items');
	expect(addExecutionHints.mock.calls).toEqual([[expect.objectContaining({ message })]]);
});
