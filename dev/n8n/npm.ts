import path from 'node:path';
import { isRecord, textOf } from './json';
import { startLeashed } from './leashedProcess';

export interface NpmCommand {
	arguments: string[];
	folder: string;
	/** The Node that runs npm and what npm compiles with; the running one by default. */
	node?: string;
}

export interface NpmResult {
	status: number;
	stdout: string;
	/** Everything printed, in the order it came. */
	output: string;
}

/** Runs npm to its end. Throws when npm is missing; its own failure is in the result's status. */
export async function runNpm(command: NpmCommand): Promise<NpmResult> {
	let stdout = '';
	let output = '';
	const npm = await startLeashed({
		name: 'npm',
		executable: 'npm',
		arguments: command.arguments,
		environment: npmEnvironment(command.node ?? process.execPath),
		folder: command.folder,
		onOutput: (chunk, from) => {
			const text = chunk.toString('utf8');
			if (from === 'stdout') stdout += text;
			output += text;
		},
	}).catch((error: unknown) => {
		throw new Error('npm was not found. It comes with Node.js: install it, and start again.', {
			cause: error,
		});
	});
	return { status: await npm.ended, stdout, output };
}

/** How npm installs n8n and its scanner: without scripts of packages, audits and calls for funds. */
export const INSTALL_FLAGS = ['--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];

/**
 * A lock with the addresses of its packages in npm's registry. The locks of this project have none, and for a package without one npm
 * first reads what is known of all of its versions, which takes most of the time of an installation.
 */
export async function withAddresses(lock: string, folder: string): Promise<string> {
	const { status, stdout } = await runNpm({ arguments: ['config', 'get', 'registry'], folder });
	if (status !== 0) return lock;
	const registry = stdout.trim().replace(/\/?$/, '/');
	const parsed: unknown = JSON.parse(lock);
	const packages = isRecord(parsed) && isRecord(parsed.packages) ? parsed.packages : {};
	for (const [place, entry] of Object.entries(packages)) {
		if (!isRecord(entry) || entry.integrity === undefined) continue;
		const name = String(entry.name ?? place.split('node_modules/').at(-1));
		const file = `${name.split('/').at(-1)}-${textOf(entry, 'version')}.tgz`;
		entry.resolved ??= new URL(`${name}/-/${file}`, registry).href;
	}
	return JSON.stringify(parsed);
}

/** An installation step by npm. */
export interface InstallStep extends NpmCommand {
	/** What is being installed, for messages. */
	subject: string;
	purpose: keyof typeof ADVICE;
}

/** What to do when npm could not do something. */
const ADVICE = {
	download:
		'could not be downloaded. Check the connection to the npm registry, and that about 4 GB of the disk are free, and start again: what is already downloaded is kept.',
	compile:
		'has a database module (sqlite3), which could not be compiled. Install python3, make and g++ (Debian, Ubuntu: apt-get install python3 make g++; macOS: xcode-select --install) and start again.',
};

/** Runs an installation step. Throws with what to do and npm's last words when it fails; answers with what npm printed. */
export async function runInstallStep(step: InstallStep): Promise<string> {
	const { status, output } = await runNpm(step);
	if (status === 0) return output;
	const errors = output.split('\n').filter((line) => /^npm (?:error|ERR!)/.test(line));
	throw new Error([`${step.subject} ${ADVICE[step.purpose]}`, ...errors.slice(0, 12)].join('\n'));
}

/**
 * The caller's environment without what an outer `npm run` adds, with the given Node first on PATH. What is compiled is optimized
 * little, which takes half the time.
 */
function npmEnvironment(node: string): NodeJS.ProcessEnv {
	const own = Object.entries(process.env).filter(
		([name]) => !/^npm_(package|lifecycle|command|config_(local_prefix|noproxy))/.test(name),
	);
	const folder = path.dirname(node);
	return {
		...Object.fromEntries(own),
		CFLAGS: '-O1',
		CXXFLAGS: '-O1',
		PATH: `${folder}${path.delimiter}${process.env.PATH ?? ''}`,
	};
}
