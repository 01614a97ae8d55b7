import { callerOf } from '../../nodes/BrowserAutomation/execution/caller';
import type { RunOptions } from '../core/harness';
import { insideNode, type Otherwise } from './insideNode';

/** The moment at which the clock stands, in milliseconds since 1970. */
const NOW = 1_700_000_000_000;

beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(NOW));
afterEach(() => jest.restoreAllMocks());

const HOOK = 'n8n-nodes-base.webhook';
const FORM = 'n8n-nodes-base.formTrigger';
const WAIT = 'n8n-nodes-base.wait';
const CHAT = '@n8n/n8n-nodes-langchain.chatTrigger';
const CALLED = 'n8n-nodes-base.executeWorkflowTrigger';

const LAST = { responseMode: 'lastNode' };
const RESPONDER = { responseMode: 'responseNode' };
const STREAMING = { responseMode: 'streaming' };

/** What n8n knows of the process (n8n-core instance-settings.js). */
class InstanceSettings {
	constructor(readonly instanceType: string) {}
}

const WORKER: Otherwise = { instanceSettings: new InstanceSettings('worker') };
const MAIN: Otherwise = { instanceSettings: new InstanceSettings('main') };
const STREAM: Otherwise = { additionalData: { streamingEnabled: true } };

/** A node that was executed before, at these moments. */
interface Executed {
	type: string;
	parameters?: object;
	at: number[];
	items?: object[];
}

/** Since when somebody waits for an execution in which these nodes came before. */
async function awaitedSince(
	executed: Executed[],
	how: Partial<RunOptions> = {},
	n8n: Otherwise = {},
	{ isResumed = false, ...data }: { isResumed?: boolean } = {},
): Promise<number | undefined> {
	const nodes = executed.map((node, index) => ({ name: `Node ${index}`, ...node }));
	const runData = Object.fromEntries(
		nodes.map(({ name, at, items = [{}] }) => [
			name,
			at.map((startTime) => ({ startTime, data: { main: [items] } })),
		]),
	);
	const other = { name: 'Not executed', type: HOOK, parameters: LAST };
	const executionData = { nodeExecutionStack: [] };
	const found = await insideNode(
		async (context) => [(await callerOf(context, isResumed))?.since],
		how,
		{
			getParentNodes: () => [other, ...nodes],
			getWorkflowDataProxy: () => ({ $execution: { resumeUrl: 'https://n8n.example.com/7' } }),
			workflow: { nodes: Object.fromEntries(nodes.map((node) => [node.name, node])) },
			runExecutionData: { resultData: { runData }, executionData, ...data },
			...n8n,
		},
	);
	return found[0];
}

it.each<[string, object, boolean, Otherwise?]>([
	[HOOK, LAST, true],
	[HOOK, STREAMING, true],
	[HOOK, RESPONDER, false],
	[HOOK, RESPONDER, false, MAIN],
	[HOOK, RESPONDER, true, WORKER],
	[HOOK, {}, false, WORKER],
	[FORM, LAST, true],
	[FORM, RESPONDER, true, WORKER],
	[FORM, { responseMode: 'onReceived' }, false, WORKER],
	[WAIT, { resume: 'webhook', ...LAST }, true],
	[WAIT, { resume: 'form', ...RESPONDER }, true, WORKER],
	// n8n keeps what was chosen before the node was set to wait for a time.
	[WAIT, { resume: 'timeInterval', ...LAST }, false],
	[CHAT, {}, true],
	[CHAT, { availableInChat: true }, true],
	[CHAT, { options: STREAMING }, true],
	[CHAT, { options: RESPONDER }, true, WORKER],
	// The chat asks n8n until the execution is over.
	[CHAT, { options: { responseMode: 'responseNodes' } }, false, WORKER],
	['n8n-nodes-base.set', LAST, false],
])('who called %s with %p waits for the results: %p', async (type, parameters, isSo, n8n = {}) => {
	const executed = [{ type, parameters, at: [7] }];
	expect(await awaitedSince(executed, {}, n8n)).toBe(isSo ? 7 : undefined);
});

