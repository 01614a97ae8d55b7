import { chosen } from '../fixture/parameters';
import { pollingTrigger, PublishedTrigger, seed } from './triggerWorkflows';
import { useOwnN8n } from './useBench';
import { until } from './workbench';

/** n8n's durable scheduler makes the polls, as soon as it can. */
const environment = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
	N8N_SCHEDULER_MATERIALIZATION_INTERVAL: '1',
	N8N_SCHEDULER_EXECUTOR_INTERVAL: '1',
};

/** Every five seconds: n8n takes no schedule that polls more often than once a minute, but several. */
const pollTimes = {
	item: Array.from({ length: 12 }, (_, index) => {
		return { mode: 'custom', cronExpression: `${5 * index} * * * * *` };
	}),
};

const { bench } = useOwnN8n({ environment });

async function published(bot: string, options = {}): Promise<PublishedTrigger> {
	const parameters = { pollTimes, filters: { bot: chosen(bot) }, options };
	return await PublishedTrigger.publish(bench(), pollingTrigger(bench().credential, parameters));
}

async function polled(): Promise<void> {
	const lists = async () => (await bench().sandbox.requests({ operation: 'run.getAll' })).length;
	for (let poll = 0; poll < 2; poll++) {
		const before = await lists();
		await until(async () => (await lists()) > before, 'a poll', 60_000);
	}
}

const now = () => ({ createdFrom: new Date().toISOString() });

describe('under n8n’s durable scheduler', () => {
	it('a run is reported once, though the polls before it brought nothing', async () => {
		await seed(bench(), 1, { bot: '1002' });
		const trigger = await published('1002');
		await polled();
		const first = await seed(bench(), 2, { bot: '1002', ...now() });
		expect(await trigger.reported(1)).toEqual(first);
		await polled();
		const second = await seed(bench(), 1, { bot: '1002', ...now() });
		expect(await trigger.reported(2)).toEqual([...first, ...second].sort());
		await trigger.unpublish();
	});

	it('Begin Anew leaves out what happened while the workflow was unpublished, and nothing else', async () => {
		const trigger = await published('1003', { whenPublishedAgain: 'beginAnew' });
		const before = await seed(bench(), 1, { bot: '1003', ...now() });
		await trigger.reported(1);
		await trigger.unpublish();
		await seed(bench(), 1, { bot: '1003', ...now() });
		await trigger.publishAgain();
		await polled();
		const after = await seed(bench(), 1, { bot: '1003', ...now() });
		expect(await trigger.reported(2)).toEqual([...before, ...after].sort());
		await trigger.unpublish();
	});

	it('Look Back begins earlier, and tells each run once', async () => {
		const createdTo = new Date(Date.now() - 3_600_000).toISOString();
		const old = await seed(bench(), 2, { bot: '1008', createdFrom: createdTo, createdTo });
		const trigger = await published('1008', { lookBack: 2 });
		expect(await trigger.reported(1)).toEqual(old);
		await polled();
		const later = await seed(bench(), 1, { bot: '1008', ...now() });
		expect(await trigger.reported(2)).toEqual([...old, ...later].sort());
		await trigger.unpublish();
	});
});
