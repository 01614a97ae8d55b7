import {
	CanceledError,
	ConnectionError,
	ServiceError,
} from '../../../nodes/BrowserAutomation/service/errors';
import type { ServiceClient } from '../../../nodes/BrowserAutomation/service/http/client';
import type { ServiceRequest } from '../../../nodes/BrowserAutomation/service/http/request';
import type { JsonObject, JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import {
	cancelRun,
	isUncertainStart,
	readEndedRun,
	readRun,
	readStatus,
	startRun,
} from '../../../nodes/BrowserAutomation/service/runs/oneRun';
import {
	runApi,
	runApiOf,
	V2_TASKS,
	V3_RUNS,
} from '../../../nodes/BrowserAutomation/service/runs/runApi';
import { readRunning, readStatuses } from '../../../nodes/BrowserAutomation/service/runs/statuses';

const LIST = '/v3/bots/runs';

/** A client that answers so, or fails, and remembers what it was asked. */
function clientOf(answer: JsonValue | Error | ((request: ServiceRequest) => JsonValue | Error)): {
	client: ServiceClient;
	asked: ServiceRequest[];
} {
	const asked: ServiceRequest[] = [];
	const send = async (request: ServiceRequest): Promise<JsonValue> => {
		asked.push(request);
		const given = typeof answer === 'function' ? answer(request) : answer;
		if (given instanceof Error) throw given;
		return given;
	};
	return { client: { baseUrl: 'https://service.test', send }, asked };
}

const refusal = (httpStatus: number, code?: number): ServiceError =>
	new ServiceError('no', '', { httpStatus, ...(code !== undefined && { code }) });

const UNKNOWN_RUN = refusal(400, 10112);
const FORBIDDEN = refusal(401, 401);
const broken = new ConnectionError('the connection broke', true);

const named = (name: string, count: number): string[] =>
	Array.from({ length: count }, (_, index) => `${name}-${index}`);
const ids = (count: number): string[] => named('run', count);

function pageOf(taskIds: string[], { query = {} }: ServiceRequest): JsonObject {
	const [page, limit] = [Number(query.page), Number(query.limit)];
	const shown = taskIds.slice((page - 1) * limit, page * limit);
	return {
		items: shown.map((taskId) => ({ task_id: taskId, status: 'running' })),
		...{ page, limit, total_count: taskIds.length },
		total_pages: Math.ceil(taskIds.length / limit),
	};
}

/** A service with these runs in its list, which tells of each other run that it is finished. */
const listing = (taskIds: string[]) =>
	clientOf((request) =>
		request.path === LIST ? pageOf(taskIds, request) : { status: 'finished' },
	);

describe('the statuses of runs', () => {
	it('come one by one for a few', async () => {
		const { client, asked } = clientOf({ status: 'finished' });
		const found = await readStatuses(client, V3_RUNS, ids(3));

		expect([...found]).toEqual(ids(3).map((taskId) => [taskId, 'finished']));
		expect(asked.map(({ path }) => path)).toEqual(ids(3).map((id) => `${LIST}/${id}/status`));
	});

	it('are told as soon as each part was read, though that of another cannot be', async () => {
		const { client } = clientOf((request) => {
			if (request.path === LIST) return pageOf(ids(2), request);
			return request.path.includes('a/status') ? broken : { status: 'finished' };
		});
		const told: unknown[] = [];
		const onAnswers = (answers: ReadonlyMap<string, unknown>): void => void told.push([...answers]);
		const reading = readStatuses(client, V3_RUNS, [...ids(2), 'a', 'b'], { onAnswers });

		await expect(reading).rejects.toBe(broken);
		expect(told).toEqual([ids(2).map((taskId) => [taskId, 'running']), [['b', 'finished']]]);
	});

	it.each([
		['newest first', [...ids(90), ...named('other', 60)]],
		['oldest first', [...named('other', 60), ...ids(90)]],
	])('are found in a list that is %s, since the start of the first is given', async (_, all) => {
		const { client, asked } = listing(all);
		const since = Date.parse('2026-01-31T09:10:00Z');
		const found = await readStatuses(client, V3_RUNS, ids(90), { since });

		expect(found.size).toBe(90);
		expect(asked.length).toBeLessThanOrEqual(2);
		expect(asked[0]?.query?.created_at_from).toBe('2026-01-31T09:00:00.000Z');
	});

	it('never read more pages than the runs would fill, and two', async () => {
		const { client, asked } = listing(named('other', 5_000));
		await readStatuses(client, V3_RUNS, ids(5));
		expect(asked.filter(({ path }) => path === LIST)).toHaveLength(3);
		expect(asked).toHaveLength(3 + 5);
	});

	it('are asked for one by one of no more runs than may be, so that nothing is said of the others', async () => {
		const { client, asked } = listing(ids(2));
		const found = await readStatuses(client, V3_RUNS, ids(9), { maxSingles: 3 });

		const expected = ids(5).map((taskId, index) => [taskId, index < 2 ? 'running' : 'finished']);
		expect([...found]).toEqual(expected);
		expect(asked.filter(({ path }) => path.endsWith('/status'))).toHaveLength(3);
	});

	it('of V2 come one by one where the service has no list of tasks', async () => {
		const { client } = clientOf(({ path }) =>
			path.includes('list-tasks') ? refusal(404) : { status: 'finished' },
		);
		expect((await readStatuses(client, V2_TASKS, ids(6))).size).toBe(6);
	});

	it('hold the refusal of a run that the service does not know', async () => {
		const { client } = clientOf(({ path }) =>
			path.includes('run-1') ? UNKNOWN_RUN : { status: 'running' },
		);
		const found = await readStatuses(client, V3_RUNS, ids(2));
		expect([...found.values()]).toEqual(['running', UNKNOWN_RUN]);
		const young = await readStatuses(client, V3_RUNS, ids(2), { since: 0 });
		expect([...young.values()]).toEqual(['running', 'unknown']);
	});

	it('come one by one from the fourth run on where a list holds none of them, ten at a time', async () => {
		let open = 0;
		let maxOpen = 0;
		const send = async (request: ServiceRequest): Promise<JsonValue> => {
			if (request.path === LIST) return pageOf([], request);
			maxOpen = Math.max(maxOpen, ++open);
			await new Promise(setImmediate);
			open--;
			return { status: 'running' };
		};
		const client = { baseUrl: 'https://service.test', send };

		expect((await readStatuses(client, V3_RUNS, ids(25))).size).toBe(25);
		expect(maxOpen).toBe(10);
	});

	it.each([
		[V3_RUNS, LIST, 100],
		[V2_TASKS, '/v2/workflow/list-tasks', 500],
	])('are looked for in the list from the fourth on, in full pages', async (api, path, limit) => {
		const items = ids(4).map((id) => ({ [api.idName]: id, status: 'paused' }));
		const { client, asked } = clientOf({ items });

		const found = await readStatuses(client, api, ids(4));
		expect([...found.values()]).toEqual(ids(4).map(() => 'paused'));
		expect(asked).toEqual([{ method: 'GET', path, query: { page: 1, limit } }]);
	});

	it.each([
		['the service cannot be asked about one', 1, broken],
		['the service cannot be asked about many', 6, broken],
		['a fault hides the list, and one of the runs', 4, refusal(503)],
		['the execution was stopped', 4, new CanceledError()],
		['one of the runs is refused otherwise', 2, FORBIDDEN],
	])('cannot be known where %s', async (_, count, error) => {
		const { client, asked } = clientOf(error);
		await expect(readStatuses(client, V3_RUNS, ids(count))).rejects.toBe(error);
		const isPassing = error !== FORBIDDEN && !(error instanceof CanceledError);
		if (error !== FORBIDDEN) expect(asked).toHaveLength(isPassing && count > 1 ? 2 : 1);
	});

	it('are those of some runs where only the list has a fault', async () => {
		const fault = refusal(503);
		const { client } = clientOf(({ path }) => (path === LIST ? fault : { status: 'running' }));
		const onAnswers = jest.fn();
		const [few, many] = [4, 11].map(async (count) => {
			return await readStatuses(client, V3_RUNS, ids(count), { onAnswers });
		});
		expect((await few)?.size).toBe(4);
		await expect(many).rejects.toBe(fault);
		expect(onAnswers).toHaveBeenCalledTimes(4 + 10);
	});
});

describe('a run whose status makes no sense', () => {
	let now = Date.now();

	beforeEach(() => jest.spyOn(Date, 'now').mockImplementation(() => now));
	afterEach(() => jest.restoreAllMocks());

	/** Five polls, so far apart in milliseconds. */
	const polls = async (
		answer: JsonValue | Error,
		{ api = V3_RUNS, apart = 15_000 } = {},
	): Promise<unknown[]> => {
		const { client } = clientOf(answer);
		const found: unknown[] = [];
		for (let poll = 1; poll <= 5; poll++) {
			found.push((await readStatuses(client, api, ['odd'])).get('odd'));
			now += apart;
		}
		return found;
	};
	const unknown = Array<string>(4).fill('unknown');
	const said = 'The service’s answer is about task_id 2, not odd';
	const aboutAnother = new ServiceError(said, '', { httpStatus: 200 });

	it.each([
		[{ status: 'archived' }, 'the status "archived" for run odd'],
		[{ status: 'x'.repeat(99) }, `the status "${'x'.repeat(79)} for run odd`],
		[{ status: 'unknown' }, 'the status "unknown" for run odd'],
		[{}, 'no status for run odd'],
		[aboutAnother, 'is about task_id 2, not odd'],
	])('is not waited for any more after five polls within a minute: %j', async (answer, words) => {
		const error = expect.objectContaining({ message: expect.stringContaining(words) });
		expect(await polls(answer)).toEqual([...unknown, error]);
	});

	it('is waited for where five polls came within moments, as when a person checks again and again', async () => {
		expect(await polls({ status: 'archived' }, { apart: 14_000 })).toEqual([...unknown, 'unknown']);
		now += 60_000;
		expect((await polls({ status: 'archived' }))[0]).toBeInstanceOf(Error);
		await polls({ status: 'running' });
	});

	it('is known by its service, and no longer one after an answer that makes sense', async () => {
		const answer = { status: 'archived' };
		const elsewhere = { ...clientOf(answer).client, baseUrl: 'https://elsewhere.test' };
		for (let poll = 1; poll <= 4; poll++) await readStatuses(elsewhere, V3_RUNS, ['odd']);
		expect(await polls(answer)).toEqual([...unknown, expect.any(Error)]);
		for (let poll = 1; poll <= 4; poll++) {
			await readStatuses(clientOf(answer).client, V3_RUNS, ['odd']);
		}
		await readStatuses(clientOf({ status: 'running' }).client, V3_RUNS, ['odd']);
		expect(await polls(answer)).toEqual([...unknown, expect.any(Error)]);
	});

	it('is one of V2 where that says unknown itself', async () => {
		const answer = { id: 'odd', status: 'unknown' };
		expect(await polls(answer, { api: V2_TASKS })).toEqual([...unknown, 'unknown']);
	});
});

describe('the running runs', () => {
	it('are those of the first page of the list, in which the service may show others', async () => {
		const status = 'running';
		const other = { task_id: 'c', status: 'finished' };
		const items = [{ task_id: 'a', status }, { status }, other, { task_id: 'b', status }];
		const { client, asked } = clientOf({ items });

		expect(await readRunning(client)).toEqual(new Set(['a', 'b']));
		const query = { status: 'running', limit: 20 };
		expect(asked).toEqual([{ method: 'GET', path: LIST, query }]);
	});

	it('are none where the service refuses', async () => {
		expect(await readRunning(clientOf(refusal(400)).client)).toEqual(new Set());
	});
});

describe('a start', () => {
	const statusChanged = 'https://somebody.test/status';
	const [completed, ours] = ['https://n8n.test/done', 'https://n8n.test/status'];
	const bare: ServiceRequest = { method: 'POST', path: '/v3/bots/1/runs' };
	const body = { input: { a: 1 }, status_change_callback_url: statusChanged };
	const request: ServiceRequest = { ...bare, body };
	const done = { callback_url: completed };
	const both = { ...done, status_change_callback_url: ours };
	const ofProfile = { status: 'created', profileId: 'p' };

	it.each([
		['its callback beside the one that it carries', request, { completed }, { ...body, ...done }],
		['its callbacks alone where there is no input', bare, { completed, statusChanged: ours }, both],
		['nothing where there is nothing', bare, {}, {}],
	])('is sent once, with %s', async (_, sent, callbacks, expected) => {
		const { client, asked } = clientOf({ task_id: 'run-1' });
		await startRun(client, V3_RUNS, sent, callbacks);
		expect(asked).toEqual([{ ...bare, body: expected }]);
	});

	it.each([
		['with its profile', V3_RUNS, { task_id: '1', profile_id: 'p' }, ofProfile],
		['with that in camel case', V3_RUNS, { task_id: '1', profileId: 'p' }, ofProfile],
		['with its status, of V2', V2_TASKS, { id: '1', status: 'running' }, { status: 'running' }],
	])('is answered with the run, %s', async (_, api, answer, expected) => {
		const started = await startRun(clientOf(answer).client, api, request);
		expect(started).toEqual({ taskId: '1', ...expected });
	});

	it('whose answer names no run may have begun one', async () => {
		const { client } = clientOf({ accepted: true });
		const error = await startRun(client, V3_RUNS, request).catch((thrown: unknown) => thrown);

		expect(error).toMatchObject({ message: 'The service’s answer to the start names no run' });
		expect(isUncertainStart(error)).toBe(true);
	});

	it.each([
		['the connection broke under the request', broken, true],
		['the service could not be reached', new ConnectionError('no such host', false), false],
		['the service has any fault', refusal(500), true],
		['the service refuses', refusal(400, 10118), false],
		['a gateway gave up waiting (408)', refusal(408), true],
		['a gateway gave up waiting (499)', refusal(499), true],
		['it came too early to be sent twice (425)', refusal(425), true],
		['there are too many requests', refusal(429), false],
		['the execution was stopped', new CanceledError(), false],
		['there is a bug', new Error('a bug'), false],
	])('when %s: whether a run may have begun', (_, error, expected) => {
		expect(isUncertainStart(error)).toBe(expected);
	});
});

describe('a run', () => {
	it.each([
		['the status that is known where it says none', {}, 'failed', 'failed'],
		['its own status', { status: 'canceled' }, 'failed', 'canceled'],
		['its own status while it goes on', { status: 'running' }, 'paused', 'running'],
	] as const)('that was reported has %s', async (_, details, known, status) => {
		const { client } = clientOf({ task_id: 'run-1', ...details });
		const run = await readEndedRun(client, V3_RUNS, 'run-1', known);
		expect(run).toEqual({ task_id: 'run-1', status });
	});

	it('cannot be what is no object', async () => {
		const { client } = clientOf('a page of a proxy');
		const words = 'The service’s answer about run run-1 is not a run';
		await expect(readRun(client, V3_RUNS, 'run-1')).rejects.toThrow(words);
		expect(await readStatus(client, V3_RUNS, 'run-1')).toBe('unknown');
	});

	it('is canceled, and left as it is where it has ended', async () => {
		const { client, asked } = clientOf(null);
		expect(await cancelRun(client, V3_RUNS, 'run-1')).toBe(true);
		await cancelRun(client, V2_TASKS, 'run-1');

		const about = { task_id: 'run-1' };
		expect(asked).toEqual([
			{ method: 'POST', path: `${LIST}/run-1/cancel`, about, mayRepeat: true },
			{ method: 'PUT', path: '/v2/workflow/stop-task', query: about, about, mayRepeat: true },
		]);
		const cancel = async (error: Error) =>
			await cancelRun(clientOf(error).client, V3_RUNS, 'run-1');
		await expect(cancel(refusal(400, 10121))).resolves.toBe(false);
		await expect(cancel(UNKNOWN_RUN)).rejects.toBe(UNKNOWN_RUN);
	});
});

it.each([
	['v3', { task_id: '1' }],
	['v2', { id: '1' }],
	['v3', { task_id: '1', id: '2' }],
	['v3', {}],
] as const)('the API of a run is %s for a record %j', (name, record) => {
	expect(runApiOf(record)).toBe(runApi(name));
	expect(runApi(name).name).toBe(name);
});
