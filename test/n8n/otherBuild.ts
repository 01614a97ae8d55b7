import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { PackedPackage } from '../../dev/n8n/packedPackage';
import { LEDGER_VERSION } from '../../nodes/BrowserAutomation/execution/waiting/batch/ledger';

/**
 * The package as another version of it would be: with that version's number, and the form in which it keeps what an execution
 * started. Nothing else differs.
 */
export function otherBuild(
	packed: PackedPackage,
	version: string,
	ledgerVersion: number = LEDGER_VERSION,
): PackedPackage {
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
