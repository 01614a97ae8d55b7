import type { INodeParameters } from 'n8n-workflow';

import type { Sandbox } from '../../dev/sandbox/server';
import { chosen } from '../fixture/parameters';

/** Runs that the calls act on: each in the status that its name says. */
export interface PreparedRuns {
	finished: string;
	running: string;
	running2: string;
	paused: string;
	paused2: string;
}

/** The value that an earlier call of the same resource answered with, under this key. */
type Earlier = (operation: string, key: string) => string;

/** One operation as a user would set it up. Calls of a resource are made in their order. */
export interface Call {
	resource: string;
	operation: string;
	parameters(runs: PreparedRuns, earlier: Earlier, serviceUrl: string): INodeParameters;
	/** What the first item holds, at least. */
	gives: Readonly<Record<string, unknown>>;
}

const json = (value: object): string => JSON.stringify(value);
const ANY = expect.any(String);
const DONE = { success: true };
const ID = { id: '1' };
const pair = [{ name: 'a', value: 'b c' }];
const forwarded = { method: 'POST', path: 'some/ä path' };
const lamp = { inputMode: 'json', input: json({ keyword: 'lamp' }) };
const fromGermany = { waitForCompletion: 'none', options: { proxyRegion: 'DE' } };
const filled = {
	inputFields: { mappingMode: 'defineBelow', value: { keyword: 'lamp', max_results: '3' } },
};
const polled = { waitForCompletion: 'poll', options: {} };

