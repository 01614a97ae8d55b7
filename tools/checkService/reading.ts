import { isObject, textAt, type JsonObject } from '../../dev/sandbox/json';
import { checkDetail, type Detail } from './agreement';
import { checkRun } from './runs';
import { checkList, entriesOf, LISTS } from './lists';
import { fieldsOf, type Service } from './service';

/** An ID that nothing has. */
const NOBODY = '999999999999999999';

/** Asks for everything that can be read, and changes nothing. */
export async function readAll(service: Service): Promise<void> {
	await checkAuthentication(service);
	const entries = new Map<string, JsonObject[]>();
	for (const list of LISTS) entries.set(list.operation, await checkList(service, list));
	for (const detail of DETAILS) {
		await checkDetail(service, detail, (entries.get(detail.list) ?? []).slice(0, FEW));
	}
	for (const run of oneOfEachStatus(entries.get('run.getAll') ?? [])) await checkRun(service, run);
	await checkSameIds(service, entries.get('bot.getAll') ?? []);
	await checkRegions(service);
	await checkBrowsers(service);
	await checkMissing(service);
}

/** How many entries of a list are read by themselves. */
const FEW = 3;

const DETAILS: readonly Detail[] = [
	{ list: 'bot.getAll', operation: 'bot.get', assumption: 'bot', id: 'bot_id', path: 'bot_id' },
	{
		list: 'template.getAll',
		operation: 'template.get',
		assumption: 'bot',
		id: 'template_id',
		path: 'template_id',
	},
	{
		list: 'workflow.getAll',
		operation: 'workflow.get',
		assumption: 'workflow',
		id: 'id',
		query: 'workflow_id',
	},
	{
		list: 'workflowTemplate.getAll',
		operation: 'workflowTemplate.get',
		assumption: 'workflow',
		id: 'templateId',
		query: 'workflow_template_id',
	},
];

function oneOfEachStatus(runs: JsonObject[]): JsonObject[] {
	return [...new Map(runs.map((run) => [run['status'], run])).values()];
}

async function checkAuthentication(service: Service): Promise<void> {
	await service.refused('no key', 'bot.getAll', [401], { key: null });
	await service.refused('a wrong key', 'bot.getAll', [401], { key: 'not-a-key' });
}

/** The IDs of V3's bots are those of V2's workflows, which need the same inputs. */
async function checkSameIds(service: Service, bots: JsonObject[]): Promise<void> {
	const bot = bots.find((entry) => entry['bot_type'] === 'workflow');
	const id = bot === undefined ? undefined : textAt(bot, 'bot_id');
	if (bot === undefined || id === undefined) {
		service.report.skip('Whether a bot’s ID is its workflow’s: there is no workflow bot');
		return;
	}
	const workflow = await service.read('workflow.get', 'sameIds', { query: { workflow_id: id } });
	if (!isObject(workflow)) return;
	const name = service.nameOf('workflow.get');
	if (workflow['name'] !== bot['name']) {
		service.report.differ(name, 'gives another than the bot', 'sameIds');
	}
	const detail = await service.read('bot.get', 'bot', { path: { bot_id: id } });
	const schema = isObject(detail) && isObject(detail['input_schema']) ? detail['input_schema'] : {};
	const needed = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
	const others = entriesOf(workflow['input_parameters']).filter(
		(input) => (input['default_enabled'] === false) !== needed.has(input['name']),
	);
	if (others.length > 0) {
		const what = 'has other inputs with `default_enabled: false` than the bot requires';
		service.report.differ(name, what, 'requiredInputs');
	}
}

async function checkRegions(service: Service): Promise<void> {
	const regions = entriesOf(await service.read('template.getRegions', 'regions'));
	const twins = entriesOf(await service.read('template.getRegions.v2', 'regions'));
	const codes = regions.map((region) => textAt(region, 'code') ?? '');
	if (codes.length === 0) service.report.skip('Regions: there are none');
	else if (!codes.every((code) => /^[A-Z]{2}$/.test(code))) {
		const name = service.nameOf('template.getRegions');
		service.report.differ(name, '`[].code` is not two capital letters', 'regions');
	} else if (twins.map((region) => textAt(region, 'code') ?? '').join() !== codes.join()) {
		const name = service.nameOf('template.getRegions.v2');
		service.report.differ(name, 'gives other codes than V3', 'regions');
	}
}

async function checkBrowsers(service: Service): Promise<void> {
	const name = service.nameOf('browser.getAll');
	const read = async (query: Record<string, string | number>): Promise<JsonObject[]> => {
		const body = await service.read('browser.getAll', 'browser', { query });
		const data = isObject(body) && isObject(body['data']) ? body['data'] : {};
		service.report.see('Fields of the list of browsers', fieldsOf(data));
		return Object.values(data).flatMap(entriesOf);
	};
	const [browser] = await read({});
	const active = await read({ status: 'active', limit: 2 });
	if (active.length > 2) service.report.differ(name, 'gives more than limit', 'limits');
	if (active.some(({ status }) => status !== undefined && status !== 'active')) {
		service.report.differ(name, 'by status gives entries that do not fit', 'browser');
	}
	const id = browser?.['id'];
	if (browser === undefined || id === undefined) {
		service.report.skip(
			`${service.nameOf('browser.get')}: the account has no browser with an \`id\``,
		);
		return;
	}
	service.report.see('Fields of a browser', fieldsOf(browser));
	await service.read('browser.get', 'browser', { path: { id: String(id) } });
}

async function checkMissing(service: Service): Promise<void> {
	const inPath = (name: string) => ({ path: { [name]: NOBODY } });
	const inQuery = (name: string) => ({ query: { [name]: NOBODY } });
	const missing = async (
		what: string,
		operation: string,
		codes: number[],
		question: { path?: Record<string, string>; query?: Record<string, string> },
	): Promise<void> =>
		await service.refused(`a ${what} that is not there`, operation, codes, question);
	await missing('bot', 'bot.get', [10111], inPath('bot_id'));
	await missing('template', 'template.get', [10110, 10176], inPath('template_id'));
	await missing('run', 'run.get', [10112], inPath('task_id'));
	await missing('run', 'run.getStatus', [10112], inPath('task_id'));
	await missing('task', 'task.get', [10112], inQuery('task_id'));
	await missing('task', 'task.getStatus', [10112], inQuery('task_id'));
	await missing('workflow', 'workflow.get', [], inQuery('workflow_id'));
	await missing('template', 'workflowTemplate.get', [], inQuery('workflow_template_id'));
	await missing('browser', 'browser.get', [], inPath('id'));
}
