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
const lamp = { inputMode: 'json', input: json({ keyword: 'lamp' }) };
const polled = { waitForCompletion: 'poll', options: {} };

/** Every operation of the node, by resource. */
export const CALLS: readonly Call[] = [
	call('bot', 'getAll', () => ({ limit: 2, filters: { keyword: 'scraper' } }), { bot_id: '1001' }),
	call('bot', 'get', () => ({ botId: chosen('1001') }), { name: 'Product Scraper' }),
	call('bot', 'run', () => ({ botId: chosen('1001'), ...lamp, ...polled }), {
		title: expect.stringContaining('lamp'),
	}),
	call('template', 'getAll', () => ({ returnAll: true }), { template_id: expect.any(String) }),
	call('template', 'get', () => ({ templateId: chosen('2001') }), { name: 'Price Monitor' }),
	call('template', 'getRegions', () => ({}), { code: expect.any(String) }),
	call(
		'template',
		'run',
		() => ({
			templateId: chosen('2001'),
			...lamp,
			waitForCompletion: 'none',
			options: { proxyRegion: 'DE' },
		}),
		{ status: 'created' },
	),
	call('run', 'getAll', () => ({ returnAll: true, filters: { status: 'finished' } }), {
		status: 'finished',
	}),
	call('run', 'get', ({ finished }) => ({ taskId: chosen(finished), output: 'raw' }), {
		log_detail_url: expect.any(String),
	}),
	call('run', 'getStatus', ({ finished }) => ({ taskId: chosen(finished) }), {
		status: 'finished',
	}),
	call('run', 'resume', ({ paused }) => ({ taskId: chosen(paused) }), {
		task_id: expect.any(String),
	}),
	call('run', 'cancel', ({ running }) => ({ taskId: chosen(running), options: { bizCode: 3 } }), {
		status: 'canceled',
	}),
	call('run', 'wait', ({ finished }) => ({ taskId: chosen(finished), output: 'simplified' }), {
		status: 'finished',
	}),
	call('run', 'downloadFiles', ({ finished }) => ({ taskId: chosen(finished) }), {
		task_id: expect.any(String),
	}),
	call('workflow', 'getAll', () => ({ returnAll: true }), { id: '1001' }),
	call('workflow', 'get', () => ({ workflowId: chosen('1001') }), {
		input_parameters: expect.any(Array),
	}),
	call(
		'workflow',
		'run',
		() => ({
			workflowId: chosen('1001'),
			inputFields: { mappingMode: 'defineBelow', value: { keyword: 'lamp', max_results: '3' } },
			output: 'simplified',
			...polled,
		}),
		{ status: 'finished', output: expect.any(Array) },
	),
	call('workflowTemplate', 'getAll', () => ({ limit: 1 }), { templateId: expect.any(String) }),
	call('workflowTemplate', 'get', () => ({ templateId: chosen('2001') }), { id: '2001' }),
	call(
		'workflowTemplate',
		'run',
		() => ({
			templateId: chosen('2001'),
			inputMode: 'json',
			input: json([{ name: 'keyword', value: 'lamp' }]),
			waitForCompletion: 'none',
			options: { proxyRegion: 'DE' },
		}),
		{ status: 'created' },
	),
	call('task', 'getAll', () => ({ returnAll: true, filters: { workflowId: '1001' } }), {
		workflow_id: '1001',
	}),
	call('task', 'get', ({ finished }) => ({ taskId: chosen(finished), output: 'simplified' }), {
		status: 'finished',
	}),
	call('task', 'getStatus', ({ finished }) => ({ taskId: chosen(finished) }), {
		task_id: expect.any(String),
		status: 'finished',
	}),
	call('task', 'stop', ({ running2 }) => ({ taskId: chosen(running2) }), { status: 'canceled' }),
	call('task', 'resume', ({ paused2 }) => ({ taskId: chosen(paused2) }), {
		task_id: expect.any(String),
	}),
	call('task', 'wait', ({ finished }) => ({ taskId: chosen(finished), output: 'raw' }), {
		id: expect.any(String),
	}),
	call('task', 'downloadFiles', ({ finished }) => ({ taskId: chosen(finished) }), {
		task_id: expect.any(String),
	}),
	call('browser', 'create', () => ({ body: json({ name: 'Made by a test' }) }), {
		name: 'Made by a test',
	}),
	call('browser', 'getAll', () => ({ returnAll: true, filters: { status: 'active' } }), {
		status: 'active',
	}),
	onBrowser('get', {}, { name: 'Made by a test' }),
	onBrowser('update', { body: json({ name: 'Renamed' }) }, { name: 'Renamed' }),
	onBrowser(
		'getStartConfig',
		{ body: json({ id: '1' }) },
		{ encrypted_config: expect.any(String) },
	),
	onBrowser('openRelay', { body: json({ id: '1' }) }, { relay_url: expect.any(String) }),
	onBrowser('closeRelay', {}, { success: true }),
	onBrowser('refreshFingerprint', {}, { success: true }),
	onBrowser('delete', {}, { deleted: true }),
	call('browser', 'precheckPurchase', () => ({ body: json({ quantity: 5 }) }), { quantity: 5 }),
	call('browser', 'getGatewayConfig', () => ({ body: json({ id: '1' }) }), {
		encrypted_gateway: expect.any(String),
	}),
	call('browser', 'solveCaptcha', () => ({ body: json({ first: { type: 'text' } }) }), {
		first: expect.objectContaining({ solved: true }),
	}),
	call('accessGrant', 'createStaticProxy', () => ({}), { purpose: 'static-proxy' }),
	call('accessGrant', 'createBrowserRenewal', () => ({ body: json({ id: '1' }) }), {
		purpose: 'browser-renewal',
	}),
	call('accessGrant', 'createBrowserPurchase', () => ({ body: json({ quantity: 2 }) }), {
		request_id: expect.any(String),
	}),
	call('accessGrant', 'createBrowserDeletion', () => ({ body: json({ id: '1' }) }), {
		purpose: 'browser-deletion',
	}),
	call(
		'staticProxy',
		'rename',
		() => ({ staticProxyId: '9007199254740993', body: json({ name: 'Berlin' }) }),
		{ success: true },
	),
	call('proxySession', 'sendHeartbeat', () => ({ body: json({ id: '1' }) }), { success: true }),
	call('proxySession', 'close', () => ({ body: json({ id: '1' }) }), { success: true }),
	call('humanAssist', 'create', () => ({ options: { objective: 'Log in', osType: 'linux' } }), {
		objective: 'Log in',
		ffmpeg_version: expect.any(String),
	}),
	call('humanAssist', 'complete', (_, earlier) => ({ uuid: earlier('create', 'uuid') }), {
		status: 'cli_finished',
	}),
	call('humanAssist', 'reportError', (_, earlier) => ({ uuid: earlier('create', 'uuid') }), {
		status: 'cli_finished',
	}),
	...['cli', 'publicCli'].flatMap((resource) => [
		call(resource, 'track', () => ({ body: json({ a: 1 }) }), { success: true }),
		call(resource, 'trackBatch', () => ({ body: json({ a: [1] }) }), { success: true }),
		call(resource, 'getLogUploadUrl', () => ({ body: '{}' }), { url: expect.any(String) }),
		call(resource, 'sendFeedback', () => ({ body: json({ a: 'ä \n漢' }) }), { success: true }),
	]),
	call('publicCli', 'getPackages', (_runs, _earlier, baseUrl) => ({ body: '{}', baseUrl }), {
		type: 'kernel',
	}),
	call(
		'publicCli',
		'createApiKeySession',
		(_runs, _earlier, baseUrl) => ({ machineId: 'machine 1', baseUrl }),
		{ machine_id: 'machine 1' },
	),
	call(
		'publicCli',
		'getBrowserStartConfig',
		(_runs, _earlier, baseUrl) => ({ body: json({ os: 'linux' }), baseUrl }),
		{
			kernel: expect.any(Object),
		},
	),
	call(
		'cliService',
		'request',
		() => ({
			method: 'POST',
			path: 'some/ä path',
			queryParameters: { pair: [{ name: 'a', value: 'b c' }] },
			body: json({ n: 1 }),
		}),
		{ method: 'POST', path: 'some/ä path', query: { a: 'b c' }, body: { n: 1 } },
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

/** A call that acts on the browser that an earlier one created. */
function onBrowser(operation: string, parameters: INodeParameters, gives: Call['gives']): Call {
	const withBrowser: Call['parameters'] = (_, earlier) => ({
		browserId: chosen(earlier('create', 'id')),
		...parameters,
	});
	return call('browser', operation, withBrowser, gives);
}

/** Makes the runs that the calls act on. */
export async function prepareRuns(sandbox: Sandbox): Promise<PreparedRuns> {
	const statuses = ['finished', 'running', 'running', 'paused', 'paused'] as const;
	const { taskIds } = await sandbox.seedRuns({ count: statuses.length, bot: '1001', statuses });
	const [finished, running, running2, paused, paused2] = taskIds;
	if (!finished || !running || !running2 || !paused || !paused2) throw new Error('No runs');
	return { finished, running, running2, paused, paused2 };
}
