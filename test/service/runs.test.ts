import type { ServiceClient } from '../../nodes/BrowserAutomation/service/client';
import { ConnectionError, ServiceError } from '../../nodes/BrowserAutomation/service/errors';
import type { JsonValue } from '../../nodes/BrowserAutomation/service/json';
import type { ServiceRequest } from '../../nodes/BrowserAutomation/service/request';
import { readStatuses, V2_TASKS, V3_RUNS } from '../../nodes/BrowserAutomation/service/runs';

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
		const found = await readStatuses(client, V3_RUNS, ids(90), since);

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

	it('that are in no list of the interface count as unknown', async () => {
		const { client } = clientOf(() => ({ status: 'hibernating' }));

		expect((await readStatuses(client, V3_RUNS, ['a'])).get('a')).toBe('unknown');
	});
});
