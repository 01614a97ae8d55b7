import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { N8nClient } from '../../dev/n8n/client';
import type { PackedPackage } from '../../dev/n8n/packedPackage';
import { startN8n, type N8nServer } from '../../dev/n8n/server';
import { newestN8n } from '../../dev/n8n/versions';
import { endsOnce, install, sleepIn, useOtherVersions } from './otherVersions';
import { packedPackage } from './sharedServer';
import { light } from './useBench';
import { expectResults, openScene, type Scene } from './waitingScene';
import { until } from './workbench';

const { older, newer } = useOtherVersions();

jest.setTimeout(400_000);

describe('an execution that sleeps while the package is replaced', () => {
	let server: N8nServer;
	let scene: Scene;
	let present: PackedPackage;

	beforeAll(async () => {
		present = older();
		const how = { packages: [present], editor: true, environment: light() };
		server = await startN8n({ version: newestN8n(), ...how });
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
		await have(older());
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
		await have(newer());
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
