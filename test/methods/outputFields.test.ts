import type { INodeParameters } from 'n8n-workflow';

import { RUN_FIELDS } from '../../nodes/BrowserAutomation/service/runs/runFields';
import type { FixedOutput } from '../../dev/sandbox/results';
import { ActionFixture, chosen, forAllTests } from '../fixture';
import { interceptNetwork } from '../interceptedNetwork';

const nock = interceptNetwork();

const fixture = forAllTests(new ActionFixture());

afterEach(async () => await fixture.sandbox.reset());

const BOT = '1011';
const RECORD = { credit: 1, data: { tags: ['x'] }, reviews: [{ stars: 5 }], '=x': [{ b: 1 }] };
const HITS = { type: 'object', properties: { hits: { type: 'array' } } };

async function give(output: unknown, outputSchema: FixedOutput['outputSchema'] = null) {
	await fixture.sandbox.setOutput({ bot: BOT, output, outputSchema });
}

const bot = (botId: string, further: INodeParameters = {}): INodeParameters => ({
	resource: 'bot',
	operation: 'run',
	botId: { __rl: true, mode: 'list', value: botId },
	...further,
});

async function seed(status: 'finished' | 'running'): Promise<string> {
	const seeds = { count: 1, bot: BOT, statuses: [status] };
	return (await fixture.sandbox.seedRuns(seeds)).taskIds[0] ?? '';
}

/** The names of the offered fields, those of the run as "…". */
async function fieldsFor(parameters: INodeParameters): Promise<string[]> {
	const fields = await fixture.methods(parameters).loadOptions('getOutputFields');
	const ofRun = fields.filter(({ name }) => name.endsWith(' (of the run)'));
	const own = fields.slice(0, -ofRun.length || undefined).map(({ value }) => String(value));
	if (ofRun.length === 0) return own;
	const others = RUN_FIELDS.filter((name) => !own.includes(name));
	expect(ofRun).toEqual(others.map((name) => ({ name: `${name} (of the run)`, value: name })));
	return [...own, '…'];
}

async function listsFor(parameters: INodeParameters, filter = ''): Promise<unknown[]> {
	const { results } = await fixture.methods(parameters).listSearch('searchRowLists', filter);
	return results.map(({ value }) => value);
}

const PRODUCT = 'position title price currency rating reviews in_stock seller url image_url'.split(
	' ',
);

