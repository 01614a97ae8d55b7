import { createServer } from 'node:http';
import fc from 'fast-check';

import { BrowserAutomationApi } from '../../../credentials/BrowserAutomationApi.credentials';
import { BrowserAutomation } from '../../../nodes/BrowserAutomation/BrowserAutomation.node.js';
import { BrowserAutomationTrigger } from '../../../nodes/BrowserAutomation/BrowserAutomationTrigger.node.js';
import {
	createHarness,
	type Harness,
	type Run,
	type WebhookTrigger,
} from '../../../test/core/harness';
import { must, type Target } from '../target';

const ACTION = 'n8n-nodes-browser-automation.browserAutomation';
const TRIGGER = 'n8n-nodes-browser-automation.browserAutomationTrigger';

/** A run that the strangers have never heard of. */
const OWN_RUN = '90210047112233';

const UNKNOWN_RUN = { code: 10112, msg: 'run does not exist', data: null, ts: 1, traceId: 't' };

/** A service that starts runs and knows none of those that strangers speak of. */
async function openService(): Promise<string> {
	const server = createServer((request, response) => {
		const isStart = request.method === 'POST';
		const isOwn = request.url?.includes(`/runs/${OWN_RUN}`) === true;
		response.writeHead(isStart || isOwn ? 200 : 404, { 'content-type': 'application/json' });
		const body = isStart || isOwn ? { task_id: OWN_RUN, status: 'running' } : UNKNOWN_RUN;
		response.end(JSON.stringify(body));
		request.resume();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (typeof address !== 'object' || address === null) throw new Error('The service has no port');
	return `http://127.0.0.1:${address.port}`;
}

/** Both addresses at which n8n takes callbacks. */
interface Addresses {
	harness: Harness;
	/** An execution that sleeps until its run calls back. */
	asleep: Run;
}

async function open(): Promise<Addresses> {
	const baseUrl = await openService();
	const harness = createHarness({
		origin: 'http://127.0.0.1:1',
		nodes: { [ACTION]: new BrowserAutomation(), [TRIGGER]: new BrowserAutomationTrigger() },
		credentialTypes: { browserAutomationApi: new BrowserAutomationApi() },
		credentials: { browserAutomationApi: { baseUrl, apiKey: 'key' } },
	});
	const asleep = await harness.run({
		nodeType: ACTION,
		workflowId: 'asleep',
		parameters: {
			resource: 'bot',
			operation: 'run',
			botId: { __rl: true, mode: 'id', value: '1' },
			inputMode: 'json',
			input: '{}',
			waitForCompletion: 'automatic',
		},
	});
	must(asleep.status === 'waiting', 'the execution sleeps');
	return { harness, asleep };
}

/** So many calls get a trigger of their own: of one, too many unknown runs are not read. */
const CALLS_EACH = 50;

let calls = 0;

function triggerIn(harness: Harness): WebhookTrigger {
	return harness.hooks({
		nodeType: TRIGGER,
		name: 'Trigger',
		workflowId: `trigger-${Math.floor(calls++ / CALLS_EACH)}`,
		parameters: { source: 'elsewhere', events: ['runFinished', 'runStatusChanged'] },
		isTest: false,
	});
}

let opened: Promise<Addresses> | undefined;

interface Call {
	toTrigger: boolean;
	method: 'GET' | 'POST';
	name: 'default' | 'setup';
	query: Record<string, string>;
	body: object | string;
}

const text = fc.oneof(
	fc.constantFrom(
		'',
		' ',
		'..',
		'../90210047112234',
		'a/b',
		'%2e%2e',
		'\ud800',
		'\u0000',
		'🚀',
		'__proto__',
	),
	fc.constantFrom(
		'x'.repeat(200),
		'x'.repeat(201),
		'0',
		'-1',
		'1e9',
		'length',
		'finished',
		'constructor',
	),
	fc.string({ unit: 'binary', maxLength: 300 }),
);
const value = fc.oneof(
	text,
	fc.double(),
	fc.constantFrom(null, true, 2 ** 63),
	fc.array(text),
	fc.object(),
);

/** A request by somebody who knows an address, and nothing else. */
export const callbacks: Target<Call> = {
	name: 'callbacks',
	inputs: fc.record({
		toTrigger: fc.boolean(),
		method: fc.constantFrom('GET', 'POST', 'POST'),
		name: fc.constantFrom('default', 'setup'),
		query: fc.dictionary(
			fc.constantFrom('item', 'nonce', 'key', 'events', 'with', '__proto__'),
			text,
		),
		body: fc.oneof(
			fc.dictionary(fc.constantFrom('task_id', 'id', 'status', 'output', '__proto__'), value),
			fc.array(value),
			fc.json(),
		),
	}),
	tryInput: async ({ toTrigger, method, name, query, body }) => {
		opened ??= open();
		const { harness, asleep } = await opened;
		if (toTrigger) {
			const { response, run } = await triggerIn(harness).callWebhook({ body, query }, name);
			must(run === undefined, 'no stranger starts a workflow');
			// A run that the service does not know may be known a moment later: the callback is to come again.
			const isAnswered = response.status < 500 || response.status === 503;
			must(isAnswered, `a callback is answered, not with ${response.status}`);
			return;
		}
		const request = { method, query, ...(method === 'POST' && { body }) };
		const { response, run } = await harness.resumeByWebhook(asleep, request);
		must(run === undefined, 'no stranger resumes an execution');
		must(response.status < 500, `a callback is answered, not with ${response.status}`);
	},
};
