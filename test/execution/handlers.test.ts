import type { INodeParameters } from 'n8n-workflow';

import type { Harness, Run } from '../core/harness';
import { actionNode, answerJson, chosen, createNodes, forAllTests, jsonOf } from '../fixture';
import { Origin } from '../fixture';
import { lapseTime } from '../timeLapse';

const service = forAllTests(new Origin());
let harness: Harness;

lapseTime();

beforeAll(() => (harness = createNodes({ url: service.url, key: 'secret' })));

/** A service with so many bots, that tells how many pages they fill. */
function serveBots(count: number): void {
	service.answerWith((request, response) => {
		const query = new URL(request.url ?? '', service.url).searchParams;
		const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))];
		const ids = Array.from({ length: count }, (_, index) => ({ bot_id: String(index) }));
		const items = ids.slice((page - 1) * limit, page * limit);
		answerJson(response, 200, { items, limit, total_pages: Math.ceil(count / limit) });
	});
}

function serve(body: unknown): void {
	service.answerWith((_, response) => answerJson(response, 200, body));
}

async function getBots(parameters: INodeParameters): Promise<Run> {
	return await harness.run(actionNode('bot', 'getAll', parameters));
}

function asked(): string[] {
	return service.received.map(({ url }) => url);
}

describe('a list', () => {
	it('is asked for in its largest pages, to its end, with its filters', async () => {
		serveBots(230);
		const run = await getBots({ returnAll: true, filters: { keyword: 'shop' } });
		expect(jsonOf(run).map(({ bot_id: id }) => Number(id))).toEqual([...Array(230).keys()]);
		const pages = [1, 2, 3].map((page) => `/v3/bots?keyword=shop&page=${page}&limit=100`);
		expect(asked()).toEqual(pages);
	});

	it('is asked for no more than its limit', async () => {
		serveBots(230);
		expect(jsonOf(await getBots({ limit: 3 }))).toHaveLength(3);
		expect(asked()).toEqual(['/v3/bots?page=1&limit=3']);
	});

	it.each([
		['bot', 'bot_id'],
		['run', 'task_id'],
	])('of %ss tells beside its records how many of them did not come', async (resource, id) => {
		serve({ items: [{ [id]: '1' }], total_count: 3, total_pages: 1 });
		const run = await harness.run(actionNode(resource, 'getAll', { returnAll: true }));
		expect(jsonOf(run)).toEqual([{ [id]: '1' }]);
		expect(run.hints).toMatchObject([
			{ message: 'The service announced 3 records, and gave 1', location: 'outputPane' },
		]);
	});

	it('without an end is an error, which says what to do', async () => {
		service.answerWith((request, response) => {
			const { searchParams } = new URL(request.url ?? '', service.url);
			answerJson(response, 200, { items: [{ bot_id: searchParams.get('page') }], has_more: true });
		});
		const { error } = await getBots({ returnAll: true });
		expect(error?.message).toBe('The list goes on after 1000 pages with 1000 records');
		expect(error?.description).toContain("Narrow it down by 'Filters'");
		expect(asked()).toHaveLength(1000);
	});

	it('of runs has of each what the user wants to see', async () => {
		const run = { task_id: '9', status: 'finished', steps: [{ name: 'open' }], credit: 3 };
		serve({ items: [run] });
		const listed = async (parameters: INodeParameters): Promise<unknown> =>
			jsonOf(await harness.run(actionNode('run', 'getAll', parameters)));
		expect(await listed({ listOutput: 'raw' })).toEqual([run]);
		const chosenFields = { listOutput: 'selected', fieldNames: 'status' };
		expect(await listed(chosenFields)).toEqual([{ status: 'finished', task_id: '9' }]);
	});
});

