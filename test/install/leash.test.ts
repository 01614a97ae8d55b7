import { fork } from 'node:child_process';
import path from 'node:path';
import { startLeashed } from '../../dev/n8n/leashedProcess';
import { isAlive } from '../../dev/n8n/processTree';
import { until } from '../timeLapse';

const isGone = (pid: number) => until(() => !isAlive(pid), `the end of process ${pid}`);

/** A shell that starts a second process, prints its ID, and waits for it. */
const shell = ['-c', 'sleep 600 & echo $!; wait'];

async function start(
	name: string,
	executable: string,
	words: string[],
	onOutput: (chunk: Buffer) => void = () => {},
) {
	const [environment, folder] = [process.env, __dirname];
	return await startLeashed({ name, executable, arguments: words, environment, folder, onOutput });
}

async function startShell() {
	let printed = '';
	const leashed = await start('shell', 'sh', shell, (chunk) => {
		printed += chunk.toString();
	});
	const descendant = await until(() => Number(printed) || undefined, 'the shell to print');
	return { leashed, descendant };
}

/** At the same time, as it may take seconds until the system forgets a process that has ended. */
describe('a leashed process', () => {
	it.concurrent.each(['stop', 'kill'] as const)('ends on %s with all it started', async (order) => {
		const { leashed, descendant } = await startShell();

		await leashed[order]();

		await isGone(leashed.pid);
		await isGone(descendant);
	});

	it.concurrent('ends with what it started when its owner is gone', async () => {
		const owner = fork(path.join(__dirname, '../../dev/n8n/leash.js'), ['sh', ...shell], {
			execArgv: [],
			stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
		});
		const descendant = await new Promise<number>((resolve) => {
			owner.stdout?.once('data', (chunk: Buffer) => resolve(Number(chunk.toString())));
		});

		owner.disconnect();

		await isGone(descendant);
	});

	it('says when a command does not exist', async () => {
		await expect(start('The tool', 'no-such-command', [])).rejects.toThrow(
			'The tool could not be started: spawn no-such-command ENOENT',
		);
	});

	it('reports the exit status', async () => {
		const { ended } = await start('shell', 'sh', ['-c', 'exit 3']);
		await expect(ended).resolves.toBe(3);
	});
});