it.each<[string, object, number[], number | undefined]>([
	['before the call', RESPONDER, [3], 7],
	['with the call', RESPONDER, [7], undefined],
	['since', RESPONDER, [3, 9], undefined],
	['since, which answers nobody who waits for the last node', LAST, [9], 7],
])('who waits where a worker executes Respond to Webhook %s', async (_, parameters, at, since) => {
	const responding = { type: 'n8n-nodes-base.respondToWebhook', at };
	const executed = [{ type: HOOK, parameters, at: [7] }, responding];
	expect(await awaitedSince(executed, {}, WORKER)).toBe(since);
});

it('the last of several calls counts', async () => {
	const wait = { type: WAIT, parameters: { resume: 'webhook', ...LAST }, at: [8, 12] };
	const executed = [{ type: HOOK, parameters: LAST, at: [7] }, wait];
	expect(await awaitedSince(executed)).toBe(12);
});

const PARENT = { parentExecution: { executionId: '0' } };
const GOES_ON = { parentExecution: { executionId: '0', shouldResume: false } };

it.each<[string, Partial<RunOptions>, object[], boolean, object?]>([
	['with one item, which may be one of many calls', { mode: 'integrated' }, [{}], true],
	['with all items', { mode: 'integrated' }, [{}, {}], false],
	['with no items', { mode: 'integrated' }, [], false],
	['with one item by one that goes on', { mode: 'integrated' }, [{}], false, GOES_ON],
	['in the editor', { mode: 'manual' }, [{}], false],
	['by Retry', { mode: 'retry' }, [{}], false],
])('a sub-workflow called %s is awaited, or not', async (_, how, items, isSo, data = {}) => {
	const since = await awaitedSince([{ type: CALLED, at: [7], items }], how, {}, data);
	expect(since).toBe(isSo ? 7 : undefined);
});

/** The executions that call each other, as n8n has stored them when they began; the first one called this one. */
function calledBy(...parents: Array<{ type: string; parameters?: object }>) {
	const data = parents.map((node, index) => ({
		executionData: { nodeExecutionStack: [{ node }] },
		...(index + 1 < parents.length && { parentExecution: { executionId: String(index + 1) } }),
	}));
	return {
		getExecutionDataById: async (id: string) => {
			if (data[Number(id)] === undefined) throw new Error('There is no database');
			return data[Number(id)];
		},
	};
}

const SUB = { type: CALLED };
const ASKED = { type: HOOK, parameters: LAST };
const ASKED_RESPONDER = { type: HOOK, parameters: RESPONDER };

it.each<[string, Otherwise, object, boolean]>([
	['by one that somebody waits for', calledBy(ASKED), PARENT, true],
	['by one that such a one calls', calledBy(SUB, SUB, ASKED), PARENT, true],
	['by one that a worker executes', { ...calledBy(ASKED_RESPONDER), ...WORKER }, PARENT, true],
	['by one that no worker executes', calledBy(ASKED_RESPONDER), PARENT, false],
	['by one that nobody waits for', calledBy(SUB, { type: HOOK }), PARENT, false],
	['by one that goes on', calledBy(ASKED), GOES_ON, false],
	['by one that was suspended with it', calledBy(ASKED), { ...PARENT, isResumed: true }, false],
	['by one that n8n cannot tell of', calledBy(), PARENT, false],
	['by one that is not stored', { getExecutionDataById: async () => undefined }, PARENT, false],
	['within a stream', STREAM, {}, true],
	['within a stream, where it cannot sleep', { ...STREAM, executeData: null }, {}, false],
	['by an agent that polls it', STREAM, { parentAgentRun: {} }, false],
])('a sub-workflow that is called %s is awaited, or not', async (_, n8n, data, isSo) => {
	const executed = [{ type: CALLED, at: [7], items: [{}, {}] }];
	const since = await awaitedSince(executed, { mode: 'integrated' }, n8n, data);
	expect(since).toBe(isSo ? NOW : undefined);
});
