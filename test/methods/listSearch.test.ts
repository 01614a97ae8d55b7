import type { INodeListSearchItems, INodeListSearchResult } from 'n8n-workflow';

import { ActionFixture, forAllTests } from '../fixture';
import { interceptNetwork } from '../interceptedNetwork';

const nock = interceptNetwork();

const fixture = forAllTests(new ActionFixture());

/** The methods of a node whose service is another one. */
const ofOther = () => fixture.methods(undefined, { url: 'https://other.test' });

/** What a list shows of these records, which are all that another service has. */
async function listed(
	method: string,
	path: string,
	items: object[],
	filter?: string,
): Promise<INodeListSearchResult> {
	nock('https://other.test')
		.get(path)
		.query(true)
		.reply(200, { items, total_count: items.length, total_pages: 1 });
	return await ofOther().listSearch(method, filter);
}

async function toTheEnd(method: string, filter?: string): Promise<INodeListSearchItems[]> {
	const found: INodeListSearchItems[] = [];
	let token: string | undefined;
	do {
		const page = await fixture.methods().listSearch(method, filter, token);
		found.push(...page.results);
		token = page.paginationToken;
	} while (token !== undefined);
	return found;
}

describe('lists to choose from', () => {
	it('show bots by name, newest first', async () => {
		const bots = await toTheEnd('searchBots');
		expect(bots).toHaveLength(54);
		expect(bots[0]).toMatchObject({ name: 'Product Scraper', value: '1001' });
		expect(bots.at(-1)).toMatchObject({ name: 'Hotel Collector', value: '1011' });
	});

	it('lead to the page of a template', async () => {
		const [template] = await toTheEnd('searchTemplates', 'Price Monitor');
		expect(template).toEqual({
			name: 'Price Monitor',
			value: '2001',
			url: `${fixture.sandbox.url}/sandbox/pages/templates/2001`,
			description: expect.any(String),
		});
	});

	it('hold nothing that n8n would work out with the workflow’s data, and lead to web pages alone', async () => {
		const leak = '={{ JSON.stringify($json) }}';
		const items = [
			{ template_id: '1', name: leak, detail_url: 'javascript:alert(1)' },
			{ template_id: leak, name: 'Its ID is an expression' },
			{ name: 'It has no ID' },
			{ template_id: '2', name: "A $fromAI('key')", detail_url: 'https://a.test/$fromAI(' },
		];
		const { results } = await listed('searchTemplates', '/v3/bots/templates', items);
		expect(results).toEqual([
			{ name: ` ${leak}`, value: '1' },
			{ name: "A $ fromAI('key')", value: '2' },
		]);
	});

	it('take a page of any length', async () => {
		const items = Array.from({ length: 150_000 }, (_, id) => ({ bot_id: id, name: 'Bot' }));
		const { results } = await listed('searchBots', '/v3/bots', items);
		expect(results).toHaveLength(150_000);
		expect(new Set(results.map(({ name }) => name)).size).toBe(150_000);
	});

	it('show runs with what tells them apart, and go on to the last one', async () => {
		const created = { createdFrom: '2026-01-01T00:00:00Z', createdTo: '2026-01-02T00:00:00Z' };
		await fixture.sandbox.seedRuns({ count: 1250, statuses: ['finished'], ...created });
		const runs = await toTheEnd('searchRuns');
		expect(new Set(runs.map(({ value }) => value)).size).toBe(1250);
		expect(runs[0]?.name).toBe('Product Scraper (finished, 2026-01-02 00:00 UTC)');
		const tasks = await toTheEnd('searchTasks');
		expect(tasks).toHaveLength(1250);
		expect(tasks[0]?.name).toMatch(/^\d+ \(finished, 2026-01-02 00:00 UTC\)$/);
	});

	it('show of a run what the service tells', async () => {
		const items = [{ task_id: '9', bot_name: 'Shop', created_at: 'soon' }, { task_id: '8' }];
		const { results } = await listed('searchRuns', '/v3/bots/runs', items);
		expect(results.map(({ name }) => name)).toEqual(['Shop', '8']);
	});
});

