import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeParameters, ResourceMapperField } from 'n8n-workflow';

import type { NodeMethods } from '../core/harness';
import { ACTION, ActionFixture, apiCredential, chosen, forAllTests, TOOL } from '../fixture';
import { interceptNetwork } from '../interceptedNetwork';

const nock = interceptNetwork();

const fixture = forAllTests(new ActionFixture());
const bot = (value: string): INodeParameters => ({
	resource: 'bot',
	operation: 'run',
	botId: { __rl: true, mode: 'list', value },
});

async function formOf(parameters: INodeParameters): Promise<ResourceMapperField[]> {
	const { fields } = await fixture.methods(parameters).resourceMapping('getInputFields');
	return fields;
}

async function noticeOf(parameters: INodeParameters): Promise<string | undefined> {
	const form = await fixture.methods(parameters).resourceMapping('getInputFields');
	expect(form.fields).toEqual([]);
	return form.emptyFieldsNotice;
}

/** The methods of a node whose bot has this record, which no bot of the sandbox has. */
function methodsFor(record: object, nodeType = ACTION): NodeMethods {
	nock('https://other.test')
		.get('/v3/bots/7')
		.reply(200, { bot_id: '7', ...record });
	const credentials = apiCredential({ url: 'https://other.test', key: 'key' });
	return fixture.harness.methods({ nodeType, parameters: bot('7'), credentials });
}

/** The form for a schema that no bot of the sandbox has. */
async function formFor(
	properties: object,
	required: string[] = [],
	nodeType = ACTION,
): Promise<ResourceMapperField[]> {
	const methods = methodsFor({ input_schema: { type: 'object', properties, required } }, nodeType);
	return (await methods.resourceMapping('getInputFields')).fields;
}

describe('the input form', () => {
	it.each(['01-run-a-bot-and-get-rows', '09-tell-me-only-what-is-new', '10-rows-into-a-table'])(
		'is stored in example %s as the demo’s bot has it, so that n8n has nothing to tell when it is opened',
		async (name) => {
			const example = readFileSync(join(__dirname, `../../examples/${name}.json`), 'utf8');
			for (const field of await formOf(bot('1001'))) {
				const stored = JSON.stringify(field).replaceAll(/\s+/g, '');
				expect(example.replaceAll(/\s+/g, '')).toContain(stored);
			}
		},
	);

	it('has the right field for every kind of input', async () => {
		const fields = await formOf(bot('1002'));
		expect(Object.fromEntries(fields.map(({ id, type }) => [id, type]))).toEqual({
			industry: 'string',
			max_leads: 'number',
			min_score: 'number',
			verified_only: 'boolean',
			company_size: 'options',
			active_since: 'dateTime',
			founded_after: 'dateTime',
			report_to: 'string',
			job_titles: 'array',
			location: 'object',
			budget: 'string',
		});
	});

	it.each([
		['work out with the workflow’s data', '={{ 1 }}', [' ={{ 1 }}', '[\n  "={{ 1 }}"\n]']],
		['take for an argument of a model', "$fromAI('key')", ["$ fromAI('key')"]],
	])('begins with nothing that n8n would %s, nor offers it', async (_, leak, shown) => {
		const fields = await formFor({
			text: { type: 'string', title: leak, default: leak },
			fixed: { const: leak },
			any: { default: leak },
			choice: { oneOf: [{ const: leak }, { const: 'a', title: leak }, { const: '=' }] },
			list: { type: 'array', default: [leak] },
		});
		const texts = [];
		for (const { displayName, defaultValue, options = [] } of fields) {
			texts.push(displayName, String(defaultValue ?? ''));
			for (const { name, value } of options) texts.push(name, String(value));
		}
		expect(fields).toHaveLength(5);
		expect(texts.filter((text) => /^=|\$fromAI/.test(text))).toEqual([]);
		expect(texts).toEqual(expect.arrayContaining([...shown, 'a']));
	});

	it('starts with a default as its field takes it, and lists and objects as empty ones, of which it tells untouched ones', async () => {
		const properties = {
			number: { type: 'integer', default: 5 },
			text: { type: 'string', default: { a: 1 } },
			nothing: { const: null },
			object: { type: 'object', default: { a: 1 } },
			any: { default: 'five' },
			whole: { default: [1] },
			tags: { type: 'array' },
			at: { type: 'object' },
			ids: { type: 'array' },
			maybe: { anyOf: [{ type: 'boolean' }, { type: 'null' }], default: null },
			sure: { type: 'boolean' },
		};
		const fields = await formFor(properties, ['ids', 'sure']);
		expect(fields.map(({ id, defaultValue }) => [id, defaultValue])).toEqual([
			['number', 5],
			...['text', 'nothing'].map((id) => [id, undefined]),
			['object', '{\n  "a": 1\n}'],
			['any', 'five'],
			['whole', '[1]'],
			['tags', '[ ]'],
			['at', '{ }'],
			['ids', '[]'],
			['maybe', undefined],
			['sure', undefined],
		]);
	});

	it('has one field for what can be none, which names it', async () => {
		const names = ['={{ 1 }}', 'keyword', 'constructor', '$fromAI('];
		const fields = await formFor(Object.fromEntries(names.map((name) => [name, true])));
		const displayName = 'More fields (JSON object): "={{ 1 }}", "constructor", "$ fromAI("';
		expect(fields).toMatchObject([
			{ id: 'keyword', type: 'string' },
			{ id: 'moreFields', displayName, type: 'object', defaultValue: '{ }' },
		]);
	});

	it('names to a model as many choices as fit into the name of its argument, and how many more there are', async () => {
		const countries = 'Austria Belgium Bulgaria Denmark Finland Greece Hungary Ireland'.split(' ');
		const properties = {
			country: { title: 'Country of use', enum: countries, default: 'Austria' },
			wide: { title: 'Width', enum: ['w'.repeat(70), 'narrow'] },
		};
		const fields = await formFor(properties, [], TOOL);
		const displayName = 'Country of use (Austria, Belgium, Bulgaria, Denmark and 4 more)';
		expect(fields).toMatchObject([
			{ displayName, type: 'string', defaultValue: 'Austria' },
			{ displayName: 'Width' },
		]);
	});

	it('is that of the template where a template is run', async () => {
		const ids = { templateId: chosen('2003'), botId: chosen('1001') };
		const fields = await formOf({ resource: 'template', operation: 'run', ...ids });
		expect(fields.map(({ id }) => id)).toEqual(['brand']);
	});

	it.each([
		['workflow', { workflowId: chosen('1001') }],
		['workflowTemplate', { templateId: chosen('2001') }],
	])('has a text for each name that a %s of V2 tells', async (resource, subject) => {
		const fields = await formOf({ resource, operation: 'run', ...subject });
		const shown = fields.map(({ id, type, required }) => [id, type, required]);
		expect(shown).toContainEqual(['keyword', 'string', true]);
		expect(shown).toContainEqual(['max_results', 'string', false]);
	});

	it.each([
		[[{ name: 'keyword' }, {}], ['keyword']],
		[undefined, []],
	])('is made of what V2 tells of inputs, be it little: %j', async (inputs, names) => {
		nock('https://other.test')
			.get('/v2/workflow/get-workflow?workflow_id=7')
			.reply(200, { id: '7', input_parameters: inputs });
		const parameters = { resource: 'workflow', operation: 'run', workflowId: chosen('7') };
		const methods = fixture.methods(parameters, { url: 'https://other.test' });
		const { fields } = await methods.resourceMapping('getInputFields');
		expect(fields.map(({ id }) => id)).toEqual(names);
		// Only what V2 says to have no default is needed.
		expect(fields.filter(({ required }) => required)).toEqual([]);
	});
});

