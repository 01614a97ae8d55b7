import { fork } from 'node:child_process';
import path from 'node:path';

export interface Command {
	/** What messages call it, for example "n8n". */
	name: string;
	executable: string;
	arguments: string[];
	environment: NodeJS.ProcessEnv;
	folder: string;
	/** Receives what the command prints, as it comes. */
	onOutput: (chunk: Buffer, from: 'stdout' | 'stderr') => void;
}

/** A running command with all its descendants, which ends when this process ends, however that happens. */
export interface LeashedProcess {
	/** Process ID of the command, which is also the ID of its process group. */
	readonly pid: number;
	/** Settles when the command has ended, with its exit status (128 when a signal ended it). */
	readonly ended: Promise<number>;
	/** Asks the command to end (SIGTERM), and kills it after 15 s. */
	stop(): Promise<void>;
	/** Kills the command and what it started (SIGKILL). */
	kill(): Promise<void>;
}

function readPid(message: unknown): number | string {
	if (typeof message === 'object' && message !== null) {
		if ('pid' in message && typeof message.pid === 'number') return message.pid;
		if ('failed' in message && typeof message.failed === 'string') return message.failed;
	}
	return 'no answer';
}

/** Starts a command. Throws when it cannot be started at all. */
export async function startLeashed(command: Command): Promise<LeashedProcess> {
	const leash = fork(path.join(__dirname, 'leash.js'), [command.executable, ...command.arguments], {
		cwd: command.folder,
		env: command.environment,
		execArgv: [],
		detached: true,
		stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
	});
	leash.stdout?.on('data', (chunk: Buffer) => command.onOutput(chunk, 'stdout'));
	leash.stderr?.on('data', (chunk: Buffer) => command.onOutput(chunk, 'stderr'));

	const ended = new Promise<number>((resolve) => {
		leash.once('close', (status) => resolve(status ?? 128));
	});
	const pid = await new Promise<number>((resolve, reject) => {
		leash.once('error', reject);
		leash.once('message', (message) => {
			const answer = readPid(message);
			if (typeof answer === 'number') resolve(answer);
			else reject(new Error(`${command.name} could not be started: ${answer}`));
		});
		leash.once('exit', () => reject(new Error(`${command.name} could not be started`)));
	});

	async function order(what: 'stop' | 'kill'): Promise<void> {
		if (leash.connected) leash.send(what);
		await ended;
	}
	return { pid, ended, stop: async () => order('stop'), kill: async () => order('kill') };
}
