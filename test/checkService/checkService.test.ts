import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { loadDocument } from '../../dev/sandbox/document';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';
import { ASSUMPTIONS, placeOf, type Assumption } from '../../tools/checkService/assumptions';
import { checkService, type Outcome } from '../../tools/checkService/check';
import type { RunOptions } from '../../tools/checkService/running';
import { answerJson, Origin } from '../fixture';
import { at, BOTS, CHANGES, type Change, type Passing } from './changes';

let sandbox: Sandbox;
const changed = new Origin();

beforeAll(async () => {
	sandbox = await startSandbox({
		durations: { created: 20, running: 100 },
		callbackRetryMs: 20,
		archiveSize: 1_000,
	});
	await changed.open();
});

afterAll(async () => {
	await changed.close();
	await sandbox.close();
});

beforeEach(async () => {
	await sandbox.reset();
	await sandbox.seedRuns({
		count: 12,
		statuses: ['finished', 'failed', 'running', 'paused', 'canceled', 'created'],
	});
});

/** Puts something between the service and whoever asks it, that changes answers. */
function changing(call: RegExp, change: Change): void {
	changed.answerWith((request, response) => {
		const { method = 'GET', url = '', headers } = request;
		const { authorization = '' } = headers;
		void (async () => {
			const body = await text(request);
			const answer = await fetch(`${sandbox.url}${url}`, {
				method,
				headers: { authorization, 'content-type': 'application/json' },
				...(body !== '' && { body }),
			});
			const { pathname, searchParams: query } = new URL(url, sandbox.url);
			const passing: Passing = { status: answer.status, body: await answer.json(), query };
			if (call.test(`${method} ${pathname}`)) change(passing);
			answerJson(response, passing.status, passing.body);
		})();
	});
}

async function check(url: string, run?: Partial<RunOptions>): Promise<Outcome> {
	const options: RunOptions | undefined = run && {
		bot: '1001',
		input: { keyword: 'lamp', max_results: 1 },
		port: 0,
		every: 20,
		patience: 5_000,
		say: () => {},
		...run,
	};
	return await checkService({ url, key: sandbox.key }, options);
}

describe('the service as it is', () => {
	it('is found to be as the package assumes, by reads alone, of each kind', async () => {
		const { page, differences } = await check(sandbox.url);
		expect(differences).toEqual([]);
		expect(page).toContain('## 0 differences');
		expect(page).toContain('## Not checked\n\nNone.');
		const requests = (await sandbox.requests()).filter(({ operation }) => operation !== 'file');
		expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
		const { operations } = await loadDocument();
		const reads = operations
			.filter(
				({ method, operationId }) => method === 'get' && operationId !== 'cliService.request.get',
			)
			.map(({ operationId }) => operationId);
		expect([...new Set(requests.map(({ operation }) => operation))].sort()).toEqual(reads.sort());
		expect(await sandbox.runs()).toHaveLength(12);
	});

	it('of an account with nothing in it says what could not be checked', async () => {
		await sandbox.setKey({ key: 'empty' });
		const { page, differences } = await checkService({ url: sandbox.url, key: 'empty' });
		expect(differences).toEqual([]);
		expect(page).toContain('`GET /v3/bots/runs`: the account has none');
	});

	it('is reported without the key, and without what the account holds', async () => {
		const { page } = await check(sandbox.url, withCallback);
		const [bot] = (await sandbox.info()).bots;
		for (const secret of [sandbox.key, bot?.name ?? '', 'lamp', 'signature', '91000000']) {
			expect(page).not.toContain(secret);
		}
	});

	it('is reported without the key also where the service gives the key back', async () => {
		changing(/regions$/, (passing) => {
			passing.status = 500;
			passing.body = { code: 500, traceId: sandbox.key };
		});
		const { page } = await check(changed.url);
		expect(page).toContain('trace ID (key)');
		expect(page).not.toContain(sandbox.key);
	});

	it('is waited for where it asks for it', async () => {
		await sandbox.addFault({ kind: 'rateLimit', retryAfter: '1', times: 1 });
		const { page, differences } = await check(sandbox.url);
		expect(differences).toEqual([]);
		expect(page).toContain('Rate limits: 429 after 1 requests, Retry-After 1');
	});
});

