import type { IExecuteFunctions } from 'n8n-workflow';

import { isProduction } from '../../../nodes/BrowserAutomation/execution/workflow';
import {
	calledAt,
	claimsExecutions,
	engineSleeps,
	layWakingEntry,
	resumeUrlOf,
	runIndexOf,
	isToolOfOlderAgent,
	timeoutOf,
} from '../../../nodes/BrowserAutomation/execution/waiting/platform';
import type { RunOptions } from '../../core/harness';
import { insideNode, WORKER, type Otherwise } from '../insideNode';

/** What the node finds out about its n8n. */
async function ask(how: Partial<RunOptions> = {}, n8n: Otherwise = {}): Promise<object> {
	return await insideNode(
		(context) => ({
			resumeUrl: resumeUrlOf(context),
			round: runIndexOf(context),
			isTool: isToolOfOlderAgent(context),
			sleeps: engineSleeps(context),
			isProduction: isProduction(context),
			endsAt: timeoutOf(context),
		}),
		how,
		n8n,
	);
}

it('an n8n of today wakes executions, at an address of their own', async () => {
	expect(await ask()).toEqual({
		resumeUrl: expect.stringMatching(/^https:\/\/n8n\.example\.com\/webhook-waiting\//),
		round: 0,
		isTool: false,
		sleeps: true,
		isProduction: true,
		endsAt: undefined,
	});
});

it.each([undefined, null, '7', {}, { resumeUrl: 7 }, { resumeUrl: 'n8n' }])(
	'there is no address where n8n says %p of the execution',
	async ($execution) => {
		const n8n = { getWorkflowDataProxy: () => ({ $execution, $runIndex: 2 }) };
		expect(await ask({}, n8n)).toMatchObject({ resumeUrl: undefined, round: 2 });
	},
);

it('executions of the editor are told from those of active workflows', async () => {
	expect(await ask({ mode: 'manual' })).toMatchObject({ isProduction: false, sleeps: true });
	expect(await ask({ mode: 'webhook' })).toMatchObject({ isProduction: true, sleeps: true });
});

it.each<[string, Partial<RunOptions>, Otherwise, boolean]>([
	['on the command line', { mode: 'cli' }, {}, false],
	['as a sub-workflow', { mode: 'integrated' }, {}, true],
	['as a sub-workflow, before 2.10', { mode: 'integrated' }, { isToolExecution: undefined }, false],
	['before 2.10', {}, { isToolExecution: undefined }, true],
	['by the second engine', {}, { getWorkflowSettings: () => ({ engineType: 'v2' }) }, false],
	['by the first engine', {}, { getWorkflowSettings: () => ({ engineType: 'v1' }) }, true],
	['where n8n tells no settings', {}, { getWorkflowSettings: undefined }, true],
	['where it cannot be put to sleep', {}, { putExecutionToWait: undefined }, false],
	['where its stack is not known', {}, { runExecutionData: undefined }, false],
	['where its stack is not what it was', {}, { runExecutionData: null }, false],
	['where it has no stack', {}, { runExecutionData: { resultData: {} } }, false],
	['where its entry is not known', {}, { executeData: undefined }, false],
	['where its entry is not what it was', {}, { executeData: { data: {} } }, false],
	['where its entry is nothing', {}, { executeData: null }, false],
])('an execution %s sleeps, or does not', async (_, how, n8n, sleeps) => {
	expect(await ask(how, n8n)).toMatchObject({ sleeps });
});

it.each<[string, Otherwise, boolean]>([
	[WORKER, { isToolExecution: () => true }, true],
	[`${WORKER}Tool`, {}, false],
	[`${WORKER}Tool`, { isToolExecution: undefined }, true],
	[WORKER, { isToolExecution: undefined }, false],
])(
	'as %s, of an n8n with %p, the node runs as a tool or does not',
	async (nodeType, n8n, isTool) => {
		expect(await ask({ nodeType }, n8n)).toMatchObject({ isTool });
	},
);

it('the workflow’s time limit is known where it has one', async () => {
	const before = Date.now();
	const { endsAt }: { endsAt?: unknown } = Object(await ask({ executionTimeout: 90 }));
	expect(endsAt).toBeGreaterThanOrEqual(before + 90_000);
	expect(endsAt).toBeLessThanOrEqual(Date.now() + 90_000);
});

it.each([undefined, null, {}, { executionTimeoutTimestamp: 'soon' }])(
	'the workflow’s time limit is not known from %p',
	async (additionalData) => {
		const n8n = { additionalData, getWorkflowDataProxy: () => ({}), getMode: () => 'trigger' };
		const answer = await ask({ executionTimeout: 90 }, n8n);
		expect(answer).toMatchObject({ endsAt: undefined, round: 0 });
	},
);

it('n8n wakes an execution only while it sleeps where its address is signed', () => {
	expect(claimsExecutions('https://n8n.example.com/webhook-waiting/1?signature=a')).toBe(true);
	expect(claimsExecutions('https://n8n.example.com/webhook-waiting/1?token=a')).toBe(false);
});

describe('an execution that is put to sleep', () => {
	const node = { name: 'Run', alwaysOutputData: true };
	const items = [{ json: { keyword: 'a' } }];
	const entryOf = () => ({
		node,
		data: { main: [items, null] },
		source: { main: [{ previousNode: 'Start' }] },
		metadata: { subRun: 1 },
	});

	/** Lays the entry that wakes the node, of an entry and what n8n keeps of the execution. */
	async function layIn(executeData: unknown, executionData: unknown): Promise<void> {
		const runExecutionData = { resultData: {}, executionData };
		const lay = (context: IExecuteFunctions): true => (layWakingEntry(context, 3), true);
		await insideNode(lay, {}, { executeData, runExecutionData });
	}

	it('has the node carried out again with its input, and passes nothing on before', async () => {
		const entry = entryOf();
		const nodeExecutionStack: unknown[] = ['what comes next'];
		await layIn(entry, { nodeExecutionStack });
		expect(nodeExecutionStack).toEqual([
			{ ...entryOf(), runIndex: 3, metadata: { subRun: 1, nodeWasResumed: true } },
			'what comes next',
		]);
		expect(entry).toEqual({
			...entryOf(),
			data: { main: [] },
			node: { ...node, alwaysOutputData: false },
		});
	});

	it('keeps its input from what n8n does to that of the present entry', async () => {
		const nodeExecutionStack: Array<ReturnType<typeof entryOf>> = [];
		await layIn(entryOf(), { nodeExecutionStack });
		items.push({ json: { keyword: 'later' } });
		expect(nodeExecutionStack[0]?.data.main[0]).toHaveLength(1);
		items.pop();
	});

	it('is left as it is where its entry or its stack is not known', async () => {
		const nodeExecutionStack: unknown[] = [];
		await layIn(undefined, { nodeExecutionStack });
		expect(nodeExecutionStack).toEqual([]);
		const entry = entryOf();
		for (const executionData of [undefined, {}]) await layIn(entry, executionData);
		expect(entry).toEqual(entryOf());
	});
});

const CHAT = '@n8n/n8n-nodes-langchain.chatTrigger';
const FORM = 'n8n-nodes-base.formTrigger';

/** When a caller began that is answered, where the execution began with these nodes and items. */
async function callerOf(
	nodes: object[],
	items: object[],
	how: Partial<RunOptions> = {},
): Promise<number | undefined> {
	const runData = { Begun: [{ startTime: 7, data: { main: [items] } }] };
	const n8n = { getParentNodes: () => nodes, runExecutionData: { resultData: { runData } } };
	const [since] = await insideNode((context) => [calledAt(context)], how, n8n);
	return since;
}

it.each<[string, object, boolean]>([
	['n8n-nodes-base.webhook', { responseMode: 'lastNode' }, true],
	['n8n-nodes-base.webhook', { responseMode: 'responseNode' }, false],
	['n8n-nodes-base.webhook', {}, false],
	[FORM, { responseMode: 'lastNode' }, true],
	[FORM, { responseMode: 'onReceived' }, false],
	[CHAT, {}, true],
	[CHAT, { options: { responseMode: 'lastNode' }, availableInChat: true }, true],
	[CHAT, { options: { responseMode: 'responseNodes' } }, false],
	[CHAT, { availableInChat: true }, false],
	['n8n-nodes-base.set', { responseMode: 'lastNode' }, false],
])(
	'a caller of %s with %p is answered by the last node, or not',
	async (type, parameters, isSo) => {
		const nodes = ['Other', 'Begun'].map((name) => ({ name, type, parameters }));
		expect(await callerOf(nodes, [])).toBe(isSo ? 7 : undefined);
	},
);

it.each<[string, Partial<RunOptions>, object[], boolean]>([
	['with one item, which may be one of many calls', { mode: 'integrated' }, [{}], true],
	['with all items', { mode: 'integrated' }, [{}, {}], false],
	['with no items', { mode: 'integrated' }, [], false],
	['in the editor', { mode: 'manual' }, [{}], false],
	['by Retry', { mode: 'retry' }, [{}], false],
])('a sub-workflow that is called %s is awaited, or not', async (_, how, items, isSo) => {
	const trigger = { name: 'Begun', type: 'n8n-nodes-base.executeWorkflowTrigger' };
	expect(await callerOf([trigger], items, how)).toBe(isSo ? 7 : undefined);
});
