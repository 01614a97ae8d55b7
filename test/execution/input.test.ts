import { ActionFixture, apiCredential, chosen, forEachTest } from '../fixture';
import { toItems, type CredentialData } from '../core/harness';

const fixture = forEachTest(new ActionFixture());

const asked = async (operation: string): Promise<number> =>
	(await fixture.sandbox.requests({ operation })).length;

const startOnly = { waitForCompletion: 'none', options: {} };

/** An input as JSON, for a start that nothing waits for. */
const json = (input: string) => ({ inputMode: 'json', input, ...startOnly });

describe('the input of a run', () => {
	it('is the filled form, made into what the bot takes', async () => {
		const value = {
			industry: '={{ $json.industry }}',
			max_leads: '={{ $json.max }}',
			active_since: '={{ $now }}',
			job_titles: '["Founder"]',
			location: '{ "country": "DE" }',
			report_to: null,
		};
		const inputFields = { mappingMode: 'defineBelow', value, schema: [] };
		const parameters = { botId: chosen('1002'), inputFields, ...startOnly };
		const items = toItems({ industry: 'steel', max: '3' });
		const run = await fixture.run('bot', 'run', parameters, { items });
		expect(run.error).toBeUndefined();
		expect((await fixture.sandbox.runs())[0]?.input).toMatchObject({
			industry: 'steel',
			max_leads: 3,
			active_since: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/),
			job_titles: ['Founder'],
			location: { country: 'DE' },
		});
	});

	it.each(['constructor', '__proto__'])('is refused where n8n drops its field %s', async (id) => {
		const value = JSON.parse(`{ "keyword": "lamp", "${id}": "x" }`);
		const schema = [{ id, displayName: id, type: 'string', required: false, display: true }];
		const inputFields = { mappingMode: 'defineBelow', value, schema };
		for (const resource of ['bot', 'workflow']) {
			const parameters = { [`${resource}Id`]: chosen('1001'), inputFields, ...startOnly };
			const { error } = await fixture.run(resource, 'run', parameters);
			expect(error?.message).toBe(`'Input' has the field "${id}", of which n8n keeps no value`);
		}
		expect(await fixture.sandbox.runs()).toEqual([]);
	});

	it('is without the fields that were removed from the form, though their values are stored', async () => {
		const inputFields = {
			mappingMode: 'defineBelow',
			value: { keyword: 'lamp', currency: 'EUR', max_results: 7 },
			schema: ['currency', 'max_results', 'keyword'].map((id) => {
				const field = { id, displayName: id, required: true, display: true, defaultMatch: false };
				return { ...field, removed: id !== 'keyword' };
			}),
		};
		await fixture.run('bot', 'run', { botId: chosen('1001'), inputFields, ...startOnly });
		await fixture.run('workflow', 'run', { workflowId: chosen('1001'), inputFields, ...startOnly });
		const inputs = (await fixture.sandbox.runs()).map(({ input }) => input);
		const byDefault = { keyword: 'lamp', currency: 'USD', max_results: 10 };
		expect(inputs).toMatchObject([byDefault, byDefault]);
	});

	it.each([{ keyword: '' }, { keyword: '  ' }, {}])(
		'of a V2 workflow is refused where an expression leaves a required field empty: %j',
		async (item) => {
			const value = { keyword: '={{ $json.keyword }}', currency: '={{ $json.currency }}' };
			const needed = { keyword: true, currency: false, moreFields: true };
			const inputFields = {
				value,
				schema: Object.entries(needed).map(([id, required]) => ({ id, required, type: 'string' })),
			};
			const parameters = { workflowId: chosen('1001'), inputFields, ...startOnly };
			const run = async (json: { keyword?: string }) =>
				await fixture.run('workflow', 'run', parameters, { items: toItems(json) });
			const { error } = await run(item);
			expect(error?.message).toContain('The input does not fit: keyword is missing');
			expect(await fixture.sandbox.requests({ method: 'POST' })).toEqual([]);
			expect((await run({ keyword: 'lamp' })).error).toBeUndefined();
		},
	);

	it.each(['a 24" lamp', 'C:\\Users'])(
		'says how to write an expression whose value breaks its JSON, and takes it so: %j',
		async (keyword) => {
			const run = async (resource: string, input: string) => {
				const parameters = { [`${resource}Id`]: chosen('1001'), ...json(input) };
				return await fixture.run(resource, 'run', parameters, { items: toItems({ keyword }) });
			};
			for (const resource of ['bot', 'workflow']) {
				const { error } = await run(resource, '={ "keyword": "{{ $json.keyword }}" }');
				expect(error).toMatchObject({
					message: expect.stringContaining("'Input (JSON)' is not valid JSON"),
					description: expect.stringContaining('{{ JSON.stringify($json.x) }}'),
				});
				for (const input of [
					'={ "keyword": {{ JSON.stringify($json.keyword) }} }',
					'={{ { keyword: $json.keyword } }}',
				]) {
					expect((await run(resource, input)).error).toBeUndefined();
				}
			}
			const inputs = (await fixture.sandbox.runs()).map(({ input }) => input);
			expect(inputs).toMatchObject(Array(4).fill({ keyword }));
		},
	);

	it('is checked for every item before anything is started, with one read of the schema', async () => {
		const items = toItems(...Array.from({ length: 100 }, (_, n) => ({ n: n === 60 ? 'x' : n })));
		const input = '={{ { keyword: "lamp", max_results: $json.n + 1, colour: "red" } }}';
		const parameters = { botId: chosen('1001'), ...json(input) };
		const run = await fixture.run('bot', 'run', parameters, { items });
		expect(run.status).toBe('error');
		expect(run.error?.message).toContain('colour is not a known field');
		expect(await asked('bot.run')).toBe(0);
		expect(await asked('bot.get')).toBe(1);
	});

	it('holds up only its own item where the node goes on after failures', async () => {
		const parameters = { templateId: chosen('2003'), ...json('={{ $json.input }}') };
		const items = toItems({ input: {} }, { input: null }, { input: { brand: 'Lidl' } });
		const further = { items, onError: 'continueRegularOutput' } as const;
		const run = await fixture.run('template', 'run', parameters, further);
		expect(run.outputs[0]?.map(({ json: { error } }) => error)).toEqual([
			expect.stringMatching(/^The input does not fit: Brand \(brand\) is /),
			"'Input (JSON)' is null, not a JSON object",
			undefined,
		]);
		expect(await asked('template.run')).toBe(1);
	});

	it.each([
		['the text null', 'null', "'Input (JSON)' is null, not a JSON object"],
		['an expression without a result', '={{ $json.nothing }}', "'Input (JSON)' is null"],
		['a number that loses digits', '{ "id": 12345678901234567890 }', 'holds 12345678901234567890'],
		['a value that has lost digits', '={{ { id: 2 ** 64 } }}', 'holds 18446744073709552000'],
	])('never starts a run when it is %s', async (_, input, message) => {
		const parameters = { botId: chosen('1008'), ...json(input) };
		const run = await fixture.run('bot', 'run', parameters, { items: toItems({}, {}) });
		expect(run.error?.message).toContain(message);
		expect(run.error).toHaveProperty('context.itemIndex', 0);
		expect(await asked('bot.run')).toBe(0);
	});

	it('never starts a V2 task when it is null', async () => {
		const parameters = { workflowId: chosen('1001'), ...json('null') };
		const { error } = await fixture.run('workflow', 'run', parameters);
		expect(error?.message).toContain("'Input (JSON)' is neither an object nor a list");
		expect(await asked('workflow.run')).toBe(0);
	});

	it('is empty where its field was left alone', async () => {
		for (const untouched of [{}, { input: '{}' }, { input: '' }]) {
			const parameters = { botId: chosen('1008'), inputMode: 'json', ...untouched, ...startOnly };
			expect((await fixture.run('bot', 'run', parameters)).error).toBeUndefined();
		}
		expect((await fixture.sandbox.runs()).map(({ input }) => input)).toEqual([{}, {}, {}]);
	});

	it('is left to the service to check where its schema cannot be read', async () => {
		await fixture.sandbox.addFault({ kind: 'serverError', method: 'GET', path: '^/v3/bots/1001$' });
		const parameters = { botId: chosen('1001'), ...json('{ "keyword": "lamp" }') };
		const run = await fixture.run('bot', 'run', parameters);
		expect(run.error).toBeUndefined();
		expect(await asked('bot.get')).toBe(1);
		expect(await asked('bot.run')).toBe(1);
	});
});

