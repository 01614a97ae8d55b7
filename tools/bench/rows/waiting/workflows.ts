import { randomUUID } from 'node:crypto';

import { callWebhook } from '../../../../dev/n8n/callWebhook';
import { workflowOf, type NodeSketch, type WorkflowDefinition } from '../../../../dev/n8n/workflow';
import { mapConcurrently } from '../../../../nodes/BrowserAutomation/service/concurrency';
import { chosen, httpRequest, ourNode, webhookNode, type Setup } from '../../setup';

/** As many items `{ keyword }` as wanted. */
export function items(count: number): NodeSketch {
	return {
		name: 'Items',
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: {
			jsCode: `return Array.from({ length: ${count} }, (_, i) => ({ json: { keyword: 'w' + i } }));`,
		},
	};
}

/** Our node, which runs a bot with a keyword of each item. */
export function botNode(
	setup: Pick<Setup, 'credential'>,
	waitForCompletion: string,
	keyword = '$json.keyword',
): NodeSketch {
	const node = ourNode(setup, {
		resource: 'bot',
		operation: 'run',
		botId: chosen('1001'),
		inputMode: 'json',
		input: `={{ { keyword: ${keyword}, max_results: 1 } }}`,
		waitForCompletion,
		output: 'simplified',
	});
	return { ...node, name: 'Bot' };
}

/** How many executions are started at the same time. */
const AT_ONCE = 20;

/**
 * Starts executions of a workflow with a webhook, each with a keyword of its own.
 *
 * @param url where n8n's webhooks are called
 * @throws N8nError when n8n does not take a call
 */
export async function startEach(
	url: string,
	path: string,
	count: number,
	prefix = 'w',
): Promise<void> {
	const keywords = Array.from({ length: count }, (_, index) => `${prefix}${index}`);
	await mapConcurrently(keywords, AT_ONCE, async (keyword) => {
		await callWebhook(url, path, { keyword });
	});
}

/** A marker whose start is the moment at which the workflow went on. */
export const next: NodeSketch = { name: 'Next', type: 'n8n-nodes-base.noOp' };

/** n8n's own start of a run, with an expression for what its body holds besides the input. */
export function beginNode(setup: Pick<Setup, 'sandbox' | 'credential'>, further = ''): NodeSketch {
	const request = httpRequest(setup, `${setup.sandbox.url}/v3/bots/1001/runs`);
	return {
		...request,
		name: 'Begin',
		parameters: {
			...request.parameters,
			method: 'POST',
			sendBody: true,
			specifyBody: 'json',
			jsonBody: `={{ { input: { keyword: $json.keyword, max_results: 1 } ${further} } }}`,
		},
	};
}

/** The leanest that n8n's own nodes can do: the service resumes a Wait node, then the run is read. */
export function ownWait(
	setup: Pick<Setup, 'sandbox' | 'credential'>,
	path: string,
	item = items(1),
): WorkflowDefinition {
	const run = `=${setup.sandbox.url}/v3/bots/runs/{{ $('Begin').item.json.task_id }}`;
	return workflowOf('Wait node', [
		webhookNode(path),
		item,
		beginNode(setup, ', callback_url: $execution.resumeUrl'),
		{
			name: 'Wait',
			type: 'n8n-nodes-base.wait',
			typeVersion: 1.1,
			webhookId: randomUUID(),
			parameters: { resume: 'webhook', httpMethod: 'POST', options: {} },
		},
		{ ...httpRequest(setup, run), name: 'Result' },
		next,
	]);
}

/** Our node, with the way to wait that it is given. */
export function ourWait(
	setup: Setup,
	path: string,
	mode: 'automatic' | 'poll',
): WorkflowDefinition {
	return workflowOf(mode, [webhookNode(path), items(1), botNode(setup, mode), next]);
}

/** An If node for an expression that gives true or false. */
export function ifTrue(name: string, leftValue: string): NodeSketch {
	const operator = { type: 'boolean', operation: 'true', singleValue: true };
	return {
		name,
		type: 'n8n-nodes-base.if',
		typeVersion: 2.2,
		parameters: {
			conditions: {
				options: { caseSensitive: true, typeValidation: 'loose', version: 2 },
				combinator: 'and',
				conditions: [{ id: '1', leftValue, rightValue: '', operator }],
			},
			options: {},
		},
	};
}

/** A Wait node that n8n's wait timer ends. */
export function pause(seconds: number): NodeSketch {
	return {
		name: `Wait ${seconds} s`,
		type: 'n8n-nodes-base.wait',
		typeVersion: 1.1,
		webhookId: randomUUID(),
		parameters: { amount: seconds },
	};
}

/** What people build of n8n's own nodes: ask for the status, wait 5 s, again until it has ended. */
export function ownLoop(setup: Setup, path: string): WorkflowDefinition {
	const { url } = setup.sandbox;
	const run = `=${url}/v3/bots/runs/{{ $('Begin').item.json.task_id }}`;
	const definition = workflowOf('Loop of own nodes', [
		webhookNode(path),
		items(1),
		beginNode(setup),
		{ ...httpRequest(setup, `${run}/status`), name: 'Status' },
		ifTrue('Ended?', "={{ ['finished', 'failed', 'canceled'].includes($json.status) }}"),
		{ ...httpRequest(setup, run), name: 'Result' },
		next,
		pause(5),
	]);
	definition.connections = {
		...definition.connections,
		'Ended?': {
			main: [
				[{ node: 'Result', type: 'main', index: 0 }],
				[{ node: 'Wait 5 s', type: 'main', index: 0 }],
			],
		},
		Next: {},
		'Wait 5 s': { main: [[{ node: 'Status', type: 'main', index: 0 }]] },
	};
	return definition;
}
