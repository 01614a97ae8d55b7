import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { fetchAlone } from '../../dev/fetchAlone';
import { descendantsOf, isAlive } from '../../dev/n8n/processTree';
import { waitUntil } from '../../dev/n8n/waitUntil';
import { Origin } from '../fixture/origin';
import { packedPackage } from './sharedServer';

const projectFolder = path.join(__dirname, '../..');
const startLimit = 5 * 60_000;

interface StartedDemo {
	process: ChildProcess;
	printed: () => string;
	/** Settles with the exit status, or the signal that ended it. */
	ended: Promise<number | string | null>;
}

function startDemo(...demoArguments: string[]): StartedDemo {
	const { archive } = packedPackage();
	return watch(
		process.execPath,
		['--import', 'tsx', 'dev/demo/demo.ts', ...demoArguments],
		archive,
	);
}

/** @param archive of the package, which is built and packed where that is empty */
function watch(command: string, commandArguments: string[], archive = ''): StartedDemo {
	const demo = spawn(command, commandArguments, {
		cwd: projectFolder,
		env: { ...process.env, PACKAGE_ARCHIVE: archive },
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	let printed = '';
	demo.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
	demo.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
	const ended = new Promise<number | string | null>((resolve) => {
		demo.once('close', (status, signal) => resolve(status ?? signal));
	});
	return { process: demo, printed: () => printed, ended };
}

describe('the demo', () => {
	jest.setTimeout(2 * startLimit);
	let demo: StartedDemo | undefined;

	afterEach(() => demo?.process.kill('SIGKILL'));

	it('with --once tells what happens, prints the rows, and ends well', async () => {
		demo = startDemo('--once');

		const status = await demo.ended;

		const printed = demo.printed();
		expect(printed.match(/Run \d+ was started/g)).toHaveLength(1);
		expect(printed).toMatch(/Execution \d+ is asleep/);
		expect(printed).toMatch(/called back about run \d+ \(finished\); n8n answered 200/);
		expect(printed.match(/desk lamp/g)).toHaveLength(5);
		expect(status).toBe(0);
	});

	it.each([
		['Ctrl+C', startDemo, 'SIGINT', 130],
		['the end of npm', () => watch('npm', ['run', 'demo']), 'SIGTERM', 'SIGTERM'],
	] as const)('leaves no process behind after %s', async (_, start, signal, expected) => {
		const started = start();
		demo = started;
		const isUp = waitUntil(() => started.printed().includes('Press Ctrl+C to end') || undefined, {
			timeout: startLimit,
			describe: () => started.printed(),
		});
		const isOver = started.ended.then(() => Promise.reject(new Error(started.printed())));
		await Promise.race([isUp, isOver]);
		const editor = /n8n's editor:\s+(\S+)/.exec(started.printed())?.[1] ?? '';
		expect((await fetchAlone(editor)).status).toBe(200);
		const processes = descendantsOf(started.process.pid ?? 0);
		expect(processes.length).toBeGreaterThan(1);

		started.process.kill(signal);

		expect(await started.ended).toBe(expected);
		await waitUntil(() => processes.every((pid) => !isAlive(pid)) || undefined, {
			timeout: 30_000,
			describe: () => `Still there: ${processes.filter(isAlive).join(', ')}`,
		});
	});

	it('says so when the port is in use', async () => {
		const occupier = new Origin();
		await occupier.open();
		const { port } = occupier;
		demo = startDemo('--once', '--port', String(port));

		const status = await demo.ended;
		await occupier.close();

		expect(demo.printed()).toContain(`Port ${port} is in use`);
		expect(status).toBe(1);
	});
});