describe('a service in which', () => {
	it.each(CHANGES)('%s is found out', async (_, call, change, said) => {
		changing(call, change);
		const { differences } = await check(changed.url);
		expect(differences).toContainEqual(expect.stringContaining(said));
		expect(differences.filter((line) => !/docs\/service\.md:\d+$/.test(line))).toEqual([]);
	});
});

/** Where the callbacks of a run go: to this machine. */
const withCallback: Partial<RunOptions> = {
	callback: (port) => `http://127.0.0.1:${port}/callbacks/`,
};

describe('a run', () => {
	it('is started once and followed to its end, with its callbacks and files', async () => {
		const said: string[] = [];
		const { page, differences } = await check(sandbox.url, {
			...withCallback,
			say: (what) => said.push(what),
		});
		expect(differences).toEqual([]);
		const [run] = (await sandbox.runs()).slice(12);
		expect(await sandbox.runs()).toHaveLength(13);
		expect(said.join()).toContain(run?.taskId);
		expect(page).toMatch(/The run: .*finished after/);
		expect(page).toMatch(/Callbacks: 2 of changes, 3 of the end/);
		expect(page).toMatch(/Repeated after 500: after [\d.]+ s, [\d.]+ s/);
		expect(page).toContain('After a redirect: 0 repetitions');
		expect(page).toContain('content-type: text/csv');
	});

	it('is started once also when its start is answered with 500', async () => {
		await sandbox.addFault({ kind: 'serverError', method: 'POST', after: true });
		const { differences } = await check(sandbox.url, {});
		expect(differences.join()).toMatch(/`POST .*runs` answers with status 500/);
		expect(await sandbox.runs()).toHaveLength(13);
	});

	it('whose callbacks do not come is found out', async () => {
		await sandbox.setCallbackFaults({ lose: 'all' });
		const { differences } = await check(sandbox.url, { ...withCallback, patience: 50 });
		expect(differences).toEqual([
			expect.stringContaining('did not come when the run ended'),
			expect.stringContaining('did not come when the status changed'),
		]);
	});

	it('whose callbacks follow redirects, and are not repeated, is found out', async () => {
		let to = 0;
		changed.answerWith((request, response) => {
			void (async () => {
				const body = await text(request);
				await fetch(`http://127.0.0.1:${to}${request.url}`, {
					method: 'POST',
					body,
					redirect: 'follow',
				});
				response.writeHead(200).end();
			})();
		});
		const { differences } = await check(sandbox.url, {
			callback: (port) => {
				to = port;
				return changed.url;
			},
			patience: 3_000,
		});
		expect(differences).toEqual([
			expect.stringContaining('is not repeated after 500'),
			expect.stringContaining('follows a redirect'),
		]);
	});
});

it('each assumption stands in docs/service.md', () => {
	const names = Object.keys(ASSUMPTIONS).filter((name): name is Assumption => name in ASSUMPTIONS);
	expect(names.filter((name) => !/:\d+$/.test(placeOf(name)))).toEqual([]);
});

describe('the command', () => {
	async function run(environment: Record<string, string>, ...words: string[]) {
		const project = join(__dirname, '../..');
		const command = spawn(
			join(project, 'node_modules/.bin/tsx'),
			['tools/checkService/checkService.ts', ...words],
			{ cwd: project, env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] },
		);
		const [output, errors, [status]] = await Promise.all([
			text(command.stdout),
			text(command.stderr),
			once(command, 'close'),
		]);
		return { output, errors, status: Number(status) };
	}

	it('takes the key from the environment, and fails where something differs', async () => {
		const key = { BROWSER_AUTOMATION_API_KEY: sandbox.key };
		const clean = await run(key, '--url', sandbox.url);
		expect([clean.status, clean.output]).toEqual([0, expect.stringContaining('## 0 differences')]);
		changing(BOTS, at('items[].name'));
		const other = await run(key, '--url', changed.url);
		expect([other.status, other.output]).toEqual([1, expect.stringContaining('is missing')]);
	});

	it('asks nothing of a machine without a key', async () => {
		const { status, errors } = await run({ BROWSER_AUTOMATION_API_KEY: '' }, '--url', sandbox.url);
		expect([status, errors]).toEqual([2, expect.stringContaining('API key')]);
	});
});
