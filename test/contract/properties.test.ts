import fc from 'fast-check';

import type { ReadParam } from '../../nodes/BrowserAutomation/fields/field';
import { forwarded } from '../../nodes/BrowserAutomation/execution/handlers';
import type { RunOperation } from '../../nodes/BrowserAutomation/execution/executable';
import { checkCallbackUrl } from '../../nodes/BrowserAutomation/service/events/callback';
import {
	createClient,
	type ServiceClient,
} from '../../nodes/BrowserAutomation/service/http/client';
import { readContent, type BytesAnswer } from '../../nodes/BrowserAutomation/service/http/content';
import { HelpfulError, InputError } from '../../nodes/BrowserAutomation/service/errors';
import { isJsonObject, textAt } from '../../nodes/BrowserAutomation/service/json/json';
import type { ServiceRequest } from '../../nodes/BrowserAutomation/service/http/request';
import { presentRun, type OutputMode } from '../../nodes/BrowserAutomation/service/runs/runOutput';
import { readRun, startRun } from '../../nodes/BrowserAutomation/service/runs/oneRun';
import { readStatuses } from '../../nodes/BrowserAutomation/service/runs/statuses';
import { attempts } from '../randomValues';
import { Judge } from './document';
import {
	nodeOperations,
	NO_CONTEXT,
	requestsOf,
	valuesFrom,
	type NamedOperation,
	type RawParameters,
} from './operations';
import { fill } from './parameters';

const KEY = 'secret-key-4711';
const SERVICE = 'https://service.test';

/** How many parameters and answers each operation is tried with. */
const ATTEMPTS = attempts(60);

let judge: Judge;

beforeAll(async () => {
	judge = await Judge.open();
});

/** Odd values for a parameter: JSON, JSON as text, odd text. */
const oddValue: fc.Arbitrary<unknown> = fc.oneof(
	fc.jsonValue({ maxDepth: 3 }),
	fc.json({ maxDepth: 3 }),
	fc.string({ unit: 'binary', maxLength: 300 }),
	fc.string().map((text) => `https://example.com/${text}`),
	fc.webUrl({ withQueryParameters: true, withFragments: true }),
	fc.constantFrom(undefined, '', ' ', '..', '\ud800', 2 ** 53, NaN),
);

/** Anything that a parameter can hold: what the field expects, or in two of three cases something odd. */
function anyValue(expected: unknown): fc.Arbitrary<unknown> {
	return fc.oneof(
		{ weight: 1, arbitrary: fc.constant(expected) },
		{ weight: 2, arbitrary: oddValue },
	);
}

function isGroup(value: unknown): value is RawParameters {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Any parameters for an operation: those it expects, each replaced by anything or left. */
function anyParameters(operation: NamedOperation): fc.Arbitrary<RawParameters> {
	return fc
		.tuple(fc.constantFrom('typical' as const, 'extreme' as const), fc.nat(10))
		.chain(([filling, choice]) =>
			anyOf(fill(operation, filling, choice), [
				'filters',
				'rows',
				'files',
				'waiting',
				'limits',
				'options',
			]),
		);
}

function anyOf(expected: RawParameters, groups: string[]): fc.Arbitrary<RawParameters> {
	const parts = Object.entries(expected).map(([name, value]) => {
		const one: fc.Arbitrary<unknown> =
			groups.includes(name) && isGroup(value) ? anyOf(value, []) : anyValue(value);
		return fc.tuple(fc.constant(name), one);
	});
	return fc.tuple(...parts).map((entries) => Object.fromEntries(entries));
}

/** What is checked of the callbacks before a run is started. */
function checkCallbacks({ body }: ServiceRequest): void {
	for (const name of ['callback_url', 'status_change_callback_url']) {
		const url = textAt(body, name);
		if (url !== undefined) checkCallbackUrl(url, name, SERVICE);
	}
}

/** Whether the work was done; an error has to be one that a person can act on. */
async function succeeds(work: () => Promise<unknown>): Promise<boolean> {
	try {
		await work();
		return true;
	} catch (error) {
		expect(error).toBeInstanceOf(HelpfulError);
		if (!(error instanceof HelpfulError)) return false;
		expect(error.message).not.toBe('');
		expect(error.advice).not.toBe('');
		expect(JSON.stringify([error.message, error])).not.toContain(KEY);
		return false;
	}
}

describe.each(nodeOperations)('$name', (operation) => {
	it('makes a valid request of any parameters, or says before it what is wrong', async () => {
		await fc.assert(
			fc.asyncProperty(anyParameters(operation), async (raw) => {
				let requests: ServiceRequest[];
				try {
					requests = await requestsOf(operation, raw);
					requests.forEach(checkCallbacks);
				} catch (error) {
					expect(error).toBeInstanceOf(InputError);
					return;
				}
				for (const request of requests) {
					expect(await judge.faultsOf(request, operation)).toEqual([]);
				}
			}),
			ATTEMPTS,
		);
	});
});

describe.each(nodeOperations.filter(answersWithoutN8n))('$name', (operation) => {
	it('makes items of any answer, or a clear error that does not tell the key', async () => {
		const raw = fill(operation, 'typical');
		await fc.assert(
			fc.asyncProperty(anyAnswers, async (answers) => {
				await succeeds(async () => expectItems(await itemsOf(operation, raw, answers)));
			}),
			ATTEMPTS,
		);
	});
});

/** Forwarding needs n8n to make files; what it reads of an answer is tried below. */
function answersWithoutN8n({ operation }: NamedOperation): boolean {
	return 'run' in operation || operation.answer !== forwarded;
}

const envelope = fc.record(
	{
		code: fc.oneof(fc.constantFrom(0, 401, 10112), fc.integer()),
		msg: fc.oneof(fc.constant(`no such key: ${KEY}`), fc.string()),
		data: fc.jsonValue({ maxDepth: 3 }),
		ts: fc.nat(),
		time: fc.string(),
		traceId: fc.constantFrom('trace', KEY),
	},
	{ requiredKeys: ['code'] },
);

const page = fc.record(
	{
		items: fc.array(fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.record({ id: fc.nat(5) }))),
		limit: fc.oneof(fc.nat(3), fc.jsonValue({ maxDepth: 0 })),
		total_pages: fc.oneof(fc.nat(5), fc.jsonValue({ maxDepth: 0 })),
	},
	{ requiredKeys: [] },
);

