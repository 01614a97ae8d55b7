import { holdPauses, until } from '../../../timeLapse';
import { keywords, passedOn, scrape, useScene } from '../scene';
import { costHint } from '../../../../nodes/BrowserAutomation/execution/hints';
import type { Pass } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/pass';
import { lastKnownOutcomes } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/outcomes';
import { ledgerOf, node, refusal, request, running } from '../ledgerOf';

const scene = useScene();

describe('where n8n ends the node before the results are read', () => {
	const known = (continuesOnFail: boolean) => {
		const canceled = { ...running('8'), status: 'canceled', cancelReason: 'limit' } as const;
		const entries = [running('7'), { refusal }, { request, isBeingSent: true as const }, canceled];
		const n8n = { getNode: () => node, getInputData: () => entries };
		const context = { ...n8n, continueOnFail: () => continuesOnFail };
		const batch = { context, ledger: ledgerOf(entries), runs: { idName: 'task_id' } };
		return () => lastKnownOutcomes(batch as unknown as Pass);
	};

	it('each item has its run as far as it is known, or why it has none', () => {
		expect(known(true)()).toMatchObject([
			{ json: { task_id: '7', timed_out: true }, pairedItem: { item: 0 } },
			{ json: { error: refusal.message }, pairedItem: { item: 1 } },
			{ json: { error: expect.stringContaining('is not known') }, pairedItem: { item: 2 } },
			{ json: { task_id: '8', status: 'canceled', timed_out: true }, pairedItem: { item: 3 } },
		]);
	});

	it('an item without a run is the error, which names the runs of the others', () => {
		const data = { task_ids: ['7', '8'], uncertain_items: [2] };
		const context = expect.objectContaining({ itemIndex: 1, data });
		expect(known(false)).toThrow(expect.objectContaining({ context }));
	});
});

it.each<[number[], string | undefined]>([
	[[], undefined],
	[[8], undefined],
	[[8, 2.5], '2 runs, 10.5 credits'],
	[[0.1, 0.2], '2 runs, 0.3 credits'],
	[[8, NaN, 2], '3 runs, 10 credits, not counting 1 of which the service does not tell'],
])('runs that cost %j are said to cost together: %s', (credits, hint) => {
	expect(costHint(credits)).toBe(hint);
});

const polling = scrape({ waitForCompletion: 'poll' });
const forbidden = { kind: 'envelopeError', code: 99002, msg: 'no permission' } as const;

it('each item names its run where the service refuses to tell how runs stand', async () => {
	await scene.sandbox.addFault({ ...forbidden, path: '/status$' });
	const items = keywords('a', 'b');
	const run = await scene.run({ parameters: polling, items, onError: 'continueRegularOutput' });

	const taskIds = (await scene.runs()).map(({ taskId }) => taskId);
	expect(taskIds).toHaveLength(2);
	const named = taskIds.map((task_id) => expect.objectContaining({ task_id, code: 99002 }));
	expect(passedOn(run).map(({ details }) => details)).toEqual(named);
});

it('a result that the service refuses to tell is asked for once', async () => {
	await scene.sandbox.setDurations({ created: 0, running: 20 });
	await scene.sandbox.addFault({ ...forbidden, path: '/v3/bots/runs/\\d+$' });
	const { error } = await scene.run({ parameters: polling, items: keywords('a') });

	expect(error?.message).toContain('no permission');
	expect(await scene.asked('run.get')).toBe(1);
});

it('a result that is read when the execution is stopped is no item, whatever the node does on errors', async () => {
	await scene.sandbox.setDurations({ created: 0, running: 20 });
	await scene.sandbox.addFault({ kind: 'serverError', path: '/v3/bots/runs/\\d+$' });
	const stop = new AbortController();
	const isRead = async (): Promise<boolean> => (await scene.asked('run.get')) > 0;
	holdPauses(async () => !stop.signal.aborted && (await isRead()));
	const items = keywords('a');
	const onError = 'continueRegularOutput';
	const running = scene.run({ parameters: polling, items, onError, signal: stop.signal });
	await until(isRead, 'the result is read');
	stop.abort();

	const run = await running;
	expect(run.status).toBe('canceled');
	expect(JSON.stringify(run.outputs)).not.toContain('"error":');
});
