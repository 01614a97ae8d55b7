import type { JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import type { ServiceRequest } from '../../../nodes/BrowserAutomation/service/http/request';
import { RunList } from '../../../nodes/BrowserAutomation/service/runs/runList';

type Query = NonNullable<ServiceRequest['query']>;

/** A client that answers by the query of each request, and remembers it. */
function clientOf(answer: (query: Query) => JsonValue) {
	const asked: Query[] = [];
	const send = async ({ query = {} }: ServiceRequest): Promise<JsonValue> => {
		asked.push(query);
		return answer(query);
	};
	return { client: { baseUrl: 'https://service.test', send }, asked };
}

const at = (moment: number) => new Date(moment).toISOString();
const runAt = (moment: number) => ({
	task_id: `run-${moment}`,
	status: 'running',
	created_at: at(moment),
});

/** A list of runs, created at these moments, that shows so many on a page. */
function listOf(moments: number[], limit: number) {
	return clientOf(({ created_at_from: from, created_at_to: to, page }) => {
		const found = moments.filter(
			(moment) =>
				(from === undefined || moment >= Date.parse(String(from))) &&
				(to === undefined || moment <= Date.parse(String(to))),
		);
		const start = (Number(page) - 1) * limit;
		return {
			items: found.slice(start, start + limit).map(runAt),
			limit,
			total_count: found.length,
			total_pages: Math.max(1, Math.ceil(found.length / limit)),
		};
	});
}

it('runs that have not ended are those of all such statuses', async () => {
	const { client, asked } = clientOf(() => []);
	await new RunList(client).readOpen(100);
	const statuses = asked.map(({ status }) => String(status));
	expect(statuses.sort()).toEqual(['created', 'paused', 'pausing', 'running']);
});

describe('a page of the list of runs', () => {
	it('is asked for by bot, time and status', async () => {
		const { client, asked } = clientOf(() => []);
		await new RunList(client, '7').readFirst({ from: 0, to: 5, status: 'running' });
		await new RunList(client).readFirst();
		const page = { page: 1, limit: 100 };
		const time = { created_at_from: at(0), created_at_to: at(5) };
		expect(asked).toEqual([{ bot_id: '7', ...time, status: 'running', ...page }, page]);
	});

	it('holds what is a run with a moment', async () => {
		const odd = [{ task_id: '1' }, { created_at: at(5) }, { task_id: '2', created_at: 'x' }];
		const { client } = clientOf(() => ({ items: [runAt(5), ...odd], total_count: 9 }));
		expect(await new RunList(client).readFirst()).toEqual([
			{ taskId: 'run-5', status: 'running', createdAt: 5, record: runAt(5) },
		]);
	});

	it('has to be a list', async () => {
		const sent: ServiceRequest[] = [];
		const send = async (request: ServiceRequest) => {
			sent.push(request);
			return [];
		};
		await new RunList({ baseUrl: 'https://service.test', send }).readFirst();
		expect(sent[0]?.expects).toBe('list');
	});
});

describe('a part of the list', () => {
	const seconds = (count: number) =>
		Array.from({ length: count }, (_, index) => 1_000 * (index + 1));

	it('is all of it where that fits into three pages', async () => {
		for (const count of [2, 4, 6]) {
			const { client, asked } = listOf(seconds(count), 2);
			const slice = await new RunList(client).readSlice(0);
			expect(asked).toHaveLength(count / 2);
			expect(slice).toMatchObject({ isWhole: true });
			expect(slice.to).toBeUndefined();
			expect(slice.runs.map(({ createdAt }) => createdAt)).toEqual(seconds(count));
		}
	});

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

	it('is its oldest half, or half of that, where it is longer', async () => {
		for (const order of [seconds(16), seconds(16).reverse()]) {
			const { client } = listOf(order, 2);
			const slice = await new RunList(client).readSlice(0);
			const found = slice.runs.map(({ createdAt }) => createdAt).sort((a, b) => a - b);
			expect(found.length).toBeGreaterThan(0);
			expect(found).toEqual(seconds(found.length));
			expect(slice.isWhole).toBe(true);
			expect(slice.to).toBeGreaterThanOrEqual(found.at(-1) ?? 0);
			expect(slice.to).toBeLessThan(1_000 * (found.length + 1));
		}
	});

	it('is asked for by bot and time throughout', async () => {
		const { client, asked } = listOf(seconds(16), 2);
		await new RunList(client, '7').readSlice(3_000);
		expect(asked.length).toBeGreaterThan(1);
		for (const query of asked) {
			expect(query).toMatchObject({ bot_id: '7', created_at_from: at(3_000) });
		}
	});

	it('is one moment, however many runs that has', async () => {
		const { client } = listOf([5, 5, 5, 5, 5, 5], 2);
		expect((await new RunList(client).readSlice(5)).isWhole).toBe(false);
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
			const { client, asked } = listOf(moments, 2);
			expect((await new RunList(client).findNewest())?.createdAt).toBe(5_000);
			expect(asked.length).toBeLessThanOrEqual(5);
		}
	});

	it('is none in an empty list', async () => {
		expect(await new RunList(listOf([], 2).client, '7').findNewest()).toBeUndefined();
	});

	it('is none of the far future, after which no run would be heard of again', async () => {
		const now = Date.now();
		const { client } = listOf([now, now + 2 * 366 * 86_400_000], 2);
		expect((await new RunList(client).findNewest())?.createdAt).toBe(now);
	});

	it('is not forgotten when it has vanished before the next request', async () => {
		const pages = [[runAt(5)], []];
		const { client } = clientOf(() => ({ items: pages.shift() ?? [] }));
		expect((await new RunList(client).findNewest())?.createdAt).toBe(5);
	});

	it('is looked for a thousand times at the most, in a service that always has a newer one', async () => {
		let moment = 0;
		const { client, asked } = clientOf(() => [runAt(++moment)]);
		expect((await new RunList(client).findNewest())?.createdAt).toBe(1_000);
		expect(asked).toHaveLength(1_000);
	});

	it('is looked for among those of the bot', async () => {
		const { client, asked } = listOf([1], 2);
		await new RunList(client, '7').findNewest();
		expect(asked.map(({ bot_id: botId }) => botId)).toEqual(asked.map(() => '7'));
	});
});
