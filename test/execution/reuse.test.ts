import { randomUUID } from 'node:crypto';

import { makeStarter } from '../../nodes/BrowserAutomation/execution/reuse';
import { CanceledError, ConnectionError } from '../../nodes/BrowserAutomation/service/errors';
import { ServiceError } from '../../nodes/BrowserAutomation/service/errors';
import type { JsonObject } from '../../nodes/BrowserAutomation/service/json/json';
import type { ServiceClient } from '../../nodes/BrowserAutomation/service/http/client';
import type { ServiceRequest } from '../../nodes/BrowserAutomation/service/http/request';
import { V3_RUNS } from '../../nodes/BrowserAutomation/service/runs/runApi';

/** The beginning, in milliseconds since 1970. */
const NOW = 1_700_000_000_000;
const SECOND = 1_000;

beforeEach(() => jest.useFakeTimers({ now: NOW }));
afterEach(() => jest.useRealTimers());

/** A service that lists these runs; by default they go on, and were created now. */
class Service {
	readonly baseUrl = 'https://service.test';
	readonly asked: string[] = [];
	bot: JsonObject = { input_schema: { properties: { pages: { default: 3 } } } };

	constructor(readonly runs: JsonObject[] = []) {}

	readonly send = async ({ path, query }: ServiceRequest): Promise<JsonObject> => {
		this.asked.push(path);
		if (/\/\d+\/status$/.test(path)) return { status: 'running' };
		if (!path.endsWith('/runs')) return this.bot;
		const from = String(query?.created_at_from);
		const listed = this.runs.map((run, index) => ({
			task_id: String(index + 7),
			status: 'running',
			created_at: new Date(NOW).toISOString(),
			...run,
		}));
		return { items: listed.filter(({ created_at }) => created_at >= from), limit: 100 };
	};
}

/** An execution that starts runs of a bot; what it starts is numbered from 100 on. */
function executionOf(client: ServiceClient, account: string, reuseMs = 0) {
	const startUnlessReused = makeStarter(client, V3_RUNS, account, reuseMs);
	let started = 100;
	const start = async () => String(started++);
	/** The ID of the earlier run, if there is one. */
	return async (input: JsonObject, begin = start, path = '/v3/bots/1/runs') =>
		await startUnlessReused({ method: 'POST', path, body: { input } }, begin);
}

/** Whether an input is started where the service lists such a run; by default one of the bot's defaults alone. */
async function isStarted(listed: JsonObject, input: JsonObject = {}): Promise<boolean> {
	const startUnlessReused = executionOf(new Service([listed]), randomUUID(), 60 * SECOND);
	return (await startUnlessReused(input)) === undefined;
}

it.each<[boolean, string, JsonObject]>([
	[false, 'of the defaults', { input: { pages: 3 } }],
	[false, 'without them', { input: {} }],
	[false, 'of the same bot', { bot_id: '1', input: {} }],
	[true, 'of other values', { input: { pages: 4 } }],
	[true, 'that the service does not tell', {}],
	[true, 'that the service tells as nothing', { input: null }],
	[true, 'of another bot', { bot_id: '2', input: {} }],
])('an input of defaults is started %s beside a run with an input %s', async (starts, _, run) => {
	expect(await isStarted(run)).toBe(starts);
});

it.each([
	[{ a: 1, b: { c: [2], d: 3 } }, { b: { d: 3, c: [2] }, a: 1 }, false],
	[{ a: [1, 2] }, { a: [2, 1] }, true],
	[{ a: { c: 1 } }, { a: { c: 2 } }, true],
])('member order does not matter: %j beside %j is started %s', async (input, listed, is) => {
	expect(await isStarted({ input: listed }, input)).toBe(is);
});

it.each<[string, JsonObject | undefined, string]>([
	['whose ID has to be encoded', undefined, 'a b'],
	['that has no schema', {}, '1'],
])('an input is found also of a bot %s', async (_, schema, id) => {
	const service = new Service([{ bot_id: id, input: {} }]);
	service.bot = schema ?? service.bot;
	const startUnlessReused = executionOf(service, randomUUID(), 60 * SECOND);
	const path = `/v3/bots/${encodeURIComponent(id)}/runs`;
	expect(await startUnlessReused({}, undefined, path)).toBe('7');
});

it('without the option each item is started, and the service is asked for nothing', async () => {
	const service = new Service([{ input: {} }]);
	const startUnlessReused = executionOf(service, randomUUID());
	for (let count = 0; count < 2; count++) expect(await startUnlessReused({})).toBeUndefined();
	expect(service.asked).toEqual([]);
});

