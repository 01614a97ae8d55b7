import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { loadDocument } from '../../dev/sandbox/document';
import { isObject, type JsonObject } from '../../dev/sandbox/json';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';
import { checkService } from '../../tools/checkService';
import { answerJson, Origin } from '../fixture';

let sandbox: Sandbox;
const changed = new Origin();

beforeAll(async () => {
	sandbox = await startSandbox({ archiveSize: 1_000 });
	await changed.open();
});

afterAll(async () => {
	await changed.close();
	await sandbox.close();
});

beforeEach(async () => {
	await sandbox.reset();
	await sandbox.seedRuns({ count: 12, statuses: ['finished', 'failed', 'running'] });
});

/** Puts something between the service and whoever asks it, that changes answers. */
function changing(call: RegExp, change: (status: number, body: JsonObject) => number | void): void {
	changed.answerWith((request, response) => {
		void (async () => {
			const { url = '', headers } = request;
			const { authorization = '' } = headers;
			const answer = await fetch(`${sandbox.url}${url}`, { headers: { authorization } });
			const body: unknown = await answer.json();
			const isMeant = call.test(url) && isObject(body);
			answerJson(response, (isMeant && change(answer.status, body)) || answer.status, body);
		})();
	});
}

const check = async (url: string, key = sandbox.key) => await checkService({ url, key });

it('the service is as the document says, by reads alone, of each kind', async () => {
	const { page, isSame } = await check(sandbox.url);
	expect(page).toContain('## 0 differences\n\nNone.\n\n## Not checked\n\nNone.');
	expect(isSame).toBe(true);
	const requests = await sandbox.requests();
	const { operations } = await loadDocument();
	const reads = operations
		.filter(({ method, path }) => method === 'get' && !path.includes('{path}'))
		.map(({ operationId }) => operationId);
	expect([...new Set(requests.map(({ operation }) => operation))].sort()).toEqual(reads.sort());
	expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

it('of an account with nothing in it, the service could not be checked in full, which is said', async () => {
	await sandbox.setKey({ key: 'empty' });
	const { page, isSame } = await check(sandbox.url, 'empty');
	expect(isSame).toBe(true);
	expect(page).toContain('- `GET /v3/bots/runs/{task_id}`: there is none to read');
});

const entries = (change: (entry: JsonObject) => void) => (_: number, body: JsonObject) => {
	if (Array.isArray(body['items'])) body['items'].filter(isObject).forEach(change);
};

it.each<[string, RegExp, Parameters<typeof changing>[1], string]>([
	['a new field', /v3\/bots$/, entries((bot) => (bot['owner'] = 1)), 'items[].owner is not known'],
	['no name', /v3\/bots$/, entries((bot) => delete bot['name']), "required property 'name'"],
	['a new status', /status$/, (_, body) => void (body['status'] = 'queued'), 'equal to one of'],
	['another page', /page=2/, (_, body) => void (body['items'] = [{}, {}]), 'required property'],
	['404 for what is not there', /9{18}/, () => 404, 'has status 404'],
	['another code', /9{18}/, (_, body) => void (body['code'] = 7), 'code 7, not 400, 10112'],
	['500', /templates$/, () => 500, 'answers with status 500'],
	['other JSON', /list-tasks/, (_, body) => void (body['items'] = 'none'), 'items must be array'],
])('a service with %s differs', async (_, call, change, said) => {
	changing(call, change);
	const { page, isSame } = await check(changed.url);
	expect(page).toContain(said);
	expect(isSame).toBe(false);
});

it('the page holds neither the key, also where the service gives it back, nor what the account holds', async () => {
	changing(/v3\/bots$/, (_, body) => void (body[sandbox.key] = 'x'));
	const { page } = await check(changed.url);
	expect(page).toContain('(key) is not known');
	const [bot] = (await sandbox.info()).bots;
	for (const secret of [sandbox.key, bot?.name ?? '', '91000000'])
		expect(page).not.toContain(secret);
});

it('the command ends with 1 where something differs, and with 2 where it has no key', async () => {
	const project = join(__dirname, '../..');
	const run = async (key: string): Promise<unknown> => {
		const env = { ...process.env, BROWSER_AUTOMATION_API_KEY: key };
		const words = ['tools/checkService.ts', '--url', changed.url];
		const tsx = join(project, 'node_modules/.bin/tsx');
		const command = promisify(execFile)(tsx, words, { cwd: project, env });
		return await command.catch((error: { code: number }) => error.code);
	};
	changing(/templates$/, () => 500);
	expect(await Promise.all([run(sandbox.key), run('')])).toEqual([1, 2]);
});
