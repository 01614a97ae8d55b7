import { randomUUID } from 'node:crypto';

import { workflowOf, type NodeSketch, type WorkflowDefinition } from '../../dev/n8n/workflow';
import type { Service } from './stage';

/** What a node is made with that asks the service. */
type Account = Pick<Service, 'credential'>;

/** n8n's Webhook node, which starts executions at `/webhook/PATH`. */
export function webhookNode(path: string, parameters: Record<string, unknown> = {}): NodeSketch {
	return {
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		webhookId: path,
		parameters: { httpMethod: 'POST', path, options: {}, ...parameters },
	};
}

/** Makes an item of each element of `items` in the webhook's body. */
export const split: NodeSketch = {
	name: 'Split',
	type: 'n8n-nodes-base.splitOut',
	parameters: { fieldToSplitOut: 'body.items', options: {} },
};

/** A marker whose start is the moment at which the workflow went on. */
export const next: NodeSketch = { name: 'Next', type: 'n8n-nodes-base.noOp' };

function code(name: string, jsCode: string): NodeSketch {
	return { name, type: 'n8n-nodes-base.code', typeVersion: 2, parameters: { jsCode } };
}

/** What a user has chosen by its ID. */
export function chosen(value: string): Record<string, unknown> {
	return { __rl: true, mode: 'id', value };
}

/** How a node names its credential. */
export function credentialsOf({ credential: { type, credentialId: id, name } }: Account) {
	return { [type]: { id, name } };
}

/** Our node. */
export function ourNode(account: Account, parameters: Record<string, unknown>): NodeSketch {
	return {
		name: 'Node',
		type: 'n8n-nodes-browser-automation.browserAutomation',
		parameters: { options: {}, ...parameters },
		credentials: credentialsOf(account),
	};
}

/** Our trigger; it reports ends of runs. */
export function ourTrigger(
	account: Account,
	parameters: Record<string, unknown> = { source: 'elsewhere' },
): NodeSketch {
	return {
		name: 'Trigger',
		type: 'n8n-nodes-browser-automation.browserAutomationTrigger',
		parameters: { events: ['runFinished', 'runFailed', 'runCanceled'], ...parameters },
		credentials: credentialsOf(account),
	};
}

/** How our node waits. */
export type Waiting = 'automatic' | 'poll' | 'none';

/** Our node, which runs a bot with the keyword of each item. */
function botNode(account: Account, waitForCompletion: Waiting): NodeSketch {
	const node = ourNode(account, {
		resource: 'bot',
		operation: 'run',
		botId: chosen('1001'),
		inputMode: 'json',
		input: '={{ { keyword: $json.keyword, max_results: 1 } }}',
		waitForCompletion,
		output: 'simplified',
	});
	return { ...node, name: 'Bot' };
}

/** n8n's HTTP Request node, with the service's credential. */
export function httpRequest(
	account: Account,
	url: string,
	options: Record<string, unknown> = {},
): NodeSketch {
	return {
		name: 'Node',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			url,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: account.credential.type,
			options,
		},
		credentials: credentialsOf(account),
	};
}

/** _Items per Batch_ of HTTP Request with a _Batch Interval_ of 0: the requests leave before the answers come. */
function atOnce(batchSize: number): Record<string, unknown> {
	return { batching: { batch: { batchSize, batchInterval: 0 } } };
}

