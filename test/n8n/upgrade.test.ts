import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { N8nClient } from '../../dev/n8n/client';
import { placePackage, type PackedPackage } from '../../dev/n8n/packedPackage';
import type { QueueMode } from '../../dev/n8n/queueMode';
import { startN8n, type N8nServer } from '../../dev/n8n/server';
import { newestN8n } from '../../dev/n8n/versions';
import { LEDGER_VERSION } from '../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { otherBuild } from './otherBuild';
import { packedPackage } from './sharedServer';
import { expectResults, openScene, type Scene } from './waitingScene';
import { useQueue } from './useBench';
import { until } from './workbench';

/** A version that keeps what it started as this one does, and one that does so in another form. */
let older: PackedPackage;
let newer: PackedPackage;

jest.setTimeout(400_000);

beforeAll(() => {
	older = otherBuild(packedPackage(), '0.0.1');
	newer = otherBuild(packedPackage(), '99.0.0', LEDGER_VERSION + 1);
});

afterAll(() => {
	older.remove();
	newer.remove();
});

/** Installs a version in place of another, and starts the processes that are to have it anew. */
async function install(version: PackedPackage, processes: readonly N8nServer[]): Promise<void> {
	await Promise.all(processes.map(async (process) => await process.stop()));
	for (const { userFolder } of processes.slice(0, 1)) await placePackage(version, userFolder);
	await Promise.all(processes.map(async (process) => await process.start()));
}

async function sleepIn(scene: Scene): Promise<string> {
	return await scene.fallAsleep(scene.scrapes(['a']), 'in an active workflow');
}

/** Waits until it has come to its result, for which a single run was started. */
async function endsOnce(scene: Scene, executionId: string): Promise<void> {
	expectResults(await scene.ending(executionId), 'a');
	expect(await scene.starts()).toBe(1);
}

describe('an execution that sleeps while the package is replaced', () => {
	let server: N8nServer;
	let scene: Scene;
	let present: PackedPackage;

	beforeAll(async () => {
		present = older;
		server = await startN8n({ version: newestN8n(), packages: [present], editor: true });
		const client = await N8nClient.signIn(server.url);
		scene = await openScene({ version: newestN8n(), client, webhookUrl: server.url });
	});

	beforeEach(async () => await scene.sandbox.reset());

	afterAll(async () => {
		await scene.close();
		await server.remove();
	});

	/** Has n8n run with this version, unless it does already. */
	async function have(version: PackedPackage): Promise<void> {
		if (present.archive !== version.archive) await install(version, [server]);
		present = version;
	}

	it('goes on in a later version', async () => {
		await have(older);
		const executionId = await sleepIn(scene);
		await have(packedPackage());
		await scene.finish('a');
		await endsOnce(scene, executionId);
	});

	it('sleeps on while n8n does not have the package, and ends once it is back', async () => {
		await have(packedPackage());
		const executionId = await sleepIn(scene);
		await server.stop();
		rmSync(path.join(server.userFolder, '.n8n', 'nodes'), { recursive: true });
		await server.start();
		await scene.finish('a');
		const refusals = ['Unrecognized node type', 'Failed to start waiting execution'];
		await until(() => {
			const log = readFileSync(server.log.path, 'utf8');
			return refusals.every((refusal) => log.includes(refusal));
		}, 'callback and clock');
		expect((await scene.client.execution(executionId)).status).toBe('waiting');

		await install(packedPackage(), [server]);
		await endsOnce(scene, executionId);
	});

	it('resumes from a backup of n8n’s database and key, and ends again with the same run', async () => {
		await have(packedPackage());
		const executionId = await sleepIn(scene);
		const n8nFolder = path.join(server.userFolder, '.n8n');
		const backup = mkdtempSync(path.join(tmpdir(), 'n8n-backup-'));
		await server.stop();
		cpSync(n8nFolder, backup, {
			recursive: true,
			filter: (name) => name === n8nFolder || /(?:config|database\.sqlite.*)$/.test(name),
		});
		await server.start();
		await scene.finish('a');
		expectResults(await scene.ending(executionId), 'a');

		await server.stop();
		rmSync(n8nFolder, { recursive: true });
		cpSync(backup, n8nFolder, { recursive: true });
		rmSync(backup, { recursive: true });
		const restoredAt = Date.now();
		await install(packedPackage(), [server]);
		const again = await scene.ending(executionId);
		expectResults(again, 'a');
		expect(again.runs('After')[0]?.startedAt).toBeGreaterThan(restoredAt);
		expect(await scene.starts()).toBe(1);
	});

	it('is begun anew by no version that cannot read its notes, whose error names its runs; Retry goes on where they can be read', async () => {
		await have(packedPackage());
		const executionId = await sleepIn(scene);
		await have(newer);
		// n8n's wait timer resumes it.
		const { failure } = await scene.ending(executionId);
		expect(failure?.message).toContain('Another version of this package began this execution');
		expect(failure?.message).toContain(`Its runs: ${await scene.openRun('a')}`);
		const again = await scene.retry(executionId);
		expect(again.failure?.message).toBe(failure?.message);
		expect(await scene.starts()).toBe(1);

		await have(packedPackage());
		await scene.finish('a');
		expectResults(await scene.retry(again.executionId), 'a');
		expect(await scene.starts()).toBe(1);
	});
});

describe('queue mode while its processes have different versions', () => {
	const running = useQueue(() => ({ packages: [older] }));
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
		await install(newer, queue.workers);
		const executionId = await sleepIn(scene);
		await scene.finish('a');
		await until(async () => {
			const [callback] = await scene.sandbox.callbacks();
			return callback?.attempts.find(({ status }) => status === 503);
		}, 'a callback to be answered 503');
		await install(newer, queue.webhookProcesses);
		await endsOnce(scene, executionId);
	});
});
