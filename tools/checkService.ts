import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { loadDocument, type DocumentOperation } from '../dev/sandbox/document';
import { isObject, parseIfJson, textAt, type JsonObject } from '../dev/sandbox/json';
import {
	DEFAULT_BASE_URL,
	toApiKey,
	toBaseUrl,
} from '../nodes/BrowserAutomation/service/http/credential';

const KEY_VARIABLE = 'BROWSER_AUTOMATION_API_KEY';

const USAGE = `npm run check:service -- [--url ${DEFAULT_BASE_URL}]

Reads everything that can be read of the service, compares the answers with dev/sandbox/openapi.yaml, and prints
a page that can be pasted into an issue: names of fields and counts, nothing else of the account.
The API key is taken from the environment variable ${KEY_VARIABLE}, or asked for.`;

/** Which list holds the IDs that a read takes, and in which field of its entries. */
const IDS: Readonly<Record<string, readonly [list: string, field: string]>> = {
	'bot.get': ['bot.getAll', 'bot_id'],
	'template.get': ['template.getAll', 'template_id'],
	'run.get': ['run.getAll', 'task_id'],
	'run.getStatus': ['run.getAll', 'task_id'],
	'task.get': ['task.getAll', 'id'],
	'task.getStatus': ['task.getAll', 'id'],
	'workflow.get': ['workflow.getAll', 'id'],
	'workflowTemplate.get': ['workflowTemplate.getAll', 'templateId'],
	'browser.get': ['browser.getAll', 'id'],
};

/** An ID that nothing has. */
const NOBODY = '999999999999999999';

/** What is refused, with the status 400 and one of these codes: what is not there, or any read with a wrong key. */
const REFUSALS: ReadonlyArray<[operation: string, id: string | undefined, codes: number[]]> = [
	['bot.getAll', undefined, [401]],
	['bot.get', NOBODY, [10111]],
	['template.get', NOBODY, [10110, 10176]],
	['run.get', NOBODY, [10112]],
	['task.get', NOBODY, [10112]],
];

/** Nobody knows what is behind it. */
const LEFT_OUT = 'cliService.request.get';

/** How many entries of a list are read by themselves, and on a page where pages are checked. */
const FEW = 3;

/** The service as an account sees it. */
export interface Account {
	url: string;
	key: string;
}

/** Compares the service with the document, by reads alone. @throws Error when it cannot be reached */
export async function checkService(account: Account): Promise<{ page: string; isSame: boolean }> {
	const document = await loadDocument();
	const reads = document.operations.filter(
		({ method, operationId }) => method === 'get' && operationId !== LEFT_OUT,
	);
	const differences = new Set<string>();
	const skipped = new Set<string>();
	const lists = new Map<string, JsonObject[]>();

	const differ = ({ path }: DocumentOperation, what: string): void => {
		differences.add(`\`GET ${path}\`: ${what}`);
	};
	const judge = (operation: DocumentOperation, { status, body }: Answered): void => {
		const faults = document.checkResponse(operation.operationId ?? '', status, body);
		const schema = schemaIn(operation.responses?.[String(status)]);
		const unknown = status === 200 ? unknownIn(schema, body) : [];
		for (const fault of [...faults, ...unknown.map((field) => `${field} is not known`)]) {
			differ(operation, fault.replace(/\.\d+(?=\.| )/g, '[]'));
		}
	};
	const ask = async (
		operation: DocumentOperation,
		values: Record<string, string> = {},
	): Promise<unknown> => {
		const answer = await read(account, operation, values);
		if (answer.status !== 200) differ(operation, `answers with status ${answer.status}`);
		judge(operation, answer);
		return answer.body;
	};
	for (const operation of reads.filter(({ operationId = '' }) => !(operationId in IDS))) {
		const body = await ask(operation);
		const entries = entriesIn(body);
		lists.set(operation.operationId ?? '', entries);
		const total = isObject(body) ? Number(body['total_count']) : NaN;
		if (!(total > FEW)) continue;
		const pages = [1, 2].map((page) => ({ page: String(page), limit: String(FEW) }));
		const [first, second] = [await ask(operation, pages[0]), await ask(operation, pages[1])];
		const texts = entriesIn(first).map((entry) => JSON.stringify(entry));
		const isTwice = entriesIn(second).some((entry) => texts.includes(JSON.stringify(entry)));
		if (texts.length !== FEW || isTwice) differ(operation, `has other pages of ${FEW}`);
	}
	for (const operation of reads.filter(({ operationId = '' }) => operationId in IDS)) {
		const [list, field] = IDS[operation.operationId ?? ''] ?? ['', ''];
		const byStatus = new Map(lists.get(list)?.map((entry) => [entry['status'] ?? entry, entry]));
		if (byStatus.size === 0) skipped.add(`\`GET ${operation.path}\`: there is none to read`);
		for (const entry of [...byStatus.values()].slice(0, FEW)) {
			await ask(operation, { [parameterOf(operation)]: String(entry[field]) });
		}
	}
	for (const [id, value, codes] of REFUSALS) {
		const operation = reads.find(({ operationId }) => operationId === id);
		if (operation === undefined) throw new Error(`The document has no ${id}.`);
		const asked = value === undefined ? { ...account, key: 'not-a-key' } : account;
		const answer = await read(asked, operation, { [parameterOf(operation)]: value ?? '' });
		judge(operation, answer);
		const code = isObject(answer.body) ? answer.body['code'] : undefined;
		if (answer.status === 400 && codes.some((expected) => expected === code)) continue;
		const said = `status ${answer.status}, code ${String(code)}, not 400, ${codes.join(' or ')}`;
		differ(operation, `of nothing has ${said}`);
	}
	const page = [
		`# ${new URL(account.url).host}, ${new Date().toISOString().slice(0, 10)}`,
		...section(`${differences.size} differences`, differences),
		...section('Not checked', skipped),
	].join('\n');
	return { page: page.replaceAll(account.key, '(key)'), isSame: differences.size === 0 };
}