describe('where there are no fields', () => {
	it.each([
		['nothing is chosen', bot(''), 'Choose a bot above'],
		['an expression found nothing', bot('undefined'), '&#34;undefined&#34;, which is not an ID'],
		['the bot needs no input', bot('1008'), 'needs no input'],
		['the bot is not published', bot('1005'), 'is not published, so it cannot run'],
	])('says why: %s', async (_, parameters, words) => {
		expect(await noticeOf(parameters)).toContain(words);
	});

	it.each([
		['has no names', { type: 'object' }, 'has no input fields'],
		[
			'has names that fit a pattern',
			{ type: 'object', additionalProperties: false, patternProperties: { '^x': {} } },
			"choose 'Using JSON'",
		],
		['is no object', { type: 'array' }, "choose 'Using JSON'"],
		['leads back to itself', { allOf: Array(5).fill({ $ref: '#' }) }, "choose 'Using JSON'"],
	])('offers JSON for an input that %s', async (_, schema, words) => {
		const form = await methodsFor({ input_schema: schema }).resourceMapping('getInputFields');
		expect(form.fields).toEqual([]);
		expect(form.emptyFieldsNotice?.toLowerCase()).toContain(words.toLowerCase());
	});

	it('says what went wrong, and what to do', async () => {
		expect(await noticeOf(bot('9999'))).toMatch(
			/^The bot does not exist in this account \(code 10111\)\. The credential is &#34;.*&#34;\. Choose/,
		);
	});
});

/** A node whose form for a bot was filled in. */
function filled(
	id: string,
	value: Record<string, string | number>,
	schema: ResourceMapperField[],
): INodeParameters {
	const form = { mappingMode: 'defineBelow', matchingColumns: [], value, schema };
	const conversion = { attemptToConvertTypes: false, convertFieldsToString: false };
	return { ...bot(id), inputFields: { ...form, ...conversion } };
}