describe('searching', () => {
	const TEMPLATE = '/v2/workflow/get-official-workflow-template?workflow_template_id';

	it.each([
		['searchBots', 'LEAD find', '1002'],
		['searchTemplates', 'price monitor', '2001'],
		['searchWorkflows', 'scraper', '1001'],
		['searchWorkflowTemplates', 'store', '2003'],
	])('finds by name in any case, and an ID by one request: %s', async (method, name, id) => {
		expect(await toTheEnd(method, name)).toMatchObject([{ value: id }]);
		await fixture.sandbox.clearRequests();
		expect(await toTheEnd(method, ` ${id} `)).toMatchObject([{ value: id }]);
		expect(await fixture.sandbox.requests()).toHaveLength(1);
	});

	it('finds names however they are written', async () => {
		const bots = ['İstanbul', 'ISTANBUL', 'Other'].map((name, id) => ({ bot_id: `x${id}`, name }));
		const { results } = await listed('searchBots', '/v3/bots', bots, 'istanbul');
		expect(results.map(({ name }) => name)).toEqual(['İstanbul', 'ISTANBUL']);
	});

	it.each([
		['a name', 'lead', 'limit=100&keyword=lead&page=1'],
		['digits, which may be part of an ID', '9999', 'limit=100&page=1'],
		['a text that is longer than the service takes', 'a'.repeat(201), 'limit=100&page=1'],
		['a name of emoji', '👍'.repeat(101), `limit=100&keyword=${'%F0%9F%91%8D'.repeat(101)}&page=1`],
	])('has the service search for a name alone: %s', async (_, filter, query) => {
		await fixture.sandbox.clearRequests();
		await toTheEnd('searchBots', filter);
		const lists = (await fixture.sandbox.requests()).filter(({ path }) => path === '/v3/bots');
		expect(lists.map((request) => request.query)).toEqual([query]);
	});

	it('asks for an ID at first, not as the user scrolls', async () => {
		await fixture.sandbox.clearRequests();
		await fixture.methods().listSearch('searchBots', '9999', '2');
		expect(await fixture.sandbox.requests()).toMatchObject([{ query: 'limit=100&page=2' }]);
	});

	it('looks for an ID in the list at once where the service has a fault', async () => {
		await fixture.sandbox.clearRequests();
		await fixture.sandbox.addFault({ kind: 'serverError', path: '/1002$', times: 1 });
		expect(await toTheEnd('searchBots', '1002')).toMatchObject([{ value: '1002' }]);
		expect(await fixture.sandbox.requests({ path: '/1002$' })).toHaveLength(1);
	});

	it.each([
		['searchBots', '/v3/bots/1', { bot_id: '2', name: '1' }],
		['searchWorkflows', '/v2/workflow/get-workflow?workflow_id=1', { id: '2', name: '1' }],
		['searchWorkflowTemplates', `${TEMPLATE}=1`, { msg: 'Later' }],
	])('takes no other record for the one with an ID: %s', async (method, path, other) => {
		const service = nock('https://other.test');
		service.get(path).reply(200, other);
		service.get(/bots|list/).reply(200, { items: [] });
		expect(await ofOther().listSearch(method, '1')).toEqual({ results: [] });
	});

	it('finds a workflow template by its ID where its record does not tell it', async () => {
		nock('https://other.test').get(`${TEMPLATE}=2003`).reply(200, { name: 'Store Locator' });
		const { results } = await ofOther().listSearch('searchWorkflowTemplates', '2003');
		expect(results).toEqual([{ name: 'Store Locator', value: '2003' }]);
	});

	it('finds runs, tasks and browsers by their IDs', async () => {
		const { taskIds } = await fixture.sandbox.seedRuns({ count: 1, statuses: ['finished'] });
		const id = String(taskIds[0]);
		expect(await toTheEnd('searchRuns', id)).toMatchObject([{ value: id }]);
		expect(await toTheEnd('searchTasks', id)).toMatchObject([{ value: id }]);
		const [browser] = await toTheEnd('searchBrowsers', 'Marketplace');
		expect(browser?.name).toBe('Marketplace (stealth, grace-period)');
		expect(await toTheEnd('searchBrowsers', browser?.value.toString())).toEqual([browser]);
	});

	it('tells records of the same name apart by their IDs', async () => {
		const items = ['8801234', '7705678'].map((id) => ({ bot_id: id, name: 'Copy' }));
		items.push({ bot_id: '1', name: 'Original' });
		const { results } = await listed('searchBots', '/v3/bots', items);
		const names = results.map(({ name }) => name);
		expect(names).toEqual(['Copy (8801234)', 'Copy (7705678)', 'Original']);
	});
});

it('a list that cannot load says that the key is wrong', async () => {
	const methods = fixture.methods(undefined, { key: 'wrong' });
	const advice = /^Paste the API key again in the credential and save it; n8n then tests it\./;
	await expect(methods.listSearch('searchBots')).rejects.toMatchObject({
		message: expect.stringContaining('does not accept the API key'),
		description: expect.stringMatching(advice),
		// The editor would write it before the message, which names the service’s own code.
		httpCode: null,
	});
});

it('a list is not waited for as long as the service asks, but for half a minute at most', async () => {
	nock('https://other.test').get('/v3/bots').query(true).reply(429, {}, { 'Retry-After': '31' });
	await expect(ofOther().listSearch('searchBots')).rejects.toThrow('slow down');
});

it('lists proxy regions by name, as far as they have codes to be sent', async () => {
	const regions = [
		{ code: 'DE', name: 'Germany' },
		{ value: 'JP', name: 'Japan' },
		{ code: 'FR' },
		{ name: 'Nowhere' },
		{ code: '={{ 1 }}', name: 'An expression' },
	];
	nock('https://other.test').get('/v3/bots/regions').reply(200, regions);
	expect(await ofOther().loadOptions('getRegions')).toEqual([
		{ name: 'FR', value: 'FR' },
		{ name: 'Germany (DE)', value: 'DE' },
		{ name: 'Japan (JP)', value: 'JP' },
	]);
});
