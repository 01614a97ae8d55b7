import path from 'node:path';
import { startLeashed } from './leashedProcess';
import { explainNpmFailure, type NpmPurpose } from './npmFailure';

export interface NpmCommand {
	arguments: string[];
	folder: string;
	/** The Node that runs npm and what npm compiles with; the running one by default. */
	node?: string;
	/** Receives every line that npm prints on either stream, as it comes. */
	onLine?: (line: string) => void;
}

export interface NpmResult {
	status: number;
	stdout: string;
	/** Everything printed, in the order it came, without the lines about single requests. */
	output: string;
}

/** Runs npm to its end. Throws when npm is missing; its own failure is in the result's status. */
export async function runNpm(command: NpmCommand): Promise<NpmResult> {
	let stdout = '';
	let output = '';
	let unfinishedLine = '';

	const npm = await startLeashed({
		name: 'npm',
		executable: 'npm',
		arguments: command.arguments,
		environment: npmEnvironment(command.node ?? process.execPath),
		folder: command.folder,
		onOutput: collect,
	}).catch((error: unknown) => {
		throw new Error('npm was not found. It comes with Node.js: install it, and start again.', {
			cause: error,
		});
	});
	function collect(chunk: Buffer, from: 'stdout' | 'stderr'): void {
		const text = chunk.toString('utf8');
		if (from === 'stdout') stdout += text;
		const lines = (unfinishedLine + text).split('\n');
		unfinishedLine = lines.pop() ?? '';
		for (const line of lines) {
			command.onLine?.(line);
			if (!line.startsWith('npm http')) output += `${line}\n`;
		}
	}

	const status = await npm.ended;
	return { status, stdout, output: output + unfinishedLine };
}

/** How npm installs n8n and its scanner: without scripts of packages, audits and calls for funds. */
export const INSTALL_FLAGS = ['--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];

/** An installation step by npm. */
export interface InstallStep extends NpmCommand {
	/** What is being installed, for messages. */
	subject: string;
	purpose: NpmPurpose;
	/** Called with the number of packages fetched so far; needs `--loglevel=http`. */
	onFetched?: (packages: number) => void;
}

/** Runs an installation step. Throws with an explanation when it fails; answers with what npm printed. */
export async function runInstallStep(step: InstallStep): Promise<string> {
	const fetched = new Set<string>();
	const { status, output } = await runNpm({
		...step,
		onLine: (line) => {
			const archive = /^npm http (?:fetch GET 200|cache) (\S+\.tgz)/.exec(line)?.[1];
			if (archive === undefined) return;
			fetched.add(archive);
			step.onFetched?.(fetched.size);
		},
	});
	if (status !== 0) throw new Error(explainNpmFailure(step.subject, step.purpose, output));
	return output;
}

/** The caller's environment without what an outer `npm run` adds, and with the given Node first on PATH. */
function npmEnvironment(node: string): NodeJS.ProcessEnv {
	const own = Object.entries(process.env).filter(
		([name]) => !/^npm_(package|lifecycle|command|config_(local_prefix|noproxy))/.test(name),
	);
	const folder = path.dirname(node);
	return {
		...Object.fromEntries(own),
		PATH: `${folder}${path.delimiter}${process.env.PATH ?? ''}`,
	};
}
