import fc from 'fast-check';
import { isSafeObjectProperty, type ResourceMapperField } from 'n8n-workflow';

import { forModel } from '../../nodes/BrowserAutomation/methods/argumentNames';
import { MORE_FIELDS, readForm } from '../../nodes/BrowserAutomation/service/schema/form';
import { toItems } from '../core/harness';
import { ActionFixture, actionNode, apiCredential, chosen, forAllTests, TOOL } from '../fixture';
import { attempts } from '../randomValues';

const fixture = forAllTests(new ActionFixture({ service: { durations: { running: 0 } } }));

/** The argument by which a model fills in a field, as the button in n8n's editor names it (1.123 and 2.41: `fromAIOverride.utils.ts`). */
function argumentOf({ id, displayName }: Pick<ResourceMapperField, 'id' | 'displayName'>): string {
	const steps = `parameters.inputFields.value["${id}"]`.split('.');
	const counted = steps.filter((step) => /\[\d+\]/.test(step));
	const name = [...counted.map((step) => step.replaceAll(/[[\]]/g, '')), displayName].join('_');
	const cut = counted.length > 1 ? name.slice(-63) : name.slice(0, 63);
	return cut.replace(/[^a-zA-Z0-9-]/g, '_');
}

let bots = 0;

/** Adds a bot that takes these, and gives its input back. */
async function addBot(properties: object): Promise<string> {
	const id = `${(bots += 1)}00001`;
	const inputSchema = { type: 'object', properties: JSON.parse(JSON.stringify(properties)) };
	await fixture.sandbox.addBot({ id, name: 'Bot', inputSchema });
	return id;
}

async function formOf(botId: string): Promise<ResourceMapperField[]> {
	const { url, key } = fixture.sandbox;
	const parameters = { resource: 'bot', operation: 'run', botId: chosen(botId) };
	const credentials = apiCredential({ url, key });
	const methods = fixture.harness.methods({ nodeType: TOOL, parameters, credentials });
	return (await methods.resourceMapping('getInputFields')).fields;
}

const labelsOf = async (properties: object): Promise<string[]> =>
	(await formOf(await addBot(properties))).map(({ displayName }) => displayName);

describe('a field of a tool that the model fills in', () => {
	it.each<[string, object, string[], string[]]>([
		[
			'titles in Chinese',
			{ keyword: { title: '关键词' }, region: { title: '国家名' } },
			['关键词 (keyword)', '国家名 (region)'],
			['_____keyword_', '_____region_'],
		],
		['a title with few such letters', { size: { title: 'Größe' } }, ['Größe'], ['Gr__e']],
		[
			'the same title',
			{ from: { title: 'Date' }, to: { title: 'Date' }, on: { title: 'Day' } },
			['Date (from)', 'Date (to)', 'Day'],
			['Date__from_', 'Date__to_', 'Day'],
		],
		['one name in Russian', { запрос: {} }, ['запрос'], ['______']],
		['a name that n8n refuses', { arguments: {} }, ['arguments (b192)'], ['arguments__b192_']],
	])('has an argument that n8n can name: %s', async (_, properties, labels, names) => {
		const form = await formOf(await addBot(properties));
		expect(form.map(({ displayName }) => displayName)).toEqual(labels);
		expect(form.map(argumentOf)).toEqual(names);
	});

	it('has an argument of its own, whatever follows from the other fields', async () => {
		const [query, region] = await labelsOf({ запрос: {}, регион: {} });
		expect(query).toMatch(/^запрос \([\da-f]{4}\)$/);
		expect(region).toMatch(/^регион \([\da-f]{4}\)$/);
		expect(await labelsOf({ другое: {}, регион: {}, запрос: {} })).toEqual([
			...[expect.any(String), region, query],
		]);
	});

	/** Letters that n8n keeps, drops, or that take two places; and what a name may hold. */
	const letter = fc.constantFrom(...'aB1-_ .关键词запросßüİéא🔎=$"\'`(){}\\[0]\u0301\u200d');
	const word = fc.string({ unit: letter, maxLength: 8 });
	const begun = fc.tuple(fc.constantFrom('词'.repeat(70), 'x'.repeat(70)), word);
	const known = fc.constantFrom('arguments', 'caller', 'query', '$fromAI(', "$fromAI('x')");
	const text = fc.oneof(word, known, begun.map(String));
	const title = fc.record({ title: text }, { requiredKeys: [] });
	const kind = fc.constantFrom({ type: 'string' }, { type: 'integer' }, { enum: ['一', '二'] });
	const titled = fc.tuple(title, kind).map(([of, as]) => ({ ...of, ...as }));

	it('has an argument of its own, whatever titles and names there are', () => {
		fc.assert(
			fc.property(fc.dictionary(text, titled, { maxKeys: 12 }), (properties) => {
				const form = forModel(readForm(JSON.parse(JSON.stringify({ properties }))) ?? []);
				const names = form.map(({ name, label }) => argumentOf({ id: name, displayName: label }));
				expect(new Set(names).size).toBe(names.length);
				expect(names.filter((name) => !isSafeObjectProperty(name))).toEqual([]);
				expect(names.filter((name) => !/^[\w-]{1,63}$/.test(name))).toEqual([]);
			}),
			attempts(500),
		);
	});

	it('gets what the model has for it, whatever titles and names there are', async () => {
		await fc.assert(
			fc.asyncProperty(fc.dictionary(text, title, { maxKeys: 6 }), async (properties) => {
				const botId = await addBot(properties);
				const schema = (await formOf(botId)).filter(({ id }) => id !== MORE_FIELDS);
				const given = schema.map((field, index) => [argumentOf(field), `text ${index}`] as const);
				const value = schema.map((field) => [field.id, `={{ $fromAI('${argumentOf(field)}') }}`]);
				const form = { mappingMode: 'defineBelow', value: Object.fromEntries(value), schema };
				const set = { botId: chosen(botId), inputFields: form, waitForCompletion: 'none' };
				const items = toItems(Object.fromEntries(given));
				const tool = actionNode('bot', 'run', JSON.parse(JSON.stringify(set)), { items });
				expect((await fixture.harness.runAsTool(tool)).error).toBeUndefined();
				const [run] = (await fixture.sandbox.runs()).slice(-1);
				const arrived = schema.map(({ id }, index) => [id, `text ${index}`]);
				expect(run?.input).toEqual(Object.fromEntries(arrived));
			}),
			attempts(15),
		);
	});
});
