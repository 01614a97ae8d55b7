import type { ServiceClient } from '../../../nodes/BrowserAutomation/service/http/client';
import {
	CanceledError,
	ConnectionError,
	ServiceError,
	type ServiceErrorFacts,
} from '../../../nodes/BrowserAutomation/service/errors';
import type { JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import type { ServiceRequest } from '../../../nodes/BrowserAutomation/service/http/request';
import {
	cancelRun,
	ifKnown,
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

/** A client that answers by path, and remembers what it was asked. */
function clientOf(answer: (request: ServiceRequest) => JsonValue): {
	client: ServiceClient;
	asked: ServiceRequest[];
} {
	const asked: ServiceRequest[] = [];
	const send = async (request: ServiceRequest): Promise<JsonValue> => {
		asked.push(request);
		return answer(request);
	};
	return { client: { baseUrl: 'https://service.test', send }, asked };
}

const ids = (count: number) => Array.from({ length: count }, (_, index) => `run-${index}`);

function pageOf(taskIds: string[], request: ServiceRequest): JsonValue {
	const page = Number(request.query?.page);
	const limit = Number(request.query?.limit);
	return {
		items: taskIds
			.slice((page - 1) * limit, page * limit)
			.map((taskId) => ({ task_id: taskId, status: 'running' })),
		page,
		limit,
		total_count: taskIds.length,
		total_pages: Math.ceil(taskIds.length / limit),
	};
}

describe('the statuses of runs', () => {
	it('come one by one for a few', async () => {
		const { client, asked } = clientOf(() => ({ status: 'finished' }));
		const found = await readStatuses(client, V3_RUNS, ids(3));

		expect([...found]).toEqual(ids(3).map((taskId) => [taskId, 'finished']));
		expect(asked.map(({ path }) => path)).toEqual(
			ids(3).map((taskId) => `/v3/bots/runs/${taskId}/status`),
		);
	});

	it('come in pages of a hundred for many', async () => {
		const { client, asked } = clientOf((request) => pageOf(ids(1_000), request));
		const found = await readStatuses(client, V3_RUNS, ids(1_000));

		expect(found.size).toBe(1_000);
		expect(asked).toHaveLength(10);
	});

	it.each([
		['newest first', (all: string[]) => all],
		['oldest first', (all: string[]) => [...all].reverse()],
	])('are found in a list that is %s, since the start of the first is told', async (_, order) => {
		const all = order([...ids(90), ...Array.from({ length: 60 }, (__, index) => `other-${index}`)]);
		const { client, asked } = clientOf((request) => pageOf(all, request));
		const since = Date.parse('2026-01-31T09:10:00Z');
		const found = await readStatuses(client, V3_RUNS, ids(90), { since });

		expect(found.size).toBe(90);
		expect(asked.length).toBeLessThanOrEqual(2);
		expect(asked[0]?.query?.created_at_from).toBe('2026-01-31T09:00:00.000Z');
	});

	it('never look through more pages than the runs would fill, and two', async () => {
		const others = Array.from({ length: 5_000 }, (_, index) => `other-${index}`);
		const { client, asked } = clientOf((request) =>
			request.path === '/v3/bots/runs' ? pageOf(others, request) : { status: 'running' },
		);
		await readStatuses(client, V3_RUNS, ids(5));

		expect(asked.filter(({ path }) => path === '/v3/bots/runs')).toHaveLength(3);
		expect(asked).toHaveLength(3 + 5);
	});

	it('are asked for one by one of no more runs than may be, so that nothing is said of the others', async () => {
		const { client, asked } = clientOf((request) =>
			request.path === '/v3/bots/runs' ? pageOf(ids(2), request) : { status: 'finished' },
		);
		const found = await readStatuses(client, V3_RUNS, ids(9), { mostSingles: 3 });

		expect([...found]).toEqual([
			...ids(2).map((taskId) => [taskId, 'running']),
			...ids(5)
				.slice(2)
				.map((taskId) => [taskId, 'finished']),
		]);
		expect(asked.filter(({ path }) => path.endsWith('/status'))).toHaveLength(3);
	});

	it('of V2 come one by one where the service has no list of tasks', async () => {
		const { client } = clientOf((request) => {
			if (request.path.includes('list-tasks')) {
				throw new ServiceError('unknown address', '', { httpStatus: 404 });
			}
			return { id: String(request.query?.task_id), status: 'finished' };
		});

		expect((await readStatuses(client, V2_TASKS, ids(6))).size).toBe(6);
	});

	it('hold the refusal of a run that the service does not know', async () => {
		const refusal = new ServiceError('The run does not exist', '', {
			code: 10112,
			httpStatus: 400,
		});
		const { client } = clientOf((request) => {
			if (request.path.includes('run-1')) throw refusal;
			return { status: 'running' };
		});

		expect([...(await readStatuses(client, V3_RUNS, ids(2)))]).toEqual([
			['run-0', 'running'],
			['run-1', refusal],
		]);
	});

	it.each([3, 6])(
		'are not to be had of %d runs while the service cannot be asked',
		async (count) => {
			const { client } = clientOf(() => {
				throw new ConnectionError('the connection broke', true);
			});

			await expect(readStatuses(client, V3_RUNS, ids(count))).rejects.toThrow(
				'could not be reached',
			);
		},
	);

	it('come one by one from the fourth run on where a list holds none of them, ten at a time', async () => {
		let open = 0;
		let mostOpen = 0;
		const send = async (request: ServiceRequest): Promise<JsonValue> => {
			if (request.path === '/v3/bots/runs') return pageOf([], request);
			mostOpen = Math.max(mostOpen, ++open);
			await new Promise(setImmediate);
			open--;
			return { status: 'running' };
		};
		const client = { baseUrl: 'https://service.test', send };

		expect((await readStatuses(client, V3_RUNS, ids(25))).size).toBe(25);
		expect(mostOpen).toBe(10);
	});

	it('are looked for in the list from the fourth run on, a full page at a time', async () => {
		const { client, asked } = clientOf((request) => pageOf(ids(4), request));
		await readStatuses(client, V3_RUNS, ids(4));

		expect(asked).toEqual([
			{ method: 'GET', path: '/v3/bots/runs', query: { page: 1, limit: 100 } },
		]);
	});

	it('of V2 are looked for in pages of five hundred', async () => {
		const { client, asked } = clientOf(() => ({
			items: ids(4).map((id) => ({ id, status: 'paused' })),
		}));

		expect([...(await readStatuses(client, V2_TASKS, ids(4))).values()]).toEqual(
			ids(4).map(() => 'paused'),
		);
		expect(asked).toEqual([
			{ method: 'GET', path: '/v2/workflow/list-tasks', query: { page: 1, limit: 500 } },
		]);
	});

	it('are not asked for one by one where a fault hides the list, or the execution was stopped', async () => {
		for (const error of [new ServiceError('fault', '', { httpStatus: 503 }), new CanceledError()]) {
			const { client, asked } = clientOf(() => {
				throw error;
			});
			await expect(readStatuses(client, V3_RUNS, ids(4))).rejects.toBe(error);
			expect(asked).toHaveLength(1);
		}
	});

	it('cannot be told where one of the runs is refused otherwise', async () => {
		const { client } = clientOf(() => {
			throw new ServiceError('no', '', { code: 401, httpStatus: 401 });
		});

		await expect(readStatuses(client, V3_RUNS, ids(2))).rejects.toThrow('no');
	});

	it('that are in no list of the interface count as unknown', async () => {
		const { client } = clientOf(() => ({ status: 'hibernating' }));

		expect((await readStatuses(client, V3_RUNS, ['a'])).get('a')).toBe('unknown');
	});
});

describe('a run whose status makes no sense', () => {
	const looks = async (answer: JsonValue, api = V3_RUNS): Promise<unknown[]> => {
		const { client } = clientOf(() => answer);
		const told: unknown[] = [];
		for (let look = 1; look <= 5; look++) {
			told.push((await readStatuses(client, api, ['odd'])).get('odd'));
		}
		return told;
	};
	const unknown = Array<string>(4).fill('unknown');

	it.each([
		[{ status: 'archived' }, 'the status "archived" for run odd'],
		[{ status: 'x'.repeat(99) }, `the status "${'x'.repeat(79)} for run odd`],
		[{}, 'no status for run odd'],
	])('is not waited for any more after five looks: %j', async (answer, words) => {
		const error = expect.objectContaining({ message: expect.stringContaining(words) });
		expect(await looks(answer)).toEqual([...unknown, error]);
	});

	it('is one of V2 where that says unknown itself', async () => {
		expect(await looks({ id: 'odd', status: 'unknown' }, V2_TASKS)).toEqual([
			...unknown,
			'unknown',
		]);
	});
});

describe('the running runs', () => {
	it('are counted by the total of the list of them, whose first page names the latest', async () => {
		const items = [{ task_id: 'a' }, {}, { task_id: 'b' }];
		const { client, asked } = clientOf(() => ({ items, total_count: 7 }));

		expect(await readRunning(client)).toEqual({ count: 7, taskIds: new Set(['a', 'b']) });
		expect(asked).toEqual([
			{ method: 'GET', path: '/v3/bots/runs', query: { status: 'running', limit: 20 } },
		]);
	});

	it.each([
		['tells no total', () => ({ items: [] })],
		['tells something else for it', () => ({ items: [], total_count: 'many' })],
		[
			'refuses',
			() => {
				throw new ServiceError('no', '', { httpStatus: 400 });
			},
		],
	])('are not known where the service %s', async (_, answer: () => JsonValue) => {
		expect((await readRunning(clientOf(answer).client)).count).toBeUndefined();
	});
});

describe('a start', () => {
	const request: ServiceRequest = {
		method: 'POST',
		path: '/v3/bots/1/runs',
		body: { input: { a: 1 }, status_change_callback_url: 'https://somebody.test/status' },
	};

	it('is sent once, its callbacks beside those that it carries already', async () => {
		const { client, asked } = clientOf(() => ({ task_id: 'run-1', profile_id: 'p-1' }));
		const started = await startRun(client, V3_RUNS, request, {
			completed: 'https://n8n.test/done',
		});

		expect(started).toEqual({ taskId: 'run-1', status: 'created', profileId: 'p-1' });
		expect(asked).toEqual([
			{
				...request,
				body: {
					input: { a: 1 },
					status_change_callback_url: 'https://somebody.test/status',
					callback_url: 'https://n8n.test/done',
				},
			},
		]);
	});

	it('names the browser profile also where the service writes it in camel case', async () => {
		const { client } = clientOf(() => ({ task_id: 'run-1', profileId: 'p-1' }));

		expect((await startRun(client, V3_RUNS, request)).profileId).toBe('p-1');
	});

	it('without input carries its callbacks alone', async () => {
		const { client, asked } = clientOf(() => ({ task_id: 'run-1' }));
		await startRun(
			client,
			V3_RUNS,
			{ method: 'POST', path: '/v3/bots/1/runs' },
			{
				completed: 'https://n8n.test/done',
				statusChanged: 'https://n8n.test/status',
			},
		);
		await startRun(client, V3_RUNS, { method: 'POST', path: '/v3/bots/1/runs' });

		expect(asked.map(({ body }) => body)).toEqual([
			{
				callback_url: 'https://n8n.test/done',
				status_change_callback_url: 'https://n8n.test/status',
			},
			{},
		]);
	});

	it('of a V2 task answers with the ID under its own name', async () => {
		const { client } = clientOf(() => ({ id: 'task-1', status: 'running' }));

		expect(await startRun(client, V2_TASKS, request)).toEqual({
			taskId: 'task-1',
			status: 'running',
		});
	});

	it('whose answer names no run may have begun one', async () => {
		const { client } = clientOf(() => ({ accepted: true }));
		const error = await startRun(client, V3_RUNS, request).catch((thrown: unknown) => thrown);

		expect(error).toMatchObject({ message: 'The service’s answer to the start names no run' });
		expect(isUncertainStart(error)).toBe(true);
	});

	it.each([
		['the connection broke under the request', new ConnectionError('it broke', true), true],
		['the service could not be reached', new ConnectionError('no such host', false), false],
		['the service has any fault', new ServiceError('fault', '', { httpStatus: 500 }), true],
		['there is a bug', new Error('a bug'), false],
		['the service has a fault', new ServiceError('fault', '', { httpStatus: 503 }), true],
		['the service refuses', new ServiceError('no', '', { code: 10118, httpStatus: 400 }), false],
		...[408, 425, 499].map((httpStatus): [string, unknown, boolean] => [
			`a gateway gave up waiting (${httpStatus})`,
			new ServiceError('late', '', { httpStatus }),
			true,
		]),
		['there are too many requests', new ServiceError('slow', '', { httpStatus: 429 }), false],
		['the execution was stopped', new CanceledError(), false],
	])('when %s: whether a run may have begun', (_, error, expected) => {
		expect(isUncertainStart(error)).toBe(expected);
	});
});

describe('a run', () => {
	const failing = (facts: ServiceErrorFacts) =>
		clientOf(() => {
			throw new ServiceError('no', '', facts);
		}).client;

	it.each([
		['has the status that is told where it says none', {}, 'failed'],
		['is as it says', { status: 'canceled' }, 'canceled'],
	])('that has ended %s', async (_, details, status) => {
		const { client } = clientOf(() => ({ task_id: 'run-1', ...details }));
		const run = await readEndedRun(client, V3_RUNS, 'run-1', 'failed');
		expect(run).toEqual({ task_id: 'run-1', status });
	});

	it('that has ended is not what its details show of it still going on', async () => {
		const { client } = clientOf(() => ({ task_id: 'run-1', status: 'running' }));
		await expect(readEndedRun(client, V3_RUNS, 'run-1', 'finished')).rejects.toThrow(
			'run-1 is finished, but its details still say running',
		);
		expect(await readEndedRun(client, V3_RUNS, 'run-1', 'paused')).toMatchObject({
			status: 'running',
		});
	});

	it('that the service does not know is undefined, any other refusal is an error', async () => {
		const unknown = failing({ code: 10112, httpStatus: 400 });
		const forbidden = failing({ code: 401, httpStatus: 401 });

		expect(await ifKnown(readRun(unknown, V3_RUNS, 'run-1'))).toBeUndefined();
		await expect(ifKnown(readRun(forbidden, V3_RUNS, 'run-1'))).rejects.toThrow('no');
	});

	it('whose status the service does not know is undefined, any other refusal is an error', async () => {
		const unknown = failing({ code: 10112, httpStatus: 400 });
		const forbidden = failing({ code: 401, httpStatus: 401 });

		expect(await ifKnown(readStatus(unknown, V3_RUNS, 'run-1'))).toBeUndefined();
		await expect(ifKnown(readStatus(forbidden, V3_RUNS, 'run-1'))).rejects.toThrow('no');
	});

	it('is what the service answers', async () => {
		const { client, asked } = clientOf(() => ({ task_id: 'run-1', status: 'paused' }));

		expect(await readRun(client, V3_RUNS, 'run-1')).toEqual({ task_id: 'run-1', status: 'paused' });
		expect(await ifKnown(readRun(client, V3_RUNS, 'run-1'))).toMatchObject({ status: 'paused' });
		expect(await ifKnown(readStatus(client, V3_RUNS, 'run-1'))).toBe('paused');
		expect(asked.map(({ path }) => path)).toEqual([
			'/v3/bots/runs/run-1',
			'/v3/bots/runs/run-1',
			'/v3/bots/runs/run-1/status',
		]);
	});

	it('cannot be what is no object', async () => {
		const { client } = clientOf(() => 'a page of a proxy');

		await expect(readRun(client, V3_RUNS, 'run-1')).rejects.toThrow(
			'The service’s answer about run run-1 is not a run',
		);
		expect(await readStatus(client, V3_RUNS, 'run-1')).toBe('unknown');
	});

	it('is canceled, and left as it is where it has ended', async () => {
		const { client, asked } = clientOf(() => null);
		await cancelRun(client, V3_RUNS, 'run-1');
		await cancelRun(client, V2_TASKS, 'run-1');

		expect(asked).toEqual([
			{ method: 'POST', path: '/v3/bots/runs/run-1/cancel', about: { task_id: 'run-1' } },
			{
				method: 'PUT',
				path: '/v2/workflow/stop-task',
				query: { task_id: 'run-1' },
				about: { task_id: 'run-1' },
			},
		]);
		const ended = failing({ code: 10121, httpStatus: 400 });
		await expect(cancelRun(ended, V3_RUNS, 'run-1')).resolves.toBeUndefined();
		const unknown = failing({ code: 10112, httpStatus: 400 });
		await expect(cancelRun(unknown, V3_RUNS, 'run-1')).rejects.toThrow('no');
	});
});

describe('the API of a run', () => {
	it.each([
		['v3', { task_id: '1' }],
		['v2', { id: '1' }],
		['v3', { task_id: '1', id: '2' }],
		['v3', {}],
	] as const)('is %s for a record %j', (name, record) => {
		expect(runApiOf(record)).toBe(runApi(name));
		expect(runApi(name).name).toBe(name);
	});

	it('of V3 asks for a run by its path, of V2 by a query', () => {
		expect(V3_RUNS.detailRequest('a/b')).toEqual({
			method: 'GET',
			path: '/v3/bots/runs/a%2Fb',
			expects: { task_id: 'a/b' },
			about: { task_id: 'a/b' },
		});
		expect(V3_RUNS.statusRequest('a')).toEqual({
			method: 'GET',
			path: '/v3/bots/runs/a/status',
			expects: { task_id: 'a', status: null },
			about: { task_id: 'a' },
		});
		// Without a status, a run is told as unknown, and counted.
		expect(V3_RUNS.stateRequest('a')).toMatchObject({ expects: { task_id: 'a' } });
		expect(V3_RUNS.resumeRequest('a')).toEqual({
			method: 'POST',
			path: '/v3/bots/runs/a/resume',
			about: { task_id: 'a' },
		});
		const about = { task_id: 'a' };
		const query = { task_id: 'a' };
		expect(V2_TASKS.detailRequest('a')).toEqual({
			method: 'GET',
			path: '/v2/workflow/get-task',
			query,
			expects: { id: 'a' },
			about,
		});
		expect(V2_TASKS.stateRequest('a')).toEqual({
			method: 'GET',
			path: '/v2/workflow/get-task',
			query,
			expects: { id: 'a' },
			about,
		});
		expect(V2_TASKS.statusRequest('a')).toEqual({
			method: 'GET',
			path: '/v2/workflow/get-task-status',
			query,
			expects: { status: null },
			about,
		});
		expect(V2_TASKS.resumeRequest('a')).toEqual({
			method: 'PUT',
			path: '/v2/workflow/resume-task',
			query,
			about,
		});
	});
});