/** n8n's own start of a run, with an expression for what its body holds besides the input. */
function beginNode(service: Service, further = '', options = atOnce(50)): NodeSketch {
	const request = httpRequest(service, `${service.sandbox.url}/v3/bots/1001/runs`, options);
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

/** A Wait node that n8n's wait timer ends, or a call. */
function wait(parameters: Record<string, unknown>): NodeSketch {
	const type = 'n8n-nodes-base.wait';
	return { name: 'Wait', type, typeVersion: 1.1, webhookId: randomUUID(), parameters };
}

function lineAt(path: string, ...nodes: NodeSketch[]): WorkflowDefinition {
	return workflowOf(path, [webhookNode(path), split, ...nodes, next]);
}

/** Makes a workflow that is started at `/webhook/PATH` with so many items `{ keyword }`, and ends with a node `Next`. */
export type Candidate = (service: Service, path: string, count: number) => WorkflowDefinition;

/** Our node, with the way to wait that it is given. */
export function ourWay(waiting: Waiting): Candidate {
	return (service, path) => lineAt(path, botNode(service, waiting));
}

/** HTTP Request starts the runs, and nobody waits. */
export const onlyStarts: Candidate = (service, path) => lineAt(path, beginNode(service));

/** The leanest that n8n's own nodes can do for one run: the service resumes a Wait node, then the run is read. */
export const ownWait: Candidate = (service, path) => {
	const run = `=${service.sandbox.url}/v3/bots/runs/{{ $('Begin').item.json.task_id }}`;
	return lineAt(
		path,
		beginNode(service, ', callback_url: $execution.resumeUrl'),
		wait({ resume: 'webhook', httpMethod: 'POST', options: {} }),
		{ ...httpRequest(service, run), name: 'Result' },
	);
};

const ENDED = "['finished', 'failed', 'canceled'].includes(run.status)";

/** An item for each run that was started. */
const begunRuns = code(
	'Runs',
	"return $('Begin').all().map(({ json: { task_id } }) => ({ json: { task_id } }));",
);

/** Starts in batches, waits 2 s, asks for the list until all have ended, then reads each result. */
export const loopOverList: Candidate = (service, path, count) => {
	const { url } = service.sandbox;
	const list = httpRequest(service, `=${url}/v3/bots/runs?limit=100&page={{ $json.page }}`);
	const pages = `Array.from({ length: ${Math.ceil(count / 100)} }, (_, i) => ({ json: { page: i + 1 } }))`;
	const ended = `const runs = $input.all().flatMap(({ json }) => json.items).filter((run) => ${ENDED});
const ended = new Set(runs.map((run) => run.task_id));
return [{ json: { over: $('Begin').all().every(({ json }) => ended.has(json.task_id)) } }];`;
	const line = lineAt(
		path,
		...[beginNode(service), wait({ amount: 2 }), code('Pages', `return ${pages};`)],
		...[{ ...list, name: 'List' }, code('Ended', ended), ifOver, begunRuns],
		{ ...httpRequest(service, `=${url}/v3/bots/runs/{{ $json.task_id }}`), name: 'Result' },
	);
	return loop(line, begunRuns);
};

/** Starts all at once, waits 2 s and reads all runs at once, until all have ended. */
export const loopOverRuns: Candidate = (service, path) => {
	const run = `=${service.sandbox.url}/v3/bots/runs/{{ $json.task_id }}`;
	const ended = `return [{ json: { over: $input.all().every(({ json: run }) => ${ENDED}) } }];`;
	const results = code('Results', "return $('Result').all();");
	const line = lineAt(
		path,
		...[beginNode(service, '', atOnce(20)), wait({ amount: 2 }), begunRuns],
		...[{ ...httpRequest(service, run, atOnce(20)), name: 'Result' }, code('Ended', ended)],
		...[ifOver, results],
	);
	return loop(line, results);
};

const ifOver: NodeSketch = {
	name: 'If',
	type: 'n8n-nodes-base.if',
	typeVersion: 2.2,
	parameters: {
		conditions: {
			options: { caseSensitive: true, typeValidation: 'loose', version: 2 },
			combinator: 'and',
			conditions: [
				{
					id: '1',
					leftValue: '={{ $json.over }}',
					rightValue: '',
					operator: { type: 'boolean', operation: 'true', singleValue: true },
				},
			],
		},
		options: {},
	},
};

/** A line whose If node goes on when all have ended, and else back to the Wait node. */
function loop(line: WorkflowDefinition, onward: NodeSketch): WorkflowDefinition {
	const to = ({ name }: Pick<NodeSketch, 'name'>) => [{ node: name, type: 'main', index: 0 }];
	const main = [to(onward), to({ name: 'Wait' })];
	return { ...line, connections: { ...line.connections, If: { main } } };
}