const answer: fc.Arbitrary<BytesAnswer> = fc.record({
	status: fc.oneof(fc.constant(200), fc.constantFrom(200, 204, 302, 400, 401, 404, 429, 500)),
	headers: fc.record({ 'retry-after': fc.constantFrom(undefined, '1', '-5', 'soon', KEY) }),
	bytes: fc
		.oneof(
			fc.oneof(fc.jsonValue({ maxDepth: 4 }), envelope, page).map((value) => JSON.stringify(value)),
			fc.constantFrom('', ' ', '{', `"${KEY}"`, '9007199254740993', '{"__proto__":1}'),
			fc.string({ unit: 'binary' }),
		)
		.map((text) => Buffer.from(text)),
});

const anyAnswers = fc.array(answer, { minLength: 1, maxLength: 6 });

/** What an operation makes of answers that come one after another, the last one again and again. */
async function itemsOf(
	{ operation }: NamedOperation,
	raw: RawParameters,
	answers: BytesAnswer[],
): Promise<unknown> {
	let asked = 0;
	const request = async (): Promise<BytesAnswer> => {
		const next = answers[Math.min(asked++, answers.length - 1)];
		if (next === undefined || asked > 1_000) throw new Error('asked without end');
		return next;
	};
	const transport = {
		baseUrl: SERVICE,
		secret: KEY,
		pause: async () => undefined,
	};
	const client = createClient({ ...transport, request });
	const values = valuesFrom(raw);
	if ('run' in operation) return await runAnswers(operation.run, client, values);
	const call = { client, values, itemIndex: 0, context: NO_CONTEXT };
	return await operation.answer(operation.request(values), call);
}

/** What is made of a run: its start or its ID, its status, and the run itself in every form. */
async function runAnswers(
	run: RunOperation['run'],
	client: ServiceClient,
	values: ReadParam,
): Promise<unknown> {
	const { api } = run;
	if ('start' in run) await startRun(client, api, run.start(values));
	await readStatuses(client, api, ['1', '2', '3', '4', '5']);
	const record = await readRun(client, api, '1');
	const modes: OutputMode[] = ['raw', 'rows', 'simplified'];
	return modes
		.flatMap((mode) => presentRun(record, { output: mode }).items)
		.map((json) => ({ json }));
}

function expectItems(items: unknown): void {
	expect(items).toBeInstanceOf(Array);
	const list: unknown[] = Array.isArray(items) ? items : [];
	for (const item of list) {
		const { json }: { json?: unknown } = Object(item);
		expect(isJsonObject(json)).toBe(true);
	}
}

describe('forwarded answers', () => {
	it('are read whatever their bytes and headers are', () => {
		const headers = fc.record({
			'content-type': fc.oneof(
				fc.constantFrom(
					'application/json',
					'text/plain; charset=nonsense',
					'a/b+json',
					';',
					'gzip',
				),
				fc.constant(undefined),
				fc.string(),
			),
			'content-disposition': fc.oneof(
				fc.string().map((name) => `attachment; filename="${name}"`),
				fc.string().map((name) => `attachment; filename*=utf-8''${name}`),
				fc.constant(undefined),
			),
		});
		fc.assert(
			fc.property(headers, fc.uint8Array(), (named, bytes) => {
				const content = readContent({ status: 200, headers: named, bytes: Buffer.from(bytes) });
				expect(content.kind === 'none').toBe(bytes.length === 0);
				if (content.kind === 'file') expect(content.fileName).toMatch(/^[^/\\]+$/);
			}),
		);
	});
});