describe('a form that was filled in before the bot’s form changed', () => {
	const inputFields = {
		mappingMode: 'defineBelow',
		value: { keyword: '={{ $json.keyword }}', max_results: 10, sort: 'newest' },
		// Nobody has touched the one that the form began with.
		schema: [{ id: 'sort', displayName: 'Sort', type: 'string', defaultValue: 'newest' }],
	};
	const changed = async (properties: object, required: string[] = [], further = startOnly) => {
		const inputSchema = { type: 'object', properties, required };
		await fixture.sandbox.addBot({ id: '4711', name: 'Changed', inputSchema });
		const parameters = { botId: chosen('4711'), inputFields, ...further };
		const items = toItems({ keyword: 'a' }, { keyword: 'b' });
		return await fixture.run('bot', 'run', parameters, { items });
	};

	it('sends what the bot no longer has, and says so once', async () => {
		const run = await changed({ keyword: { type: 'string' }, limit: { type: 'integer' } });
		expect(run.error).toBeUndefined();
		expect(run.hints.map(({ message }) => message)).toEqual([
			'The bot has no field &#39;max_results&#39; (any more); its value was sent but may be ignored.',
		]);
		const sent = (await fixture.sandbox.runs()).map(({ input }) => input);
		expect(sent).toEqual(['a', 'b'].map((keyword) => ({ keyword, max_results: 10 })));
		expect(await asked('bot.get')).toBe(1);
	});

	it('starts nothing where the bot asks for something else now', async () => {
		const { error } = await changed({ term: { title: 'Search term' } }, ['term']);
		expect(error?.message).toContain(
			"The bot’s form has changed: it now asks for 'Search term'; this node still fills in 'keyword', 'max_results'.",
		);
		const advice = /^Open this node to see the new form\. .* No run was started/;
		expect(error?.description).toMatch(advice);
		expect(await fixture.sandbox.runs()).toEqual([]);
	});
});

