import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { placePackage, type PackedPackage } from '../../dev/n8n/packedPackage';
import type { N8nServer } from '../../dev/n8n/server';
import { LEDGER_VERSION } from '../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { packedPackage } from './sharedServer';
import { expectResults, type Scene } from './waitingScene';

/** For all tests that follow: a version that keeps what it started as this one does, and one that does so in another form. */
export function useOtherVersions() {
	const versions: PackedPackage[] = [];
	beforeAll(() => {
		versions.push(otherBuild('0.0.1'), otherBuild('99.0.0', LEDGER_VERSION + 1));
	});
	afterAll(() => versions.forEach((version) => version.remove()));
	const at = (index: number) => (): PackedPackage => {
		const version = versions[index];
		if (version === undefined) throw new Error('The other versions are not built yet');
		return version;
	};
	return { older: at(0), newer: at(1) };
}

/** Installs a version in place of another, and starts the processes that are to have it anew. */
export async function install(
	version: PackedPackage,
	processes: readonly N8nServer[],
): Promise<void> {
	await Promise.all(processes.map(async (process) => await process.stop()));
	for (const { userFolder } of processes.slice(0, 1)) await placePackage(version, userFolder);
	await Promise.all(processes.map(async (process) => await process.start()));
}

/** Puts an execution of an active workflow to sleep for a single run. */
export async function sleepIn(scene: Scene): Promise<string> {
	return await scene.fallAsleep(scene.scrapes(['a']), 'in an active workflow');
}

/** Waits until it has come to its result, for which a single run was started. */
export async function endsOnce(scene: Scene, executionId: string): Promise<void> {
	expectResults(await scene.ending(executionId), 'a');
	expect(await scene.starts()).toBe(1);
}

/**
 * The package as another version of it would be: with that version's number, and the form in which it keeps what an execution
 * started. Nothing else differs.
 */
function otherBuild(version: string, ledgerVersion: number = LEDGER_VERSION): PackedPackage {
	const packed = packedPackage();
	const folder = mkdtempSync(join(tmpdir(), 'other-build-'));
	const archive = join(folder, 'package.tgz');
	execFileSync('tar', ['-xzf', packed.archive, '-C', folder]);
	replace(join(folder, 'package/package.json'), /"version": "[^"]+"/, `"version": "${version}"`);
	replace(
		join(folder, 'package/dist/browserAutomation.js'),
		/LEDGER_VERSION = \d+/,
		`LEDGER_VERSION = ${ledgerVersion}`,
	);
	execFileSync('tar', ['-czf', archive, '-C', folder, 'package']);
	return {
		name: packed.name,
		archive,
		remove: () => rmSync(folder, { recursive: true, force: true }),
	};
}

function replace(file: string, found: RegExp, by: string): void {
	const text = readFileSync(file, 'utf8');
	if (!found.test(text)) throw new Error(`${file} has no ${found.source}`);
	writeFileSync(file, text.replace(found, by));
}
