import {
	afterLostCallbacks,
	afterNotifying,
	callbackTrigger,
	post,
	PublishedTrigger,
	seed,
} from './triggerWorkflows';
import { useBench, useQueue } from './useBench';

/** How many processes there are, and how many runs end; docs/develop/triggers.md tells of other numbers. */
const { QUEUE_WEBHOOKS = '2', QUEUE_WORKERS = '1', QUEUE_ENDS = '25' } = process.env;

const running = useQueue(() => ({
	webhookProcesses: Number(QUEUE_WEBHOOKS),
	workers: Number(QUEUE_WORKERS),
}));
const bench = useBench(() => running().client);

describe('in queue mode with several processes for webhooks', () => {
	it.each(['none', 'automatic'])(
		'a run started by a worker notifies the trigger of its workflow (%s)',
		async (waitForCompletion) => {
			const { webhookUrl } = running().queue;
			const { outputs, ends, trigger } = await afterNotifying(
				bench(),
				webhookUrl,
				waitForCompletion,
			);

			expect(trigger.completedUrl).toContain(webhookUrl);
			const finished = { event: 'runFinished', status: 'finished' };
			expect(outputs.flat()).toEqual([expect.objectContaining(finished)]);
			expect(new Set(ends)).toEqual(new Set(['success']));
		},
	);

	it('an end that two processes hear of at the same instant comes out once', async () => {
		const processes = running().queue.webhookProcesses.map(({ url }) => url);
		const twice: string[] = [];
		// n8n lists a hundred executions.
		for (let left = Number(QUEUE_ENDS); left > 0; left -= 50) {
			const trigger = await PublishedTrigger.publish(bench(), callbackTrigger(bench().credential));
			const taskIds = await seed(bench(), Math.min(left, 50));
			const calls = taskIds.flatMap((task_id, index) =>
				[trigger.completedUrl, trigger.statusUrl].map(async (url, which) => {
					const process = processes[(index + which) % processes.length];
					return await post(`${process}${new URL(url).pathname}`, { task_id, status: 'finished' });
				}),
			);
			await Promise.all(calls);
			const reported = await trigger.reported(taskIds.length);
			await trigger.unpublish();
			const executions = await trigger.executions();
			console.info(
				`Of ${taskIds.length} ends, in ${executions} executions, reported: ${reported.length}`,
			);
			expect([...new Set(reported)]).toEqual(taskIds);
			twice.push(...reported.filter((taskId, index) => reported[index - 1] === taskId));
		}

		// Two workers that record two ends at the same moment forget one of them.
		if (Number(QUEUE_WORKERS) === 1) expect(twice).toEqual([]);
	});

	it('runs whose callbacks got lost are reported once, though the process that checks is another one', async () => {
		const { taskIds, reported } = await afterLostCallbacks(bench(), 10);

		expect(reported).toEqual(taskIds);
	});
});
