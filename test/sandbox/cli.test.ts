import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startSandbox } from '../../dev/sandbox/server';

const PROJECT = join(__dirname, '../..');

interface Command {
	readonly output: () => string;
	readonly said: (text: string) => Promise<void>;
	readonly ended: Promise<number | null>;
	readonly interrupt: () => void;
}

function runCli(...options: string[]): Command {
	const child = spawn(
		process.execPath,
		['--import', 'tsx', join(PROJECT, 'dev/sandbox/cli.ts'), ...options],
		{ cwd: PROJECT },
	);
	let output = '';
	const ended = once(child, 'exit').then(() => child.exitCode);
	const said = async (text: string): Promise<void> => {
		while (!output.includes(text)) {
			if (child.exitCode !== null) throw new Error(`It ended with: ${output}`);
			await Promise.race([once(child.stdout, 'data'), ended]);
		}
	};
	for (const stream of [child.stdout, child.stderr]) {
		stream.on('data', (chunk: Buffer) => {
			output += chunk.toString();
		});
	}
	return { output: () => output, said, ended, interrupt: () => child.kill('SIGINT') };
}

test('it says where it is and which bots there are, and ends cleanly on Ctrl+C', async () => {
	const cli = runCli('--port', '0', '--duration', '5');
	await cli.said('more bots');
	expect(cli.output()).toContain('sandbox-key');
	expect(cli.output()).toContain('1001  workflow  Product Scraper');
	expect(cli.output()).toContain('1005  workflow  Draft Bot (not published)');
	const url = /Base URL +(\S+)/.exec(cli.output())?.[1] ?? '';
	expect((await fetch(`${url}/sandbox/info`)).status).toBe(200);
	cli.interrupt();
	expect(await cli.ended).toBe(0);
	await expect(fetch(`${url}/sandbox/info`)).rejects.toThrow();
});

test('a port that is taken is named, with what to do', async () => {
	const taken = await startSandbox();
	const { port } = new URL(taken.url);
	const cli = runCli('--port', port);
	expect(await cli.ended).toBe(1);
	expect(cli.output()).toContain(`Port ${port} is in use`);
	expect(cli.output()).toContain('npm run sandbox -- --port 0');
	await taken.close();
});

test('an option that makes no sense is refused', async () => {
	const cli = runCli('--port', 'x');
	expect(await cli.ended).toBe(1);
	expect(cli.output()).toContain('--port takes a whole number, not "x".');
});