it('the service is asked for the list once, and for a bot where it lists runs of it', async () => {
	const service = new Service();
	const startUnlessReused = executionOf(service, randomUUID(), 60 * SECOND);
	await startUnlessReused({ a: 1 });
	await startUnlessReused({ a: 2 });
	expect(service.asked).toEqual(['/v3/bots/runs']);
});

describe('what is no bot', () => {
	/** Starts of a template, each by an execution that does not repeat one within so many seconds. */
	function templates(service: Service): (within: number) => Promise<string | undefined> {
		const account = randomUUID();
		return async (within) => {
			const startUnlessReused = executionOf(service, account, within * SECOND);
			return await startUnlessReused({}, async () => '100', '/v3/templates/1/runs');
		};
	}

	it('is not searched in the list, and known to this process all the same', async () => {
		const service = new Service([{ input: {} }]);
		const start = templates(service);
		expect([await start(60), await start(60)]).toEqual([undefined, '100']);
		expect(service.asked).toEqual(['/v3/bots/runs/100/status']);
	});

	it('is started again when the time is over that an execution gives it', async () => {
		const start = templates(new Service());
		await start(60);
		jest.setSystemTime(NOW + 59 * SECOND);
		expect([await start(60), await start(58)]).toEqual(['100', undefined]);
		jest.setSystemTime(NOW + 120 * SECOND);
		expect(await start(60)).toBeUndefined();
	});
});

it('a run that was found in the list counts from its own creation', async () => {
	const service = new Service([{ input: {} }]);
	const account = randomUUID();
	const start = async () => await executionOf(service, account, 60 * SECOND)({});
	jest.setSystemTime(NOW + 50 * SECOND);
	expect(await start()).toBe('7');
	jest.setSystemTime(NOW + 70 * SECOND);
	expect(await start()).toBeUndefined();
});

it('after a start that was refused one more is sent, whoever waits for it', async () => {
	const startUnlessReused = executionOf(new Service(), randomUUID(), 60 * SECOND);
	const refusal = new ServiceError('no', '', { httpStatus: 400 });
	const starts = [
		startUnlessReused({}, async () => await Promise.reject(refusal)),
		startUnlessReused({}),
		startUnlessReused({}),
	];
	expect(await Promise.allSettled(starts)).toEqual([
		{ status: 'rejected', reason: refusal },
		{ status: 'fulfilled', value: undefined },
		{ status: 'fulfilled', value: '100' },
	]);
});

it('a start that may have begun a run is searched in the list before it is sent again', async () => {
	const service = new Service();
	const account = randomUUID();
	const cut = new ConnectionError('cut', true);
	const first = executionOf(service, account, 60 * SECOND);
	await expect(first({}, async () => await Promise.reject(cut))).rejects.toBe(cut);
	await expect(executionOf(service, account, 60 * SECOND)({})).rejects.toBe(cut);
	service.runs.push({ input: {} });
	expect(await executionOf(service, account, 60 * SECOND)({})).toBe('7');
});

it('a start that may have begun a run, which nobody finds, keeps others from starting for a quarter of an hour', async () => {
	const [service, account] = [new Service(), randomUUID()];
	const cut = new ConnectionError('cut', true);
	const begin = async (start?: () => Promise<string>) =>
		await executionOf(service, account, 86_400 * SECOND)({}, start);
	await expect(begin(async () => await Promise.reject(cut))).rejects.toBe(cut);
	jest.setSystemTime(NOW + 899_999);
	await expect(begin()).rejects.toBe(cut);
	jest.setSystemTime(NOW + 900_000);
	expect([await begin(), await begin()]).toEqual([undefined, '100']);
});

it('an execution that is stopped while it searches says that it was stopped', async () => {
	const canceled = new CanceledError();
	const stopped = { baseUrl: '', send: async () => await Promise.reject(canceled) };
	await expect(executionOf(stopped, randomUUID(), 60 * SECOND)({})).rejects.toBe(canceled);
});

it('where earlier runs cannot be looked for nothing is started, and the code and the trace of the service are told', async () => {
	const about = { code: 5, traceId: 'trace' };
	const refusal = new ServiceError('no list', 'wait', about);
	const refusing = { baseUrl: '', send: async () => await Promise.reject(refusal) };
	const start = jest.fn();
	const started = executionOf(refusing, randomUUID(), 60 * SECOND)({}, start);
	await expect(started).rejects.toMatchObject({ about });
	expect(start).not.toHaveBeenCalled();
});