function section(title: string, lines: Set<string>): string[] {
	const shown = lines.size === 0 ? ['None.'] : [...lines].map((line) => `- ${line}`);
	return ['', `## ${title}`, '', ...shown];
}

/** The name of the parameter that takes an ID. */
function parameterOf({ parameters }: DocumentOperation): string {
	const all: unknown[] = parameters ?? [];
	const needed = all.filter(isObject).find(({ required }) => required === true);
	return (needed && textAt(needed, 'name')) ?? '';
}

/** The entries of a page, of a list, or of the only list in an envelope. */
function entriesIn(body: unknown): JsonObject[] {
	if (Array.isArray(body)) return body.filter(isObject);
	if (!isObject(body)) return [];
	return entriesIn(body['items'] ?? (isObject(body['data']) ? body['data'] : undefined));
}

/** How often a read is asked again after 429, and how long an answer may take, in milliseconds. */
const ATTEMPTS = 3;
const ANSWER_LIMIT = 60_000;

interface Answered {
	status: number;
	body: unknown;
}

async function read(
	{ url, key }: Account,
	{ path }: DocumentOperation,
	values: Record<string, string>,
): Promise<Answered> {
	const address = new URL(
		url + path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? ''),
	);
	for (const [name, value] of Object.entries(values)) {
		if (name !== '' && !path.includes(`{${name}}`)) address.searchParams.set(name, value);
	}
	for (let attempt = 1; ; attempt++) {
		const response = await fetch(address, {
			headers: { authorization: `Bearer ${key}` },
			redirect: 'manual',
			signal: AbortSignal.timeout(ANSWER_LIMIT),
		});
		const body = parseIfJson(await response.text());
		if (response.status !== 429 || attempt === ATTEMPTS) return { status: response.status, body };
		await sleep(1_000 * Math.min(60, Number(response.headers.get('retry-after')) || attempt));
	}
}

/** The schema of a response of the document. */
function schemaIn(response: unknown): unknown {
	const content = isObject(response) ? response['content'] : undefined;
	const json = isObject(content) ? content['application/json'] : undefined;
	return isObject(json) ? json['schema'] : undefined;
}

/** The fields that a schema does not name, of objects of which it names some. */
function unknownIn(schema: unknown, value: unknown, place = ''): string[] {
	const { properties, items } = merged(schema);
	if (Array.isArray(value)) return value.flatMap((entry) => unknownIn(items, entry, `${place}[]`));
	if (!isObject(value) || !isObject(properties)) return [];
	return Object.entries(value).flatMap(([name, member]) => {
		const where = place === '' ? name : `${place}.${name}`;
		return name in properties ? unknownIn(properties[name], member, where) : [where];
	});
}

/** A schema with the fields of all parts that hold together. */
function merged(schema: unknown): JsonObject {
	if (!isObject(schema)) return {};
	const parts = Array.isArray(schema['allOf']) ? schema['allOf'].map(merged) : [];
	const all = [...parts, schema];
	const fields = all.map(({ properties }) => properties).filter(isObject);
	const properties = fields.length > 0 ? Object.assign({}, ...fields) : undefined;
	return { ...Object.assign({}, ...all), properties };
}

/** Asks without showing what is typed. */
async function askForKey(): Promise<string> {
	if (!process.stdin.isTTY) throw new Error(`Give the API key in ${KEY_VARIABLE}.`);
	process.stderr.write('API key (it is not shown): ');
	const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
	const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
	return await lines.question('').finally(() => lines.close());
}

async function main(): Promise<number> {
	const { values } = parseArgs({ options: { url: { type: 'string', default: DEFAULT_BASE_URL } } });
	const key = toApiKey(process.env[KEY_VARIABLE] || (await askForKey()));
	const { page, isSame } = await checkService({ url: toBaseUrl(values.url), key });
	console.log(page);
	return isSame ? 0 : 1;
}

if (require.main === module) {
	main().then(
		(status) => (process.exitCode = status),
		(error: unknown) => {
			console.error(error instanceof Error ? `${error.message}\n\n${USAGE}` : error);
			process.exitCode = 2;
		},
	);
}
