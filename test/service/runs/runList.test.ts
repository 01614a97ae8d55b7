import type { JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import type { ServiceRequest } from '../../../nodes/BrowserAutomation/service/http/request';
import { RunList } from '../../../nodes/BrowserAutomation/service/runs/runList';

type Query = NonNullable<ServiceRequest['query']>;

/** A client that answers by the query of each request, and remembers the requests. */
function clientOf(answer: (query: Query) => JsonValue) {
	const asked: ServiceRequest[] = [];
	const send = async (request: ServiceRequest): Promise<JsonValue> => {
		asked.push(request);
		return answer(request.query ?? {});
	};
	return { client: { baseUrl: 'https://service.test', send }, asked };
}

const at = (moment: number) => new Date(moment).toISOString();
const runAt = (moment: number) => ({
	task_id: `run-${moment}`,
	status: 'running',
	created_at: at(moment),
});

it('runs that have not ended are those of all such statuses, at least a page of each', async () => {
	const { client, asked } = clientOf(() => [runAt(1), runAt(2)]);
	expect(await new RunList(client).readOpen(1)).toHaveLength(8);
	const statuses = new Set(asked.map(({ query }) => String(query?.status)));
	expect([...statuses].sort()).toEqual(['created', 'paused', 'pausing', 'running']);
});

describe('a page of the list of runs', () => {
	it('is asked for by bot, time and status', async () => {
		const { client, asked } = clientOf(() => []);
		await new RunList(client, '7').readFirst({ from: 0, to: 5, status: 'running' });
		await new RunList(client).readFirst();
		const page = { page: 1, limit: 100 };
		const time = { created_at_from: at(0), created_at_to: at(5) };
		const queries = [{ bot_id: '7', ...time, status: 'running', ...page }, page];
		expect(asked.map(({ query }) => query)).toEqual(queries);
		expect(asked.map(({ expects }) => expects)).toEqual(['list', 'list']);
	});

	it('is by UTC where the service states no offset', async () => {
		const { parse } = Date;
		const inBerlin = (text: string): number =>
			parse(/T[^Z+-]+$/.test(text) ? `${text}+01:00` : text);
		jest.spyOn(Date, 'parse').mockImplementation(inBerlin);
		const { client } = clientOf(() => [{ task_id: '1', created_at: '1970-01-01T00:00:05' }]);
		expect(await new RunList(client).readFirst()).toMatchObject([{ createdAt: 5_000 }]);
		jest.restoreAllMocks();
	});

	it('holds what is a run with a moment', async () => {
		const odd = [{ task_id: '1' }, { created_at: at(5) }, { task_id: '2', created_at: 'x' }];
		const { client } = clientOf(() => ({ items: [runAt(5), ...odd], total_count: 9 }));
		expect(await new RunList(client).readFirst()).toEqual([
			{ taskId: 'run-5', status: 'running', createdAt: 5, record: runAt(5) },
		]);
	});
});

describe('a part of the list', () => {
	it('has no more than a thousand pages, whatever the service says', async () => {
		const { client, asked } = clientOf(({ page }) => ({
			items: [runAt(Number(page))],
			limit: 1,
			total_pages: 1e9,
		}));
		const slice = await new RunList(client).readWhole();
		expect(slice.isWhole).toBe(false);
		expect(slice.runs).toHaveLength(1_000);
		expect(asked).toHaveLength(1_000);
	});

	it('is its oldest half, or half of that, where it is longer than three pages', async () => {
		const seconds = Array.from({ length: 16 }, (_, index) => 1_000_000 + 1_000 * index);
		for (const order of [seconds, [...seconds].reverse()]) {
			const { client } = clientOf(({ created_at_to: to, page }) => {
				const found = order.filter(
					(moment) => to === undefined || moment <= Date.parse(String(to)),
				);
				const start = (Number(page) - 1) * 2;
				const facts = { total_count: found.length, total_pages: Math.ceil(found.length / 2) };
				return { items: found.slice(start, start + 2).map(runAt), ...facts };
			});
			const { runs, isWhole, to } = await new RunList(client).readSlice(1_000_000);
			const moments = runs.map(({ createdAt }) => createdAt).sort((a, b) => a - b);
			expect(moments.length).toBeGreaterThan(0);
			expect(moments.length).toBeLessThanOrEqual(6);
			expect(moments).toEqual(seconds.slice(0, moments.length));
			expect(isWhole).toBe(true);
			expect(seconds.filter((moment) => moment <= (to ?? 0))).toEqual(moments);
		}
	});

	it('is read again when runs vanish while it is read, and is not whole if that does not end', async () => {
		let shown = 0;
		const { client, asked } = clientOf(({ page }) => ({
			items: page === 1 ? [runAt(++shown)] : [],
			limit: 1,
			total_count: 3,
			total_pages: 3,
		}));
		const slice = await new RunList(client).readWhole({ from: 0 });
		expect(slice.isWhole).toBe(true);
		expect(slice.runs).toHaveLength(3);
		expect(asked).toHaveLength(6);
		const items = [runAt(1)];
		const { client: lying } = clientOf(({ page }) => ({
			items: page === 1 ? items : [],
			...{ total_count: 3, total_pages: 3 },
		}));
		const part = { runs: [{ taskId: 'run-1' }], isWhole: false };
		expect(await new RunList(lying).readWhole()).toMatchObject(part);
	});

	it('is read again when its number has become smaller', async () => {
		const counts = [3, 2, 2, 2];
		const { client, asked } = clientOf(({ page }) => ({
			items: [runAt(Number(page))],
			limit: 1,
			total_count: counts.shift() ?? 2,
			total_pages: 2,
		}));
		const slice = await new RunList(client).readWhole();
		expect(slice.isWhole).toBe(true);
		expect(asked).toHaveLength(4);
	});
});

describe('the newest run', () => {
	it('is found, whatever order the list has', async () => {
		for (const order of ['12345', '54321', '35142']) {
			const moments = [...order].map((digit) => Number(digit) * 1_000);
			const { client, asked } = clientOf(({ created_at_from: from = at(0) }) =>
				moments
					.filter((moment) => moment >= Date.parse(String(from)))
					.slice(0, 2)
					.map(runAt),
			);
			expect((await new RunList(client).findNewest())?.createdAt).toBe(5_000);
			expect(asked.length).toBeLessThanOrEqual(5);
		}
	});

	it('is none of the far future, after which no run would be heard of again', async () => {
		const now = Date.now();
		const { client } = clientOf(() => [runAt(now), runAt(now + 2 * 366 * 86_400_000)]);
		expect((await new RunList(client).findNewest())?.createdAt).toBe(now);
	});

	it('is not forgotten when it has vanished before the next request', async () => {
		const pages = [[runAt(5)], []];
		const { client } = clientOf(() => ({ items: pages.shift() ?? [] }));
		expect((await new RunList(client).findNewest())?.createdAt).toBe(5);
	});
});
