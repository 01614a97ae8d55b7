import type { QueueMode } from '../../dev/n8n/queueMode';
import {
	afterLostCallbacks,
	afterNotifying,
	callbackTrigger,
	post,
	PublishedTrigger,
	seed,
} from './triggerWorkflows';
import { useBench } from './useBench';
import type { WaitingSetup } from './waitingScene';

/** The trigger where several processes take webhooks. Two workers that record two ends at the same moment forget one of them: one is left. */
export function describeTriggersInQueue(
	running: () => Pick<WaitingSetup, 'client'> & { queue: QueueMode },
): void {
	const bench = useBench(() => running().client);

	beforeAll(async () => {
		for (const worker of running().queue.workers.slice(1)) await worker.stop();
	});

	it.each(['none', 'automatic'])(
		'a run started by a worker notifies the trigger of its workflow (%s)',
		async (waitForCompletion) => {
			const { webhookUrl: url } = running().queue;
			const { outputs, ends, trigger } = await afterNotifying(bench(), url, waitForCompletion);
			expect(trigger.completedUrl).toContain(url);
			const finished = { event: 'runFinished', status: 'finished' };
			expect(outputs.flat()).toEqual([expect.objectContaining(finished)]);
			expect(new Set(ends)).toEqual(new Set(['success']));
		},
	);

	it('an end that two processes hear of at the same instant comes out once', async () => {
		const processes = running().queue.webhookProcesses.map(({ url }) => url);
		const trigger = await PublishedTrigger.publish(bench(), callbackTrigger(bench().credential));
		const taskIds = await seed(bench(), 25);
		const calls = taskIds.flatMap((task_id, index) =>
			[trigger.completedUrl, trigger.statusUrl].map(async (url, which) => {
				const process = processes[(index + which) % processes.length];
				return await post(`${process}${new URL(url).pathname}`, { task_id, status: 'finished' });
			}),
		);
		await Promise.all(calls);
		const reported = await trigger.reported(taskIds.length);
		await trigger.unpublish();
		expect(reported).toEqual(taskIds);
	});

	it('runs whose callbacks got lost are reported once, though the process that checks is another one', async () => {
		const { taskIds, reported } = await afterLostCallbacks(bench(), 10);
		expect(reported).toEqual(taskIds);
	});
}
