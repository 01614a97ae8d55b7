import { InputError } from '../../nodes/BrowserAutomation/service/errors';
import { RESULT } from '../../nodes/BrowserAutomation/fields/output';
import { CALLBACK_TRIGGER_FIELDS, POLLING } from '../../nodes/BrowserAutomation/fields/triggers';
import { loadDocument } from '../../dev/sandbox/document';
import {
	IN_WORKFLOW,
	nodeOperations,
	requestsOf,
	valuesFrom,
	type NamedOperation,
	type RawParameters,
} from './operations';

function named(name: string): NamedOperation {
	const found = nodeOperations.find((operation) => operation.name === name);
	if (found === undefined) throw new Error(`There is no ${name}`);
	return found;
}

/** A moment as n8n's expressions give it. */
const luxon = { toISO: () => '2026-01-31T10:00:00.000+01:00' };

describe('what the interface does not allow is refused before a request', () => {
	const refused: Array<[name: string, raw: RawParameters, message: RegExp]> = [
		['bot.getAll', { limit: 0 }, /^'Limit'/],
		['bot.getAll', { limit: 1.5 }, /^'Limit'/],
		['template.getAll', { filters: { keyword: 'x'.repeat(201) } }, /^'Keyword' is longer/],
		['run.getAll', { filters: { status: 'unknown' } }, /^'Status' is "unknown"/],
		['run.getAll', { filters: { createdAtFrom: 'yesterday' } }, /^'Created From'/],
		['task.getAll', { filters: { createdAtTo: '31.1.2026' } }, /^'Created To'/],
		['run.cancel', { taskId: '1', options: { bizCode: 2 ** 31 } }, /^'Business Code'/],
		['task.stop', { taskId: '1', options: { bizCode: -(2 ** 31) - 1 } }, /^'Business Code'/],
		['task.stop', { taskId: '1', options: { bizCode: 0.5 } }, /^'Business Code'/],
		['bot.get', { botId: '' }, /^'Bot' is missing/],
		['bot.get', { botId: '..' }, /is not an ID/],
		['bot.get', { botId: 'runs' }, /^'Bot' is "runs", which is not the ID of a bot/],
		['bot.get', { botId: 2 ** 53 }, /not exact/],
		['bot.get', { botId: { id: 1 } }, /^'Bot' is an object/],
		['bot.get', { botId: ['1'] }, /^'Bot' is a list, not text/],
		['bot.get', { botId: true }, /^'Bot' is a boolean, not text/],
		['bot.get', { botId: `${'1'.repeat(50)}\n2` }, /^'Bot' is "1{40}", which is not an ID$/],
		['bot.getAll', { filters: { keyword: '\ud83d' } }, /^'Keyword' holds half a character/],
		['workflow.get', { workflowId: ' ' }, /^'Workflow' is missing/],
		['task.wait', { taskId: undefined }, /^'Task' is missing/],
		['humanAssist.complete', { uuid: '' }, /^'Session UUID' is missing/],
		['publicCli.createApiKeySession', { machineId: null }, /^'Machine ID' is missing/],
		['staticProxy.rename', { staticProxyId: '9223372036854775808' }, /^'Static Proxy ID'/],
		['staticProxy.rename', { staticProxyId: `a${'👍'.repeat(30)}` }, /^'Stat.* is "a(👍){19}"/u],
	];

	it.each(refused)('by %s for %j', async (name, raw, message) => {
		const asked = requestsOf(named(name), raw);
		await expect(asked).rejects.toThrow(InputError);
		await expect(asked).rejects.toThrow(message);
	});
});

/** The fields of the action node, and those that say of which events a trigger tells. */
const fields = [...nodeOperations.flatMap(({ operation }) => operation.fields), ...POLLING.fields];

describe('a value of which a field knows nothing is refused', () => {
	const ODD: Partial<Record<string, unknown[]>> = {
		boolean: ['perhaps', 2],
		multiOptions: ['no such choice', ['no such choice'], 2, null, { toString: 1 }],
		number: ['soon', '', ' ', null, NaN, true],
		options: ['no such choice', 2, true, ['raw']],
	};
	const known = fields.filter(({ parameter: { type, typeOptions } }) => {
		return type in ODD && typeOptions?.loadOptionsMethod === undefined;
	});
	const byName = new Map(known.map((field) => [field.name, field]));

	it.each([...byName])('by %s', (_, { parameter: { type, displayName }, read }) => {
		for (const raw of ODD[type] ?? []) {
			const reading = (): unknown => read(raw, IN_WORKFLOW);
			expect(reading).toThrow(InputError);
			expect(reading).toThrow(displayName);
		}
	});

	it.each([
		['waitLimit', 'Wait Limit (Hours)', 0],
		['waitLimit', 'Wait Limit (Hours)', -1],
		['lookBack', 'Look Back (Hours)', -1],
	])('by %s, as %s: %j', (name, title, raw) => {
		const reading = (): unknown => byName.get(name)?.read(raw, IN_WORKFLOW);
		expect(reading).toThrow(`'${title}' is not a number above 0`);
	});

	it('in every field with choices, in every switch and every number', () => {
		expect([...byName.keys()]).toEqual(expect.arrayContaining(['output', 'returnAll', 'limit']));
		expect(byName.size).toBeGreaterThan(25);
	});
});

it('what an expression leaves that found nothing is no ID, in any field that takes one', () => {
	const idFields = [
		...nodeOperations.flatMap(({ operation }) => operation.fields),
		...CALLBACK_TRIGGER_FIELDS,
	].filter(({ name }) => /^(bot|uuid)$|Id$/.test(name));
	expect([...new Set(idFields.map(({ name }) => name))].sort()).toEqual([
		...['bot', 'botId', 'browserId', 'machineId', 'profileId', 'requestId', 'staticProxyId'],
		...['taskId', 'templateId', 'uuid', 'workflowId'],
	]);
	const odd = ['undefined', 'null', 'NaN', '[object Object]', ' undefined ', '12\u00003', '1\n2'];
	for (const { parameter, read } of idFields) {
		for (const text of odd) {
			const reading = (): unknown => read(text, IN_WORKFLOW);
			expect(reading).toThrow(InputError);
			expect(reading).toThrow(new RegExp(`^'${parameter.displayName}' is .*, which is not an ID$`));
		}
	}
});

describe('a body that has to be there', () => {
	it('is not sent while it is empty', async () => {
		const { operations } = await loadDocument();
		const withBody = nodeOperations.flatMap(({ name, operation }) => {
			const body = operation.fields.find((field) => field.name === 'body');
			const asked = operations.find(({ operationId }) => operationId === name)?.requestBody;
			const isRequired = asked !== undefined && 'required' in asked && asked.required === true;
			return body === undefined ? [] : [{ name, body, isRequired }];
		});
		expect(withBody.filter(({ isRequired }) => isRequired)).toHaveLength(14);
		for (const { name, body, isRequired } of withBody) {
			for (const raw of ['{}', {}, '', undefined, ' { } ']) {
				const reading = (): unknown => body.read(raw, IN_WORKFLOW);
				if (isRequired) expect(reading).toThrow("'Body (JSON)' is empty");
				else
					expect([name, reading()]).toEqual([name, name === 'cliService.request' ? reading() : {}]);
			}
			expect([name, body.parameter.required ?? false]).toEqual([name, isRequired]);
		}
	});

	it('may begin with a byte order mark', async () => {
		const body = '\ufeff{ "quantity": 2 }';
		const [request] = await requestsOf(named('accessGrant.createBrowserPurchase'), { body });
		expect(request?.body).toEqual({ quantity: 2 });
	});
});

it.each(['raw', 'simplified'])('options for rows do not count where the output is %s', (output) => {
	const outputOptions = { rowsFrom: 'items', includeBeside: true, onlyNewRows: 'all' };
	const settings = RESULT.read(valuesFrom({ output, outputOptions }));
	const others = { files: undefined, includeInput: false, includeInputFiles: false };
	expect(settings).toEqual({ output, ...others });
});

it('selected fields of rows bring no others with them', () => {
	const outputOptions = { rowsFrom: 'items', includeBeside: true };
	const given = { output: 'selected', fieldNames: ['a'], outputOptions };
	const settings = RESULT.read(valuesFrom(given));
	expect(settings).toMatchObject({ output: 'selected', rowsFrom: 'items', fields: ['a'] });
	expect(settings).not.toHaveProperty('includeBeside');
});

describe('what it allows is sent in its own form', () => {
	it.each([
		['2026-01-31', '2026-01-31T00:00:00.000Z'],
		['2026-01-31 09:00', '2026-01-31T09:00:00.000Z'],
		['2026-01-31T10:00:00+01:00', '2026-01-31T09:00:00.000Z'],
		[new Date(0), '1970-01-01T00:00:00.000Z'],
		[luxon, '2026-01-31T09:00:00.000Z'],
	])('the moment %p as %s', async (createdAtFrom, sent) => {
		const raw = { limit: 1, filters: { createdAtFrom } };
		for (const name of ['run.getAll', 'task.getAll']) {
			const [request] = await requestsOf(named(name), raw);
			expect(request?.query).toMatchObject({ created_at_from: sent });
		}
	});

	it.each([
		['bot.getAll', 100],
		['template.getAll', 500],
		['browser.getAll', 20],
	])('Return All of %s in pages of %i', async (name, limit) => {
		const requests = await requestsOf(named(name), { returnAll: true });
		expect(requests[0]?.query).toMatchObject({ page: 1, limit });
	});

	it.each([
		['limit', '7', 7],
		['bizCode', 2 ** 31 - 1, 2 ** 31 - 1],
		['waitLimit', 0.5, 1_800_000],
		['cancelAfter', '2', 120_000],
		['maxFileSize', 1.5, 1_572_864],
		['maxFileSize', undefined, undefined],
		['saveBrowserData', 'true', true],
		['saveBrowserData', 'false', false],
		['saveBrowserData', '', undefined],
		['queryParameters', null, {}],
		['keyword', '', undefined],
		['keyword', '👍'.repeat(200), '👍'.repeat(200)],
	])('%s: %j', (name, raw, value) => {
		expect(fields.find((field) => field.name === name)?.read(raw, IN_WORKFLOW)).toEqual(value);
	});

	it.each(['run.cancel', 'task.stop'])('a business code of 0 by %s', async (name) => {
		const [request] = await requestsOf(named(name), { taskId: '1', options: { bizCode: 0 } });
		expect(request?.query).toMatchObject({ biz_code: 0 });
	});
});