describe('the last run of a bot', () => {
	const RUNS = [
		{ task_id: '1', status: 'finished', created_at: '2026-11-02T10:00:00Z' },
		{ task_id: '2', status: 'failed', created_at: '2026-11-03T10:00:00Z' },
		{ task_id: '3', status: 'finished', created_at: '2026-11-01T10:00:00Z' },
	];
	const readLast = async (lastStatus: string): Promise<Run> => {
		service.answerWith((request, response) => {
			const { pathname, searchParams } = new URL(request.url ?? '', service.url);
			const status = searchParams.get('status');
			const items = RUNS.filter((run) => status === null || run.status === status);
			const one = RUNS.find(({ task_id: id }) => pathname.endsWith(`/${id}`));
			answerJson(response, 200, one ?? { items });
		});
		const parameters = { whichRun: 'last', botId: chosen('7'), lastStatus, output: 'simplified' };
		return await harness.run(actionNode('run', 'get', parameters));
	};

	it.each([
		['any', '2'],
		['finished', '1'],
	])('is the newest with the status %s, in whatever order the list has', async (status, id) => {
		expect(jsonOf(await readLast(status))).toEqual([expect.objectContaining({ task_id: id })]);
		expect(asked()[0]).toContain('bot_id=7');
	});

	it('is an error where there is none', async () => {
		const { error } = await readLast('paused');
		expect(error?.message).toBe('The bot has no run with the status paused');
	});
});

describe('an answer of another shape', () => {
	it.each(['bot', 'run', 'task', 'browser'])('is an error in place of %ss', async (resource) => {
		for (const shape of [null, {}, { items: 'none' }, [null], ['a text']]) {
			serve(shape);
			const run = await harness.run(actionNode(resource, 'getAll', {}));
			expect(run.error?.message).toMatch(/^The service’s answer (is|has) /);
			expect(run.outputs.flat()).toEqual([]);
		}
	});

	it.each(['raw', 'simplified'])('is an error in place of runs, also %s', async (listOutput) => {
		for (const items of [[{ name: 'a' }], [{ task_id: '1', status: 'running' }, { id: null }]]) {
			serve({ items });
			const run = await harness.run(actionNode('run', 'getAll', { listOutput }));
			expect(run.error?.message).toMatch(/^Record [12] of the service’s list of runs is no run/);
		}
	});

	it.each([
		['run', 'taskId', ['get', 'getStatus', 'cancel', 'downloadFiles']],
		['task', 'taskId', ['get']],
		['bot', 'botId', ['get']],
		['template', 'templateId', ['get']],
		['workflow', 'workflowId', ['get']],
		['browser', 'browserId', ['get']],
	])('is an error in the place of one %s', async (resource, name, operations) => {
		for (const operation of operations) {
			for (const shape of [null, {}, [{ id: '9', task_id: '9' }]]) {
				serve(shape);
				const run = await harness.run(actionNode(resource, operation, { [name]: chosen('9') }));
				expect(run.error?.message).toMatch(/^The service’s answer (is|has) /);
			}
		}
	});
});

it.each([
	['run', 'taskId', 'task_id'],
	['task', 'taskId', 'id'],
	['bot', 'botId', 'bot_id'],
	['template', 'templateId', 'template_id'],
	['workflow', 'workflowId', 'id'],
])('an answer about another %s than the chosen one is an error', async (resource, name, id) => {
	serve({ [id]: '8' });
	const run = await harness.run(actionNode(resource, 'get', { [name]: chosen('9') }));
	expect(run.error?.message).toBe(`The service’s answer is about ${id} 8, not 9`);
});

it.each([
	['run', 'botId', 'bot_id'],
	['task', 'workflowId', 'workflow_id'],
])('lists of a %s what was chosen from a list, or by its ID', async (resource, name, query) => {
	serve({ items: [] });
	for (const value of [chosen('7'), { __rl: true, mode: 'list', value: '7' }, '7']) {
		service.received = [];
		await harness.run(actionNode(resource, 'getAll', { filters: { [name]: value } }));
		expect(asked()[0]).toContain(`${query}=7`);
	}
	const nothing = { [name]: { __rl: true, mode: 'list', value: '' } };
	service.received = [];
	await harness.run(actionNode(resource, 'getAll', { filters: nothing }));
	expect(asked()[0]).not.toContain(query);
});