describe('the schema of the input', () => {
	const run = async (input: object, mode: 'trigger' | 'manual', credentials?: CredentialData) => {
		const parameters = { botId: chosen('1001'), ...json(JSON.stringify(input)) };
		const how = { mode, ...(credentials && { credentials }) };
		return await fixture.run('bot', 'run', parameters, how);
	};

	it('is shared by executions of an active workflow that begin together', async () => {
		const now = Date.now();
		const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
		await Promise.all(['a', 'b', 'c'].map(async (keyword) => await run({ keyword }, 'trigger')));
		clock.mockRestore();
		expect(await asked('bot.run')).toBe(3);
		expect(await asked('bot.get')).toBe(1);
	});

	it('is read with each account’s own key', async () => {
		const key = 'another-account';
		await fixture.sandbox.setKey({ key });
		await run({ keyword: 'a' }, 'trigger');
		await run({ keyword: 'a' }, 'trigger', apiCredential({ url: fixture.sandbox.url, key }));

		const requests = await fixture.sandbox.requests({ operation: 'bot.get' });
		expect(requests.map((request) => request.key)).toEqual([fixture.sandbox.key, key]);
	});

	it.each([
		['by what begins later, so that no input is held against an old one', 'trigger', 2_000],
		['in each test that a user makes in the editor', 'manual', 0],
	] as const)('is read anew %s', async (_, mode, laterMs) => {
		await run({ keyword: 'a' }, mode);
		const now = Date.now();
		const clock = jest.spyOn(Date, 'now').mockImplementation(() => now + laterMs);
		await run({ keyword: 'a' }, mode);
		clock.mockRestore();
		expect(await asked('bot.get')).toBe(2);
	});
});

describe('an option whose expression finds nothing', () => {
	it.each([
		['limits', 'maxRuns', "'Max Runs per Execution' is not a whole number from 1"],
		['files', 'downloadFiles', "Nothing is chosen under 'Download Files'"],
	])('is not taken for one that was left out: %s, %s', async (group, name, message) => {
		const parameters = { botId: chosen('1001'), ...json('{ "keyword": "lamp" }') };
		for (const items of [toItems({}), toItems({ it: null })]) {
			const option = { [group]: { [name]: '={{ $json.it }}' } };
			const set = { ...parameters, waitForCompletion: 'poll', ...option };
			expect((await fixture.run('bot', 'run', set, { items })).error?.message).toBe(message);
		}
		expect(await fixture.sandbox.runs()).toEqual([]);
	});
});
