import { WorkflowExecuteModeList } from 'n8n-workflow';

import { hostOf, MODES, type Host } from '../../nodes/BrowserAutomation/execution/host';
import type { RunOptions } from '../core/harness';
import { insideNode, WORKER, type Otherwise } from './insideNode';

/** The moment at which the clock stands, in milliseconds since 1970. */
const NOW = 1_700_000_000_000;

beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(NOW));
afterEach(() => jest.restoreAllMocks());

async function hostIn(how: Partial<RunOptions> = {}, n8n: Otherwise = {}): Promise<Host> {
	return await insideNode(hostOf, how, n8n);
}

it('every mode that the installed n8n has is known, and no other', () => {
	expect(Object.keys(MODES).sort()).toEqual([...WorkflowExecuteModeList].sort());
});

it('a workflow’s execution can be suspended, and keeps what is noted', async () => {
	expect(await hostIn()).toEqual({
		executionId: expect.stringMatching(/^\d+$/),
		resumeUrl: expect.stringMatching(/^https:\/\/n8n\.example\.com\/webhook-waiting\//),
		keepsContext: true,
		keepsHistory: true,
		endsAt: undefined,
		answersBy: undefined,
		isPolled: false,
		tool: undefined,
	});
});

it('is found out once for a call', async () => {
	const isSame = await insideNode((context) => [hostOf(context) === hostOf(context)]);
	expect(isSame).toEqual([true]);
});

/** What n8n's Agents give a tool (n8n ephemeral-node-executor.js): no more than what it is to do. */
const EPHEMERAL: Otherwise = {
	getExecutionId: () => undefined,
	getExecutionCancelSignal: () => undefined,
	getMode: () => 'internal',
	getParentNodes: () => [],
	getWorkflow: () => ({ id: undefined, active: false }),
	runExecutionData: { resultData: { runData: {} } },
	getContext: () => {
		throw new Error('`executionData` is not initialized');
	},
};

/** A node that the AI Assistant executes for itself, in a workflow of its own (n8n execute-node.service.js). */
const ASSISTANT: Otherwise = { getParentNodes: () => [] };

const TOOL = { nodeType: `${WORKER}Tool` };

const BEFORE_2_10: Otherwise = { isToolExecution: undefined };

/** The tool of an agent before version 3. */
const SUPPLIED: Otherwise = { isToolExecution: () => true };

/** A mode that n8n does not have yet. */
const TOMORROW: Otherwise = { getMode: () => 'dream' };

/** A tool over MCP, which a worker executes. */
const OVER_MCP: Otherwise = {
	...SUPPLIED,
	getNode: () => ({ name: 'Bot', type: TOOL.nodeType }),
	getParentNodes: () => [],
	getWorkflowSettings: undefined,
	workflow: {
		connectionsBySourceNode: { Bot: { ai_tool: [[{ node: 'MCP' }]] } },
		nodes: { MCP: { type: '@n8n/n8n-nodes-langchain.mcpTrigger' } },
	},
};

/** A workflow that is the tool of one of n8n's Agents. */
const ASKED = { resultData: {}, executionData: { nodeExecutionStack: [] }, parentAgentRun: {} };
const OF_AGENT: Otherwise = { runExecutionData: ASKED };

const engine = (engineType: string): Otherwise => ({ getWorkflowSettings: () => ({ engineType }) });

const CALLED = { executionId: '1', webhookWaitingBaseUrl: 'https://n8n.test' };

/** What n8n says of the workflow that calls this one. */
const within = (rootExecutionMode: string): Otherwise => ({
	additionalData: { ...CALLED, rootExecutionMode },
});

const [AS_SUB_WORKFLOW, LIMITED] = [{ mode: 'integrated' }, { executionTimeout: 90 }] as const;
const BY_ASSISTANT = { mode: 'manual', executionTimeout: 30 } as const;

const ALONE = { keepsContext: true, keepsHistory: false, tool: undefined };
const KEEPS_NOTHING = { executionId: '', ...ALONE, keepsContext: false };

/** By name: how n8n carries the node out; what else it has; whether it may be suspended, or how long it may take at the most; and further. */
it.each<[string, Partial<RunOptions>, Otherwise, boolean | number, Partial<Host>?]>([
	['in the editor', { mode: 'manual' }, {}, true],
	['by a webhook', { mode: 'webhook' }, {}, true],
	['in Evaluations', { mode: 'evaluation' }, {}, false, { keepsContext: true }],
	['on the command line', { mode: 'cli' }, {}, false],
	['as a sub-workflow', AS_SUB_WORKFLOW, {}, true],
	['as a sub-workflow in Evaluations', AS_SUB_WORKFLOW, within('evaluation'), false],
	['as a sub-workflow on the command line', AS_SUB_WORKFLOW, within('cli'), false],
	['as a sub-workflow of a called one', AS_SUB_WORKFLOW, within('webhook'), true],
	['as a sub-workflow, before 2.10', AS_SUB_WORKFLOW, BEFORE_2_10, false],
	['before 2.10', {}, BEFORE_2_10, true],
	['by the second engine', {}, engine('v2'), false],
	['by the first engine', {}, engine('v1'), true],
	['where n8n tells no settings', {}, { getWorkflowSettings: undefined }, true],
	['where it cannot be suspended', {}, { putExecutionToWait: undefined }, false],
	['where its entry is not known', {}, { executeData: undefined }, false],
	['where its entry is not what it was', {}, { executeData: { data: {} } }, false],
	['where its entry is nothing', {}, { executeData: null }, false],
	['where nothing of it is kept', {}, { runExecutionData: null }, 300_000],
	['where it has no stack', {}, { runExecutionData: { resultData: {} } }, 300_000],
	['in a mode of tomorrow', {}, TOMORROW, 300_000, { keepsContext: true, tool: undefined }],
	['in a mode of tomorrow, with a time limit', LIMITED, TOMORROW, 87_000],
	['with a time limit', LIMITED, {}, true],
	['alone', {}, ASSISTANT, true, { keepsHistory: false }],
	['by the AI Assistant', BY_ASSISTANT, ASSISTANT, 27_000, ALONE],
	['by n8n’s Agents', TOOL, EPHEMERAL, 300_000, { ...KEEPS_NOTHING, tool: 'executed' }],
	['as the tool of an agent of version 3', TOOL, {}, true, { tool: 'executed' }],
	['as the tool of an older agent', {}, SUPPLIED, false, { tool: 'supplied' }],
	['as a tool over MCP', {}, OVER_MCP, 100_000, { keepsContext: false, tool: 'supplied' }],
	['as a tool, before 2.10', TOOL, BEFORE_2_10, false, { tool: 'supplied' }],
	['for an agent', AS_SUB_WORKFLOW, OF_AGENT, true, { isPolled: true }],
])('%s, a node sleeps or waits, as long as it may', async (_, how, n8n, sleeps, further = {}) => {
	const { resumeUrl, answersBy, ...host } = await hostIn(how, n8n);
	expect(resumeUrl !== undefined).toBe(sleeps === true);
	expect(answersBy).toBe(typeof sleeps === 'number' ? NOW + sleeps : undefined);
	expect(host).toMatchObject(further);
});

const NO_URLS = [undefined, null, '7', {}, { resumeUrl: 7 }, { resumeUrl: 'n8n' }];
const NO_LIMITS = [undefined, null, {}, { executionTimeoutTimestamp: 'soon' }];

it.each(NO_URLS)('is not suspended where n8n says %p of the execution', async ($execution) => {
	const n8n = { getWorkflowDataProxy: () => ({ $execution }) };
	expect(await hostIn({}, n8n)).toMatchObject({ resumeUrl: undefined, answersBy: undefined });
});

it.each(NO_LIMITS)('the workflow’s time limit is not known from %p', async (additionalData) => {
	const n8n = { additionalData, getExecutionId: () => '7', getWorkflowDataProxy: () => ({}) };
	expect(await hostIn({ executionTimeout: 90 }, n8n)).toMatchObject({ endsAt: undefined });
});
