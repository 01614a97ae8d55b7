import { parseArgs } from 'node:util';
import { startSandbox } from './server';
import type { Sandbox, SandboxOptions } from './server';

const DEFAULT_PORT = 4010;

const USAGE = `Usage: npm run sandbox -- [options]

  --port <number>            port of the service (default ${DEFAULT_PORT}; 0 takes a free one)
  --host <address>           address to listen on (default 127.0.0.1)
  --key <text>               the API key (default sandbox-key)
  --concurrency <number>     how many runs may be active at a time (default: any number)
  --duration <ms>            how long a run takes (default 1500)
  --allow-local-callbacks    let callbacks go to private and local addresses
  --help                     show this text
`;

function readOptions(): SandboxOptions | undefined {
	const { values } = parseArgs({
		options: {
			port: { type: 'string' },
			host: { type: 'string' },
			key: { type: 'string' },
			concurrency: { type: 'string' },
			duration: { type: 'string' },
			'allow-local-callbacks': { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return undefined;
	return {
		port: values.port === undefined ? DEFAULT_PORT : readWhole('port', values.port),
		allowLocalCallbacks: values['allow-local-callbacks'],
		...(values.host === undefined ? {} : { host: values.host }),
		...(values.key === undefined ? {} : { apiKey: values.key }),
		...(values.concurrency === undefined
			? {}
			: { concurrency: readWhole('concurrency', values.concurrency) }),
		...(values.duration === undefined
			? {}
			: { durations: { running: readWhole('duration', values.duration) } }),
	};
}

function readWhole(name: string, text: string): number {
	if (!/^\d+$/.test(text)) throw new Error(`--${name} takes a whole number, not "${text}".`);
	return Number(text);
}

async function describe(sandbox: Sandbox): Promise<string> {
	const { bots, templates } = await sandbox.info();
	const rows = bots.slice(0, 9).map(({ id, type, name, published }) => {
		const remark = published ? '' : ' (not published)';
		return `  ${id}  ${type.padEnd(8)}  ${name}${remark}`;
	});
	return [
		'The sandbox is running. Stop it with Ctrl+C.',
		'',
		`  Base URL  ${sandbox.url}`,
		`  API key   ${sandbox.key}`,
		`  Controls  ${sandbox.url}/sandbox/info, /sandbox/requests, /sandbox/load, …`,
		'',
		...rows,
		`  …and ${bots.length - rows.length} more bots and ${templates.length} templates.`,
		'',
	].join('\n');
}

function explain(error: unknown, port: number | undefined): string {
	const message = error instanceof Error ? error.message : String(error);
	if (!message.includes('EADDRINUSE')) return message;
	return (
		`Port ${port} is in use, so the sandbox cannot start there. ` +
		'Stop what uses it, or choose another port: npm run sandbox -- --port 0'
	);
}

async function main(): Promise<void> {
	let port: number | undefined;
	try {
		const options = readOptions();
		if (!options) {
			process.stdout.write(USAGE);
			return;
		}
		port = options.port;
		const sandbox = await startSandbox(options);
		for (const signal of ['SIGINT', 'SIGTERM'] as const) {
			process.once(signal, () => void sandbox.close().then(() => process.exit(0)));
		}
		process.stdout.write(await describe(sandbox));
	} catch (error) {
		process.stderr.write(`${explain(error, port)}\n`);
		process.exitCode = 1;
	}
}

void main();
