import type { QueueMode } from '../../dev/n8n/queueMode';
import { newestN8n } from '../../dev/n8n/versions';
import { endsOnce, install, sleepIn, useOtherVersions } from './otherVersions';
import { packedPackage } from './sharedServer';
import { useQueue } from './useBench';
import { openScene, type Scene } from './waitingScene';
import { until } from './workbench';

const { older, newer } = useOtherVersions();

jest.setTimeout(400_000);

describe('queue mode while its processes have different versions', () => {
	const running = useQueue(() => ({ packages: [older()] }));
	let queue: QueueMode;
	let scene: Scene;

	beforeAll(async () => {
		({ queue } = running());
		const { client } = running();
		scene = await openScene({ version: newestN8n(), client, webhookUrl: queue.webhookUrl });
	});

	afterAll(async () => await scene.close());

	it('an execution that an older worker put to sleep goes on in a newer one, called by an older process', async () => {
		const executionId = await sleepIn(scene);
		await install(packedPackage(), queue.workers);
		await scene.finish('a');
		await endsOnce(scene, executionId);
	});

	it('a process that cannot read a worker’s notes has callbacks come again, until it is replaced', async () => {
		await scene.sandbox.reset();
		await install(newer(), queue.workers);
		const executionId = await sleepIn(scene);
		await scene.finish('a');
		await until(async () => {
			const [callback] = await scene.sandbox.callbacks();
			return callback?.attempts.find(({ status }) => status === 503);
		}, 'a callback to be answered 503');
		await install(newer(), queue.webhookProcesses);
		await endsOnce(scene, executionId);
	});
});
