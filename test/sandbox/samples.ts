import { createHmac } from 'node:crypto';
import type { DocumentOperation } from '../../dev/sandbox/document';
import type { JsonObject } from '../../dev/sandbox/json';
import type { Sandbox } from '../../dev/sandbox/server';
import { startRun } from './client';
import type { Send, Sent } from './client';

export interface Sample extends Sent {
	/** Values of the path parameters. */
	readonly path?: Readonly<Record<string, string>>;
	/** Status of the answer. */
	readonly status?: number;
}

/** Makes a well-formed request for any operation of the document. */
export function sampleMaker(
	sandbox: Sandbox,
	send: Send,
): (operation: DocumentOperation) => Promise<Sample> {
	const held = async (): Promise<string> => await startRun(send, '1008');
	const moved = async (botId: string, status: 'paused' | 'finished'): Promise<string> => {
		const taskId = await startRun(send, botId);
		await sandbox.moveRun({ taskId, status });
		return taskId;
	};
	const browserId = async (): Promise<string> => {
		const { fields } = await send('POST', '/v2/browser', { body: { name: 'Sample' } });
		const data: unknown = fields['data'];
		return JSON.stringify(data).replace(/.*"id":"(\d+)".*/, '$1');
	};
	const assistUuid = async (): Promise<string> => {
		const { text } = await send('POST', '/v2/human-assist/create');
		return text.replace(/.*"uuid":"([^"]+)".*/, '$1');
	};
	const ofBrowser = async (body: JsonObject): Promise<Sample> => ({
		body,
		path: { id: await browserId() },
	});
	const signed = (body: JsonObject): Sample => {
		const timestamp = String(Date.now());
		const rawBody = JSON.stringify(body);
		const signature = createHmac('sha256', 'sandbox-secret')
			.update(`${timestamp}\n${rawBody}`)
			.digest('hex');
		const headers = { 'x-cli-timestamp': timestamp, 'x-cli-signature': signature };
		return { rawBody, headers, key: null };
	};

	const inputParameters = [{ name: 'keyword', value: 'lamp' }];
	/** For operations that need more than what stands in their path, or a run in a certain status. */
	const samples: Record<string, () => Sample | Promise<Sample>> = {
		'bot.getAll': () => ({ query: { page: '2', limit: '100', keyword: 'a', bot_type: 'agent' } }),
		'bot.run': () => ({ path: { bot_id: '1001' }, body: { input: { keyword: 'lamp' } } }),
		'template.getAll': () => ({ query: { keyword: 'price', page: '1', limit: '500' } }),
		'template.run': () => ({
			path: { template_id: '2001' },
			body: { input: { keyword: 'lamp' }, proxy_region: 'DE' },
		}),
		'run.getAll': () => ({
			query: {
				bot_id: '1001',
				bot_name: 'scraper',
				status: 'created',
				created_at_from: '2026-01-01T00:00:00Z',
				created_at_to: '2100-01-01T00:00:00+02:00',
			},
		}),
		'run.get': async () => ({ path: { task_id: await moved('1006', 'finished') } }),
		'run.resume': async () => ({ path: { task_id: await moved('1003', 'paused') } }),
		'run.cancel': async () => ({ path: { task_id: await held() }, query: { biz_code: '-5' } }),
		'workflow.getAll': () => ({ query: { page: '1', limit: '500' } }),
		'workflow.get': () => ({ query: { workflow_id: '1001' } }),
		'workflow.run': () => ({
			body: { workflow_id: '1001', input_parameters: inputParameters, save_browser_data: true },
		}),
		'workflowTemplate.getAll': () => ({ query: { keyword: 'monitor', limit: '500' } }),
		'workflowTemplate.get': () => ({ query: { workflow_template_id: '2001' } }),
		'workflowTemplate.run': () => ({
			body: {
				workflow_template_id: '2001',
				proxyRegion: 'GB',
				input_parameters: inputParameters,
			},
		}),
		'task.getAll': () => ({ query: { status: 'finished', limit: '500' } }),
		'task.get': async () => ({ query: { task_id: await moved('1007', 'finished') } }),
		'task.getStatus': async () => ({ query: { task_id: await held() } }),
		'task.stop': async () => ({ query: { task_id: await held(), biz_code: '7' } }),
		'task.resume': async () => ({ query: { task_id: await moved('1003', 'paused') } }),
		'browser.getAll': () => ({ query: { page: '1', limit: '20', status: 'grace-period' } }),
		'browser.create': () => ({ body: { name: 'New', type: 'stealth' } }),
		'browser.update': () => ofBrowser({ name: 'Renamed' }),
		'browser.getStartConfig': () => ofBrowser({}),
		'browser.openRelay': () => ofBrowser({}),
		'browser.precheckPurchase': () => ({ body: { quantity: 3 } }),
		'browser.getGatewayConfig': () => ({ body: {} }),
		'browser.solveCaptcha': () => ({ body: { task: { type: 'image' } } }),
		'accessGrant.createBrowserRenewal': () => ({ body: { browser_ids: ['30001'] } }),
		'accessGrant.createBrowserPurchase': () => ({ body: { quantity: 2 } }),
		'accessGrant.createBrowserDeletion': () => ({ body: { browser_ids: ['30001'] } }),
		'staticProxy.rename': () => ({ path: { id: '9007199254740993' }, body: { name: 'Renamed' } }),
		'proxySession.sendHeartbeat': () => ({ body: { session_id: 'abc' } }),
		'proxySession.close': () => ({ body: { session_id: 'abc' } }),
		'humanAssist.create': () => ({ body: { objective: 'Solve', os_type: 'linux', gateway: 1 } }),
		'humanAssist.complete': async () => ({ query: { uuid: await assistUuid() } }),
		'humanAssist.reportError': async () => ({ query: { uuid: await assistUuid() } }),
		'cli.track': () => ({ body: { event: 'start' } }),
		'cli.trackBatch': () => ({ body: { events: [] } }),
		'cli.getLogUploadUrl': () => ({ body: {} }),
		'cli.sendFeedback': () => ({ body: { text: 'Good.' } }),
		'publicCli.track': () => signed({ event: 'start' }),
		'publicCli.trackBatch': () => signed({ events: [] }),
		'publicCli.getLogUploadUrl': () => signed({}),
		'publicCli.sendFeedback': () => signed({ text: 'Good.' }),
		'publicCli.getPackages': () => ({ body: {}, key: null }),
		'publicCli.createApiKeySession': () => ({ query: { machine_id: 'm1' }, key: null }),
		'publicCli.getBrowserStartConfig': () => ({ body: { os_type: 'linux' }, key: null }),
		'cliService.request.get': () => ({ path: { path: 'tools/list' }, query: { any: 'thing' } }),
		'cliService.request.post': () => ({ path: { path: 'tools' }, body: ['any', 'JSON'] }),
		'cliService.request.put': () => ({ path: { path: 'tools/1' }, body: { a: 1 } }),
		'cliService.request.delete': () => ({ path: { path: 'tools/1' } }),
		'cliService.request.patch': () => ({ path: { path: 'tools/1' }, body: { a: 1 } }),
		'cliService.request.options': () => ({ path: { path: 'tools' } }),
		'cliService.request.head': () => ({ path: { path: 'tools' } }),
	};
	/** What stands in a path: a new run, a new browser, or what the sandbox has from the beginning. */
	const inPath: Record<string, () => string | Promise<string>> = {
		bot_id: () => '1002',
		template_id: () => '2001',
		task_id: held,
		id: browserId,
	};
	return async ({ operationId = '', path: template }) => {
		const own = samples[operationId];
		if (own !== undefined) return await own();
		const path: Record<string, string> = {};
		for (const [, name = ''] of template.matchAll(/\{(\w+)\}/g)) {
			const make = inPath[name];
			if (make === undefined) throw new Error(`${operationId} needs a sample request.`);
			path[name] = await make();
		}
		return { path };
	};
}
