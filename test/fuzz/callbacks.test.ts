import fc from 'fast-check';

import type { Harness, Run } from '../core/harness';
import {
	actionNode,
	answerJson,
	chosen,
	createNodes,
	forAllTests,
	Origin,
	TRIGGER,
} from '../fixture';
import { character } from '../randomValues';
import { fuzz, must, words } from './fuzz';

/** What strangers send who know an address at which n8n takes callbacks, and nothing else. */

/** A run that they have never heard of. */
const OWN_RUN = '90210047112233';

const UNKNOWN_RUN = { code: 10112, msg: 'run does not exist', data: null, ts: 1, traceId: 't' };

const service = forAllTests(new Origin());
let harness: Harness;
let asleep: Run;

beforeAll(async () => {
	// It starts runs, and knows none of those that strangers speak of.
	service.answerWith((request, response) => {
		const isKnown = request.method === 'POST' || request.url?.includes(`/runs/${OWN_RUN}`) === true;
		const answer = isKnown ? { task_id: OWN_RUN, status: 'running' } : UNKNOWN_RUN;
		answerJson(response, isKnown ? 200 : 404, answer);
		request.resume();
	});
	harness = createNodes({ url: service.url, key: 'key' }, { origin: 'http://127.0.0.1:1' });
	const parameters = { botId: chosen('1'), inputMode: 'json', input: '{}' };
	const sleeping = { ...parameters, waitForCompletion: 'automatic' };
	asleep = await harness.run(actionNode('bot', 'run', sleeping, { workflowId: 'asleep' }));
	expect(asleep.status).toBe('waiting');
});

const text = fc.oneof(
	fc.constantFrom(
		...words('.. ../90210047112234 a/b %2e%2e \ud800 \u0000 🚀 __proto__ length'),
		'',
	),
	fc.constantFrom(...words('0 -1 1e9 finished constructor'), 'x'.repeat(200), 'x'.repeat(201)),
	fc.string({ unit: character, maxLength: 300 }),
);
const anything = fc.oneof(
	...[text, fc.double(), fc.constantFrom(null, true, 2 ** 63), fc.array(text), fc.object()],
);
const call = fc.record({
	method: fc.constantFrom('GET' as const, 'POST' as const),
	name: fc.constantFrom('default' as const, 'setup' as const),
	query: fc.dictionary(fc.constantFrom(...words('item token key events with __proto__')), text),
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
