import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { parseArgs } from 'node:util';

import {
	DEFAULT_BASE_URL,
	toApiKey,
	toBaseUrl,
} from '../../nodes/BrowserAutomation/service/http/credential';
import { isObject, type JsonObject } from '../../dev/sandbox/json';
import { checkService } from './check';
import type { RunOptions } from './running';

const USAGE = `npm run check:service -- [--url address] [--run bot [--input JSON] [--callback URL [--port number]]]

Compares the service with dev/sandbox/openapi.yaml and prints a page that can be pasted into an issue.
It only reads, and nothing of what it reads but names of fields, types and counts is printed.

--url       the service (default ${DEFAULT_BASE_URL})
--run       also starts one run of this bot, which costs what a run costs, and follows it to its end
--input     the run's input (default {})
--callback  a public address that leads to this machine's port, to see the callbacks of that run
--port      that port (default 4011)

The API key is taken from the environment variable BROWSER_AUTOMATION_API_KEY, or asked for.`;

const KEY_VARIABLE = 'BROWSER_AUTOMATION_API_KEY';

/** How often a run is polled, and how long its callbacks are waited for, in milliseconds. */
const EVERY = 2_000;
const PATIENCE = 120_000;

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			url: { type: 'string', default: DEFAULT_BASE_URL },
			run: { type: 'string' },
			input: { type: 'string', default: '{}' },
			callback: { type: 'string' },
			port: { type: 'string', default: '4011' },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) {
		console.log(USAGE);
		return;
	}
	const { callback } = values;
	const run: RunOptions | undefined =
		values.run === undefined
			? undefined
			: {
					bot: values.run,
					input: inputOf(values.input),
					callback: callback === undefined ? undefined : () => callback,
					port: Number(values.port),
					every: EVERY,
					patience: PATIENCE,
					say: (what) => console.error(what),
				};
	const url = toBaseUrl(values.url);
	const { page, differences } = await checkService({ url, key: await readKey() }, run);
	console.log(page);
	process.exitCode = differences.length === 0 ? 0 : 1;
}

function inputOf(text: string): JsonObject {
	const input: unknown = JSON.parse(text);
	if (!isObject(input)) throw new Error('--input takes a JSON object.');
	return input;
}

async function readKey(): Promise<string> {
	const key = toApiKey(process.env[KEY_VARIABLE] ?? (await askForKey()));
	if (key === '') throw new Error('Without an API key there is nothing to check.');
	return key;
}

/** Asks without showing what is typed. */
async function askForKey(): Promise<string> {
	if (!process.stdin.isTTY) throw new Error(`Give the API key in ${KEY_VARIABLE}.`);
	process.stderr.write('API key (it is not shown): ');
	const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
	const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
	try {
		return await lines.question('');
	} finally {
		lines.close();
		process.stderr.write('\n');
	}
}

main().catch((error: unknown) => {
	const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
	console.error(error instanceof Error ? `${error.message} ${cause}`.trim() : error);
	process.exitCode = 2;
});