describe('the fields of the output', () => {
	it('are those of the bot’s output schema, before it has ever run', async () => {
		expect(await fieldsFor(bot('1001'))).toEqual([...PRODUCT, '…']);
		expect(await listsFor(bot('1001'))).toEqual([]);
		expect(await fieldsFor(bot('1002'))).toEqual(['summary', 'leads', '…']);
		expect(await listsFor(bot('1002'))).toEqual(['leads']);
	});

	it('are found where the schema describes them elsewhere, or allows null in their place', async () => {
		const properties = { name: { type: 'string' }, boss: { $ref: '#/$defs/lead' } };
		const lead = { type: 'object', properties };
		const anyOf = [{ type: 'array', items: { $ref: '#/$defs/lead' } }, { type: 'null' }];
		const all = { type: 'object', properties: { leads: { anyOf }, summary: { type: 'string' } } };
		await give(null, { $ref: '#/$defs/all', $defs: { lead, all } });

		expect(await fieldsFor(bot(BOT))).toEqual(['leads', 'summary', '…']);
		expect(await listsFor(bot(BOT))).toEqual(['leads']);
		const rowsFrom = { __rl: true, mode: 'list', value: 'leads' };
		const fields = await fieldsFor(bot(BOT, { outputOptions: { rowsFrom } }));
		expect(fields).toEqual(['name', 'boss', 'summary', '…']);
	});

	it('are those of a row alone where rows are compared', async () => {
		const fields = await fixture.methods(bot('1001')).loadOptions('getRowFields');
		expect(fields.map(({ value }) => value)).toEqual(PRODUCT);
	});

	it('are those of the list that has the rows, and of the record around it', async () => {
		const rowsFrom = { __rl: true, mode: 'list', value: 'leads' };
		const fields = await fieldsFor(bot('1002', { outputOptions: { rowsFrom } }));
		expect(fields.slice(0, 2)).toEqual(['company', 'website']);
		expect(fields.slice(-2)).toEqual(['summary', '…']);
		const other = { outputOptions: { rowsFrom: 'nothing' } };
		expect(await fieldsFor(bot('1002', other))).toEqual(['summary', 'leads', '…']);
	});

	it.each([
		['has no schema', null],
		['has a schema that tells none', { type: 'object' }],
	])('are those of a finished run, where the bot %s', async (_, schema) => {
		await give(RECORD, schema);
		expect(await fieldsFor(bot(BOT))).toEqual(['…']);
		await seed('finished');
		await seed('running');
		await fixture.sandbox.seedRuns({ count: 1, bot: '1001' });
		expect(await fieldsFor(bot(BOT))).toEqual(['credit', 'data', 'reviews', '…']);
		expect(await listsFor(bot(BOT))).toEqual(['data.tags', 'reviews']);
		expect(await listsFor(bot(BOT), ' RÉV')).toEqual(['reviews']);
		const workflow = { resource: 'workflow', operation: 'run', workflowId: chosen(BOT) };
		expect(await listsFor(workflow)).toEqual(['data.tags', 'reviews']);
	});

	it('are those of the rows on a page of them', async () => {
		await give({ hits: [{ stars: 5 }], total: 1 });
		await seed('finished');
		expect(await fieldsFor(bot(BOT))).toEqual(['stars', 'total', '…']);
	});

	it.each([
		['run', 'finished', ['data.tags', 'reviews']],
		['task', 'finished', ['data.tags', 'reviews']],
		['run', 'running', ['hits']],
		['task', 'running', ['hits']],
	] as const)('of a chosen %s that is %s are %j', async (resource, status, lists) => {
		await give(RECORD, HITS);
		const taskId = chosen(await seed(status));
		expect(await listsFor({ resource, operation: 'get', taskId })).toEqual(lists);
	});

	it('of a template are those of its schema, if it has one', async () => {
		const parameters = { resource: 'template', operation: 'run', templateId: chosen('2001') };
		expect(await fieldsFor(parameters)).toEqual(['…']);
		nock('https://other.test')
			.get('/v3/bots/templates/2001')
			.reply(200, { template_id: '2001', output_schema: HITS });
		const methods = fixture.methods(parameters, { url: 'https://other.test' });
		expect((await methods.listSearch('searchRowLists')).results).toMatchObject([{ value: 'hits' }]);
	});

	it('of a run that has neither output nor bot are those of the run alone', async () => {
		nock('https://other.test').get('/v3/bots/runs/9').reply(200, { task_id: '9' });
		const parameters = { resource: 'run', operation: 'get', taskId: chosen('9') };
		const methods = fixture.methods(parameters, { url: 'https://other.test' });
		expect(await methods.listSearch('searchRowLists')).toEqual({ results: [] });
	});

	it.each([
		['nothing is chosen', bot('')],
		['an expression chooses', bot('={{ $json.bot }}')],
		['nobody tells', { resource: 'workflowTemplate', operation: 'run', templateId: chosen('1') }],
		['the output is text', bot('1008')],
	])('are those of the run alone where %s', async (_, parameters) => {
		await fixture.sandbox.seedRuns({ count: 1, bot: '1008' });
		expect(await fieldsFor(parameters)).toEqual(['…']);
		expect(await listsFor(parameters)).toEqual([]);
	});

	it('of a list of runs are those that runs of a list have', async () => {
		const fields = await fieldsFor({ resource: 'run', operation: 'getAll' });
		expect(fields).toContain('input');
		expect(fields).not.toContain('output');
	});

	it('are asked for by no ID that an expression left which found nothing', async () => {
		expect(await fieldsFor(bot('undefined'))).toEqual(['…']);
		expect(await fixture.sandbox.requests({ operation: 'bot.get' })).toEqual([]);
	});
});
