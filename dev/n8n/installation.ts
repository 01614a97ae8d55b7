import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder, fillOnce } from './cache';
import { textOf } from './json';
import { nodeFor } from './nodeRuntime';
import { INSTALL_FLAGS, runInstallStep, withAddresses } from './npm';
import type { ReportProgress } from './progress';
import { readManifest, type Manifest, type N8nVersion } from './versions';

/** An n8n server on this machine's disk. */
export interface InstalledServer {
	version: N8nVersion;
	/** Path of the Node that runs it. */
	node: string;
	nodeMajor: number;
	/** Path of n8n's start script. */
	script: string;
}

const neededBytes = 4 * 1024 ** 3;

/**
 * Makes sure that the pinned n8n is installed in the cache folder, and that a Node for it is there. Needs the network only the
 * first time. Throws with a message that says what to do: no npm, no compiler, a failed download, a full disk.
 */
export async function installServer(
	version: N8nVersion,
	report: ReportProgress,
): Promise<InstalledServer> {
	const node = await nodeFor(version, report);
	const manifest = readManifest(version);
	const { stdout } = await promisify(execFile)(node, ['-p', 'process.versions.node']);
	const nodeMajor = Number.parseInt(stdout, 10);
	const folder = path.join(cacheFolder(), folderName(version, nodeMajor, manifest));
	await fillOnce(
		folder,
		async (staging) => install({ version, node, manifest, folder: staging, report }),
		() => report(`Waiting for another process that installs n8n ${version}`),
	);
	const script = path.join(folder, 'node_modules', 'n8n', 'bin', 'n8n');
	return { version, node, nodeMajor, script };
}

/** The same pinned packages for the same Node share a folder; any change makes a new one. */
function folderName(version: string, nodeMajor: number, manifest: Manifest): string {
	const key = createHash('sha256').update(manifest.packageJson).update(manifest.lock).digest('hex');
	return `n8n-${version}-node${nodeMajor}-${key.slice(0, 12)}`;
}

/** What an n8n is installed from, with which Node, and where. */
interface Plan {
	version: N8nVersion;
	node: string;
	manifest: Manifest;
	folder: string;
	report: ReportProgress;
}

async function install(plan: Plan): Promise<void> {
	const { version, node, manifest, folder, report } = plan;
	const subject = `n8n ${version}`;
	const disk = statfsSync(folder);
	if (disk.bavail * disk.bsize < neededBytes) {
		throw new Error(
			`The disk has less than 4 GB left, too little for ${subject}. Free some space, or set N8N_BROWSER_AUTOMATION_CACHE to a folder on another disk, and start again.`,
		);
	}
	writeFileSync(path.join(folder, 'package.json'), manifest.packageJson);
	const lock = await withAddresses(manifest.lock, folder);
	writeFileSync(path.join(folder, 'package-lock.json'), lock);

	report(`Downloading ${subject}`);
	// `npm ci` refuses a lock that lacks optional packages of other platforms; `install` keeps every version of the lock.
	await runInstallStep({
		arguments: ['install', ...INSTALL_FLAGS],
		folder,
		node,
		subject,
		purpose: 'download',
	});

	await compileDatabaseModule(plan);
}

/**
 * Puts the compiled database module into an installed n8n. Its interface to Node is the same in all versions of Node, so what was
 * compiled for one n8n serves each other that pins the same version of the module.
 */
async function compileDatabaseModule({ version, node, folder, report }: Plan): Promise<void> {
	const subject = `n8n ${version}`;
	const module = path.join(folder, 'node_modules', 'sqlite3');
	const binary = path.join('build', 'Release', 'node_sqlite3.node');
	const manifest: unknown = JSON.parse(readFileSync(path.join(module, 'package.json'), 'utf8'));
	const compiled = path.join(cacheFolder(), `sqlite3-${textOf(manifest, 'version')}`);
	let output = '';
	const task = `Compiling the database module of ${subject}`;
	await fillOnce(
		compiled,
		async (staging) => {
			report(task);
			output = await runInstallStep({
				arguments: ['rebuild', 'sqlite3', '--ignore-scripts=false', '--foreground-scripts'],
				folder,
				node,
				subject,
				purpose: 'compile',
			});
			cpSync(path.join(module, binary), path.join(staging, binary));
		},
		() => report(`Waiting for another process: ${task}`),
	);
	cpSync(path.join(compiled, binary), path.join(module, binary));
	await promisify(execFile)(node, ['-e', 'require("sqlite3")'], { cwd: folder }).catch(
		(error: unknown) => {
			throw new Error(
				`The database module (sqlite3) of ${subject} does not load. Delete ${compiled}, and start again.\n${output}`,
				{ cause: error },
			);
		},
	);
}
