import { createServer, type Server } from 'node:http';
import fc from 'fast-check';

import { BrowserAutomationApi } from '../../credentials/BrowserAutomationApi.credentials';
import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { BrowserAutomationTrigger } from '../../nodes/BrowserAutomation/BrowserAutomationTrigger.node';
import { createHarness, type Harness, type Run } from '../core/harness';
import { ACTION, TRIGGER } from '../fixture/nodeTypes';
import { chosen } from '../fixture/parameters';
import { fuzz, must, words } from './fuzz';

/** What strangers send who know an address at which n8n takes callbacks, and nothing else. */

/** A run that they have never heard of. */
const OWN_RUN = '90210047112233';

const UNKNOWN_RUN = { code: 10112, msg: 'run does not exist', data: null, ts: 1, traceId: 't' };

/** A service that starts runs and knows none of those that strangers speak of. */
const service: Server = createServer((request, response) => {
	const isKnown = request.method === 'POST' || request.url?.includes(`/runs/${OWN_RUN}`) === true;
	response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
	response.end(JSON.stringify(isKnown ? { task_id: OWN_RUN, status: 'running' } : UNKNOWN_RUN));
	request.resume();
});

let harness: Harness;
let asleep: Run;

beforeAll(async () => {
	await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
	const address = service.address();
	const port = typeof address === 'object' ? address?.port : 0;
	harness = createHarness({
		origin: 'http://127.0.0.1:1',
		nodes: { [ACTION]: new BrowserAutomation(), [TRIGGER]: new BrowserAutomationTrigger() },
		credentialTypes: { browserAutomationApi: new BrowserAutomationApi() },
		credentials: { browserAutomationApi: { baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key' } },
	});
	asleep = await harness.run({
		nodeType: ACTION,
		workflowId: 'asleep',
		parameters: {
			...{ resource: 'bot', operation: 'run', botId: chosen('1'), inputMode: 'json', input: '{}' },
			waitForCompletion: 'automatic',
		},
	});
	expect(asleep.status).toBe('waiting');
});

afterAll(() => service.close());

const text = fc.oneof(
	fc.constantFrom(
		...words('.. ../90210047112234 a/b %2e%2e \ud800 \u0000 🚀 __proto__ length'),
		'',
	),
	fc.constantFrom(...words('0 -1 1e9 finished constructor'), 'x'.repeat(200), 'x'.repeat(201)),
	fc.string({ unit: 'binary', maxLength: 300 }),
);
const anything = fc.oneof(
	...[text, fc.double(), fc.constantFrom(null, true, 2 ** 63), fc.array(text), fc.object()],
);
const call = fc.record({
	method: fc.constantFrom('GET' as const, 'POST' as const),
	name: fc.constantFrom('default' as const, 'setup' as const),
	query: fc.dictionary(fc.constantFrom(...words('item nonce key events with __proto__')), text),
	body: fc.oneof(
		fc.dictionary(fc.constantFrom(...words('task_id id status output __proto__')), anything),
		fc.array(anything),
		fc.json(),
	),
});

fuzz('a call of a suspended execution', call, async ({ method, query, body }) => {
	const request = { method, query, ...(method === 'POST' && { body }) };
	const { response, run } = await harness.receive(asleep.resumeUrl, request);
	must(run === undefined, 'no stranger resumes an execution');
	must(response.status < 500, `a callback is answered, not with ${response.status}`);
});

/** So many calls get a trigger of their own: of one, too many unknown runs are not read. */
const CALLS_EACH = 50;
let calls = 0;

fuzz('a call of a trigger', call, async ({ name, query, body }) => {
	const trigger = harness.hooks({
		...{ nodeType: TRIGGER, name: 'Trigger', isTest: false },
		workflowId: `trigger-${Math.floor(calls++ / CALLS_EACH)}`,
		parameters: { source: 'elsewhere', events: ['runFinished', 'runStatusChanged'] },
	});
	const { response, run } = await trigger.callWebhook({ body, query }, name);
	must(run === undefined, 'no stranger starts a workflow');
	// A run that the service does not know may be known a moment later: the callback is to come again.
	const isAnswered = response.status < 500 || response.status === 503;
	must(isAnswered, `a callback is answered, not with ${response.status}`);
});
