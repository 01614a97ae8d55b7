import { describeLosses, describeRestart, describeTriggers } from './triggerScenarios';
import { pollingTrigger, PublishedTrigger, seed, triggerLine } from './triggerWorkflows';
import { useOwnN8n } from './useBench';

const { server, bench } = useOwnN8n({ version: '1.123' });

describe('the trigger in n8n 1.123', () => {
	describeTriggers(bench);
	describeLosses(bench);

	// n8n 2 does not take such a cursor.
	it('tells of runs by the polling trigger after its cursor was spoiled', async () => {
		const trigger = await PublishedTrigger.publish(bench(), {
			...triggerLine(pollingTrigger(bench().credential)),
			staticData: { 'node:Trigger': { cursor: { newest: 1e20 } } },
		});
		const taskIds = await seed(bench(), 3, { createdFrom: new Date().toISOString() });
		await trigger.register();

		expect(await trigger.reported(1)).toEqual(taskIds);
		await trigger.unpublish();
	});

	describeRestart(bench, server);
});
