import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { INSTALL_FLAGS, runInstallStep, runNpm } from '../../dev/n8n/npm';
import { isN8nVersion, n8nVersions } from '../../dev/n8n/versions';
import { addServer, PACKAGES, versionsOf, type Versions } from './add';
import { changesBetween, PARTS } from './parts';

const USAGE = `npm run servers -- add VERSION       pins a further n8n, e.g. 2.42.0, or a newer release of one that
                                     is pinned, and prints what changed
npm run servers -- changes OLD NEW   what changed between two that are pinned (${n8nVersions.join(', ')})
                                     in the parts of n8n that the package relies on`;

const PROJECT = path.join(__dirname, '../..');
const SERVERS = path.join(PROJECT, 'dev/n8n');

async function main([step = '', ...names]: string[]): Promise<void> {
	const [one = '', other = ''] = names;
	if (step === 'add' && names.length === 1) {
		const { name, before } = await addServer(SERVERS, one, lock);
		console.log(
			`n8n ${name} is pinned, as ${one}. The gate tests it from now on; docs/develop/compatibility.md is to name it.`,
		);
		await printChanges(before, versionsOf(SERVERS, name));
	} else if (step === 'changes' && isN8nVersion(one) && isN8nVersion(other)) {
		await printChanges(versionsOf(SERVERS, one), versionsOf(SERVERS, other));
	} else {
		console.error(USAGE);
		process.exitCode = 2;
	}
}

async function lock(folder: string): Promise<void> {
	await runInstallStep({
		arguments: ['install', '--package-lock-only', ...INSTALL_FLAGS],
		folder,
		subject: 'n8n',
		purpose: 'download',
	});
}

async function printChanges(before: Versions, after: Versions): Promise<void> {
	const folder = mkdtempSync(path.join(tmpdir(), 'n8n-changes-'));
	try {
		for (const versions of [before, after]) await unpack(versions, path.join(folder, versions.n8n));
		const { summary, differences } = changesBetween(
			path.join(folder, before.n8n),
			path.join(folder, after.n8n),
		);
		const file = path.join(PROJECT, 'coverage', `n8n-${before.n8n}-${after.n8n}.diff`);
		mkdirSync(path.dirname(file), { recursive: true });
		writeFileSync(file, differences);
		console.log(`\nFrom n8n ${before.n8n} to ${after.n8n}:\n`);
		for (const line of summary) console.log(`  ${line}`);
		console.log(`\nThe lines: ${path.relative(PROJECT, file)}`);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

/** Downloads the packages of a server, without their dependencies, and unpacks the parts. */
async function unpack(versions: Versions, folder: string): Promise<void> {
	for (const one of PACKAGES) {
		const target = path.join(folder, one);
		mkdirSync(target, { recursive: true });
		const { status, stdout, output } = await runNpm({
			arguments: ['pack', `${one}@${versions[one]}`, '--silent', '--ignore-scripts'],
			folder: target,
		});
		if (status !== 0) throw new Error(output);
		const archive = stdout.trim().split('\n').at(-1) ?? '';
		const files = PARTS.filter((part) => part.package === one).map(({ file }) => `package/${file}`);
		const listed = execFileSync('tar', ['-tzf', archive], {
			cwd: target,
			encoding: 'utf8',
			maxBuffer: 2 ** 28,
		});
		const there = new Set(listed.split('\n'));
		const present = files.filter((file) => there.has(file));
		if (present.length === 0) continue;
		execFileSync('tar', ['-xzf', archive, '--strip-components=1', ...present], { cwd: target });
	}
}

main(process.argv.slice(2)).catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
});