/** Every operation of the node, by resource. */
export const CALLS: readonly Call[] = [
	call('bot', 'getAll', () => ({ limit: 2, filters: { keyword: 'scraper' } }), { bot_id: '1001' }),
	call('bot', 'get', () => ({ botId: chosen('1001') }), { name: 'Product Scraper' }),
	call('bot', 'run', () => ({ botId: chosen('1001'), ...lamp, ...polled }), {
		title: expect.stringContaining('lamp'),
	}),
	call('template', 'getAll', () => ({ returnAll: true }), { template_id: ANY }),
	call('template', 'get', () => ({ templateId: chosen('2001') }), { name: 'Price Monitor' }),
	call('template', 'getRegions', () => ({}), { code: ANY }),
	call('template', 'run', () => ({ templateId: chosen('2001'), ...lamp, ...fromGermany }), {
		status: 'created',
	}),
	call('run', 'getAll', () => ({ returnAll: true, filters: { status: 'finished' } }), {
		status: 'finished',
	}),
	onRun('run', 'get', 'finished', { log_detail_url: ANY }, { output: 'raw' }),
	onRun('run', 'getStatus', 'finished', { status: 'finished' }),
	onRun('run', 'resume', 'paused', { task_id: ANY }),
	onRun('run', 'cancel', 'running', { status: 'canceled' }, { options: { bizCode: 3 } }),
	onRun('run', 'wait', 'finished', { status: 'finished' }, { output: 'simplified' }),
	onRun('run', 'downloadFiles', 'finished', { task_id: ANY }),
	call('workflow', 'getAll', () => ({ returnAll: true }), { id: '1001' }),
	call('workflow', 'get', () => ({ workflowId: chosen('1001') }), {
		input_parameters: expect.any(Array),
	}),
	call(
		'workflow',
		'run',
		() => ({ workflowId: chosen('1001'), ...filled, output: 'simplified', ...polled }),
		{ status: 'finished', output: expect.any(Array) },
	),
	call('workflowTemplate', 'getAll', () => ({ limit: 1 }), { templateId: ANY }),
	call('workflowTemplate', 'get', () => ({ templateId: chosen('2001') }), { id: '2001' }),
	call(
		'workflowTemplate',
		'run',
		() => {
			const input = json([{ name: 'keyword', value: 'lamp' }]);
			return { templateId: chosen('2001'), inputMode: 'json', input, ...fromGermany };
		},
		{ status: 'created' },
	),
	call('task', 'getAll', () => ({ returnAll: true, filters: { workflowId: '1001' } }), {
		workflow_id: '1001',
	}),
	onRun('task', 'get', 'finished', { status: 'finished' }, { output: 'simplified' }),
	onRun('task', 'getStatus', 'finished', { task_id: ANY, status: 'finished' }),
	onRun('task', 'stop', 'running2', { status: 'canceled' }),
	onRun('task', 'resume', 'paused2', { task_id: ANY }),
	onRun('task', 'wait', 'finished', { id: ANY }, { output: 'raw' }),
	onRun('task', 'downloadFiles', 'finished', { task_id: ANY }),
	withBody('browser', 'create', { name: 'Made by a test' }, { name: 'Made by a test' }),
	call('browser', 'getAll', () => ({ returnAll: true, filters: { status: 'active' } }), {
		status: 'active',
	}),
	onBrowser('get', {}, { name: 'Made by a test' }),
	onBrowser('update', { body: json({ name: 'Renamed' }) }, { name: 'Renamed' }),
	onBrowser('getStartConfig', { body: json(ID) }, { encrypted_config: ANY }),
	onBrowser('openRelay', { body: json(ID) }, { relay_url: ANY }),
	onBrowser('closeRelay', {}, DONE),
	onBrowser('refreshFingerprint', {}, DONE),
	onBrowser('delete', {}, { deleted: true }),
	withBody('browser', 'precheckPurchase', { quantity: 5 }, { quantity: 5 }),
	withBody('browser', 'getGatewayConfig', ID, { encrypted_gateway: ANY }),
	withBody('browser', 'solveCaptcha', { first: { type: 'text' } }, { first: { solved: true } }),
	call('accessGrant', 'createStaticProxy', () => ({}), { purpose: 'static-proxy' }),
	withBody('accessGrant', 'createBrowserRenewal', ID, { purpose: 'browser-renewal' }),
	withBody('accessGrant', 'createBrowserPurchase', { quantity: 2 }, { request_id: ANY }),
	withBody('accessGrant', 'createBrowserDeletion', ID, { purpose: 'browser-deletion' }),
	call(
		'staticProxy',
		'rename',
		() => ({ staticProxyId: '9007199254740993', body: json({ name: 'Berlin' }) }),
		DONE,
	),
	withBody('proxySession', 'sendHeartbeat', ID, DONE),
	withBody('proxySession', 'close', ID, DONE),
	call('humanAssist', 'create', () => ({ options: { objective: 'Log in', osType: 'linux' } }), {
		objective: 'Log in',
		ffmpeg_version: ANY,
	}),
	call('humanAssist', 'complete', (_, earlier) => ({ uuid: earlier('create', 'uuid') }), {
		status: 'cli_finished',
	}),
	call('humanAssist', 'reportError', (_, earlier) => ({ uuid: earlier('create', 'uuid') }), {
		status: 'cli_finished',
	}),
	...['cli', 'publicCli'].flatMap((resource) => [
		withBody(resource, 'track', { a: 1 }, DONE),
		withBody(resource, 'trackBatch', { a: [1] }, DONE),
		withBody(resource, 'getLogUploadUrl', {}, { url: ANY }),
		withBody(resource, 'sendFeedback', { a: 'ä \n漢' }, DONE),
	]),
	call('publicCli', 'getPackages', (_runs, _earlier, baseUrl) => ({ body: '{}', baseUrl }), {
		type: 'kernel',
	}),
	call('publicCli', 'createApiKeySession', (_, __, baseUrl) => ({ machineId: 'm 1', baseUrl }), {
		machine_id: 'm 1',
	}),
	call(
		'publicCli',
		'getBrowserStartConfig',
		(_runs, _earlier, baseUrl) => ({ body: json({ os: 'linux' }), baseUrl }),
		{ kernel: expect.any(Object) },
	),
	call(
		'cliService',
		'request',
		() => ({ ...forwarded, queryParameters: { pair }, body: json({ n: 1 }) }),
		{ ...forwarded, query: { a: 'b c' }, body: { n: 1 } },
	),
];

function call(
	resource: string,
	operation: string,
	parameters: Call['parameters'],
	gives: Call['gives'],
): Call {
	return { resource, operation, parameters, gives };
}

function withBody(resource: string, operation: string, body: object, gives: Call['gives']): Call {
	return call(resource, operation, () => ({ body: json(body) }), gives);
}

function onRun(
	resource: string,
	operation: string,
	which: keyof PreparedRuns,
	gives: Call['gives'],
	further: INodeParameters = {},
): Call {
	return call(resource, operation, (runs) => ({ taskId: chosen(runs[which]), ...further }), gives);
}

/** A call that acts on the browser that an earlier one created. */
function onBrowser(operation: string, parameters: INodeParameters, gives: Call['gives']): Call {
	const withBrowser: Call['parameters'] = (_, earlier) => ({
		browserId: chosen(earlier('create', 'id')),
		...parameters,
	});
	return call('browser', operation, withBrowser, gives);
}

export async function prepareRuns(sandbox: Sandbox): Promise<PreparedRuns> {
	const statuses = ['finished', 'running', 'running', 'paused', 'paused'] as const;
	const { taskIds } = await sandbox.seedRuns({ count: statuses.length, bot: '1001', statuses });
	const [finished, running, running2, paused, paused2] = taskIds;
	if (!finished || !running || !running2 || !paused || !paused2) throw new Error('No runs');
	return { finished, running, running2, paused, paused2 };
}