describe('a form that was filled in stays, below a field that says why it cannot be read', () => {
	it.each([
		['1005', 'is not published'],
		['9999', 'The bot does not exist in this account'],
	])('as of bot %s: %s', async (id, words) => {
		const form = await formOf(bot('1001'));
		const shown = await formOf(filled(id, { keyword: 'chair' }, form));
		const displayName = expect.stringContaining(words);
		expect(shown).toEqual([
			expect.objectContaining({ displayName, required: false, readOnly: true }),
			...form,
		]);
		expect(await formOf(filled(id, { keyword: 'chair' }, shown))).toEqual(shown);
	});

	it('alone where the service cannot be reached for a while', async () => {
		const url = 'https://other.test';
		nock(url).get('/v3/bots/1001').times(4).reply(503);
		const parameters = filled('1001', { keyword: 'chair' }, await formOf(bot('1001')));
		const form = fixture.methods(parameters, { url });
		await expect(form.resourceMapping('getInputFields')).rejects.toThrow('HTTP 503');
	});
});

describe('a form of a bot that has changed since', () => {
	const fieldOf = (id: string, more: Partial<ResourceMapperField> = {}): ResourceMapperField => ({
		...{ id, displayName: id, type: 'string', required: true, display: true, defaultMatch: false },
		...more,
	});

	it('keeps what was filled in and the bot has no more, above what the bot asks for now', async () => {
		const now = await formOf(bot('1001'));
		const before = [fieldOf('search'), fieldOf('keyword'), fieldOf('pages', { type: 'number' })];
		const value = { search: '={{ $json.term }}', keyword: 'lamp', pages: 0 };
		const shown = await formOf(filled('1001', value, before));
		const gone = { required: false, removed: false };
		const displayName = 'No longer asked for: search';
		expect(shown).toEqual([
			expect.objectContaining({ id: 'search', displayName, ...gone }),
			expect.objectContaining({ id: 'pages', type: 'number', ...gone }),
			...now,
		]);
		expect(await formOf(filled('1001', value, shown))).toEqual(shown);
	});

	it('has nothing more of what was left alone, emptied or removed', async () => {
		const now = await formOf(bot('1001'));
		const before = [
			fieldOf('empty'),
			fieldOf('untouched', { defaultValue: 10 }),
			fieldOf('removed', { removed: true }),
			fieldOf('never'),
		];
		const value = { empty: '', untouched: 10, removed: 'a' };
		expect(await formOf(filled('1001', value, before))).toEqual(now);
	});
});

describe('the example beside the JSON', () => {
	const noteOf = async (methods: NodeMethods): Promise<string> => {
		const example = await methods.resourceMapping('getInputExample');
		expect(example.fields).toEqual([]);
		return example.emptyFieldsNotice ?? '';
	};
	const exampleFor = async (parameters: INodeParameters) =>
		await noteOf(fixture.methods(parameters));

	it('has what is required and the defaults, and names the rest', async () => {
		const example = await exampleFor(bot('1001'));
		expect(example).not.toContain('Further');
		const json = /<pre>(.*)<\/pre>/s.exec(example)?.[1]?.replaceAll('&#34;', '"') ?? '';
		expect(JSON.parse(json)).toEqual({
			keyword: 'wireless headphones',
			max_results: 10,
			url: 'https://shop.example.com',
			currency: 'USD',
		});
		expect(await exampleFor(bot('1002'))).toContain('Further fields: active_since');
	});

	it('takes along what the form was filled with', async () => {
		const inputFields = { mappingMode: 'defineBelow', value: { keyword: 'chair', max_results: 3 } };
		const example = await exampleFor({ ...bot('1001'), inputFields });
		expect(example).toContain('&#34;keyword&#34;: &#34;chair&#34;');
		expect(example).toContain('&#34;max_results&#34;: 3');
		expect(example).toMatch(/^The values of the form, and made-up ones for what is left empty\./);
		expect(await exampleFor(bot('1001'))).toMatch(/^Made-up values for this bot\./);
	});

	it('holds no HTML of the bot’s author', async () => {
		const properties = { '<img src=x>': { default: '<b>&' }, '<i>': {} };
		const example = await noteOf(methodsFor({ input_schema: { properties } }));
		expect(example).toContain('&#60;img src=x&#62;');
		expect(example).not.toMatch(/<(img|b|i)\b/);
	});

	it.each([
		['nothing is chosen', bot(''), 'Choose a bot above'],
		['there is no such bot', bot('9999'), 'No example: The bot does not exist'],
		['the bot shows no schema', bot('1005'), 'No example can be made for this bot'],
	])('never stands in the way of the JSON: %s', async (_, parameters, words) => {
		expect(await exampleFor(parameters)).toContain(words);
	});

	it('is not shown where it is very long', async () => {
		const properties = { text: { default: 'x'.repeat(6_000) } };
		expect(await noteOf(methodsFor({ input_schema: { properties } }))).toContain('too long');
	});
});
