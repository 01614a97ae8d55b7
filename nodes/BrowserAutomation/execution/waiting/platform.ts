import {
	CHAT_TRIGGER_NODE_TYPE,
	EXECUTE_WORKFLOW_TRIGGER_NODE_TYPE,
	FORM_TRIGGER_NODE_TYPE,
	NodeConnectionTypes,
	NodeHelpers,
	SEND_AND_WAIT_OPERATION,
	WEBHOOK_NODE_TYPE,
	type IContextObject,
	type IExecuteData,
	type IExecuteFunctions,
	type IRunExecutionData,
	type IWebhookFunctions,
	type NodeConnectionType,
	type NodeTypeAndVersion,
} from 'n8n-workflow';

import { partOf, textAt } from '../../service/json/json';

/**
 * What sleeping needs of n8n beyond its documented interface, and where that stands in n8n 2.41 (n8n
 * 1.123 has the same). Each part is looked for before it is used; where it is missing, the node does without.
 */

type Context = IExecuteFunctions | IWebhookFunctions;

/** What tells which nodes stand around one. */
type Surroundings = Pick<Context, 'getNode' | 'getParentNodes' | 'getChildNodes'>;

/**
 * Where n8n wakes this execution (`$execution.resumeUrl`, n8n-core get-additional-keys.js); undefined where
 * it cannot. Read without an expression, for which n8n would prepare an engine.
 */
export function resumeUrlOf(context: IExecuteFunctions): string | undefined {
	if (isToolOfOlderAgent(context) || !engineSleeps(context)) return undefined;
	const url = partOf(context.getWorkflowDataProxy(0).$execution, 'resumeUrl');
	return typeof url === 'string' && URL.canParse(url) ? url : undefined;
}

/** Which round of the node this is: a loop runs it more than once in an execution (n8n-workflow workflow-data-proxy.js). */
export function runIndexOf(context: IExecuteFunctions): number {
	const runIndex: unknown = context.getWorkflowDataProxy(0).$runIndex;
	return typeof runIndex === 'number' ? runIndex : 0;
}

/**
 * Whether the node is the tool of an agent before version 3, which takes a sleeping tool for a finished one.
 * Before 2.10, n8n does not tell such agents from those that can wait (n8n-core execute-context.js).
 */
export function isToolOfOlderAgent(context: IExecuteFunctions): boolean {
	return tellsToolExecution(context)
		? context.isToolExecution()
		: context.getNode().type.endsWith('Tool');
}

function tellsToolExecution(context: IExecuteFunctions): boolean {
	return 'isToolExecution' in context;
}

/**
 * Whether n8n can wake executions of this workflow. Its second engine cannot yet (n8n
 * engine-v2-dispatcher.service.js), nor can the command line, which ends when the execution sleeps;
 * before version 2, a parent workflow does not get the results of a sub-workflow that slept.
 */
export function engineSleeps(context: IExecuteFunctions): boolean {
	if (!('putExecutionToWait' in context)) return false;
	if (stackEntryOf(context) === undefined || stackOf(context) === undefined) return false;
	const mode = context.getMode();
	if (mode === 'cli' || (mode === 'integrated' && !tellsToolExecution(context))) return false;
	const settings = 'getWorkflowSettings' in context ? context.getWorkflowSettings() : undefined;
	return partOf(settings, 'engineType') !== 'v2';
}

/**
 * Whether n8n wakes an execution only while it is stored as waiting; earlier versions also when it is awake.
 * The signature in the resume URL came later than that (2.14, n8n waiting-webhooks.js).
 */
export function claimsExecutions(resumeUrl: string): boolean {
	return new URL(resumeUrl).searchParams.has('signature');
}

/**
 * When n8n ends the execution by the workflow's time limit, if it has one, in milliseconds since 1970. Woken
 * by its clock, n8n counts the time asleep (n8n-core workflow-execute.js).
 */
export function timeoutOf(context: IExecuteFunctions): number | undefined {
	const timeout = partOf(partOf(context, 'additionalData'), 'executionTimeoutTimestamp');
	return typeof timeout === 'number' ? timeout : undefined;
}

/**
 * When somebody called the Webhook, Form or Chat that began the execution and is answered with what
 * its last node passes on, in milliseconds since 1970; undefined where nobody is. When the execution
 * sleeps, n8n answers with what stands there then (n8n webhook-helpers.js). A workflow that calls this
 * one with a single item is such a caller, too: it may do so for each of its items, and n8n hands it
 * the results of one call only where the calls sleep (n8n-nodes-base ExecuteWorkflow.node.js).
 */
export function calledAt(context: IExecuteFunctions): number | undefined {
	if (context.getMode() === 'retry') return undefined;
	const runData = runExecutionDataOf(context)?.resultData.runData ?? {};
	const { name: ownName } = context.getNode();
	return [ownName, ...agentsOf(context, ownName)]
		.flatMap((name) => context.getParentNodes(name, { includeNodeParameters: true }))
		.filter((node) => {
			if (node.type !== EXECUTE_WORKFLOW_TRIGGER_NODE_TYPE) return answersWithLastNode(node);
			const items = runData[node.name]?.[0]?.data?.main?.[0];
			return context.getMode() === 'integrated' && items?.length === 1;
		})
		.map(({ name }) => runData[name]?.[0]?.startTime)
		.find((time) => time !== undefined);
}

/** The agents whose tool a node is. n8n itself follows main connections alone, which lead to an agent, not to its tools. */
function agentsOf(context: object, toolName: string): string[] {
	return nextTo(context, toolName, NodeConnectionTypes.AiTool);
}

/** The nodes that one is connected to directly, maybe itself, which n8n's own lists leave out. */
function nextTo(context: object, name: string, type: NodeConnectionType): string[] {
	const connections = partOf(partOf(context, 'workflow'), 'connectionsBySourceNode');
	const outputs = partOf(partOf(connections, name), type);
	const lines: unknown[] = Array.isArray(outputs) ? outputs : [];
	return lines.flat().flatMap((line) => textAt(line, 'node') ?? []);
}

function answersWithLastNode({ type, parameters = {} }: NodeTypeAndVersion): boolean {
	if (type === CHAT_TRIGGER_NODE_TYPE) {
		const unsaid = parameters.availableInChat === true ? 'streaming' : 'lastNode';
		return (textAt(parameters.options, 'responseMode') ?? unsaid) === 'lastNode';
	}
	const isCalled = type === WEBHOOK_NODE_TYPE || type === FORM_TRIGGER_NODE_TYPE;
	return isCalled && parameters.responseMode === 'lastNode';
}

function isStackEntry(value: unknown): value is IExecuteData {
	return typeof value === 'object' && value !== null && 'node' in value && 'data' in value;
}

/** The execution's own record of this node: its input and metadata, kept while it sleeps (n8n-core base-execute-context.js). */
function stackEntryOf(context: Context): IExecuteData | undefined {
	const entry = partOf(context, 'executeData');
	return isStackEntry(entry) ? entry : undefined;
}

function isRunExecutionData(value: unknown): value is IRunExecutionData {
	return typeof value === 'object' && value !== null && 'resultData' in value;
}

/** All that n8n keeps of the execution (n8n-core node-execution-context.js). */
function runExecutionDataOf(context: object): IRunExecutionData | undefined {
	const data = partOf(context, 'runExecutionData');
	return isRunExecutionData(data) ? data : undefined;
}

/** What n8n is still to execute, next first. */
function stackOf(context: IExecuteFunctions): IExecuteData[] | undefined {
	return runExecutionDataOf(context)?.executionData?.nodeExecutionStack;
}

/** Nodes of n8n's own that may put the execution to sleep, by the end of their type; and their operations that do. */
const SLEEPERS = ['.wait', '.form', '.executeWorkflow'];
const SLEEPING: unknown[] = [SEND_AND_WAIT_OPERATION, 'dispatchAndWait'];

/** Whether the execution may sleep again in a node of n8n's own that its results are passed on to. */
export function maySleepBehind(context: Surroundings): boolean {
	return context
		.getChildNodes(context.getNode().name, { includeNodeParameters: true })
		.some(({ name, type, parameters }) => {
			const sleeps = SLEEPERS.some((end) => type.endsWith(end));
			return sleeps || SLEEPING.includes(parameters?.operation) || answersChat(context, name, type);
		});
}

/** Whether a node waits for the answer to what it says in a chat (n8n-nodes-base RespondToWebhook.node.js). */
function answersChat(context: Surroundings, name: string, nodeType: string): boolean {
	const isChat = ({ type }: NodeTypeAndVersion): boolean => type === CHAT_TRIGGER_NODE_TYPE;
	return nodeType.endsWith('.respondToWebhook') && context.getParentNodes(name).some(isChat);
}

/**
 * Whether this is the last time that the execution can sleep: n8n is to execute nothing more than the two
 * entries of the node that sleeps, which stands in no loop and is no agent's tool, and its results go on
 * to nodes of n8n's own that do not sleep. Nobody knows about those of other packages, or about agents;
 * and in the old order of execution, n8n may add nodes that do not stand behind (n8n-core
 * `addNodeToBeExecuted` in workflow-execute.js).
 */
export function isLastToSleep(context: Surroundings): boolean {
	const { name: own } = context.getNode();
	const { nodeExecutionStack: stack = [], waitingExecution = {} } =
		runExecutionDataOf(context)?.executionData ?? {};
	const isAlone = stack.length === 2 && stack.every(({ node }) => node.name === own);
	const isAwaited = Object.keys(waitingExecution).length > 0 || agentsOf(context, own).length > 0;
	const order = partOf(partOf(partOf(context, 'workflow'), 'settings'), 'executionOrder');
	if (order !== 'v1' || !isAlone || isAwaited || maySleepBehind(context)) return false;
	if (nextTo(context, own, NodeConnectionTypes.Main).includes(own)) return false;
	const before = new Set(context.getParentNodes(own).map(({ name }) => name));
	return context
		.getChildNodes(own)
		.every(({ name, type }) => type.startsWith('n8n-nodes-base.') && !before.has(name));
}

/** What a node keeps with the execution, where only a handler of a callback is at work. */
export function nodeContextOf(context: IWebhookFunctions): IContextObject {
	const data = runExecutionDataOf(context);
	return data === undefined ? {} : NodeHelpers.getContext(data, 'node', context.getNode());
}

/**
 * The same as n8n's database has it now, if the execution sleeps; empty if it does not. What n8n has
 * handed to a handler may be older (`getRunExecutionData`, n8n workflow-execute-additional-data.js).
 */
export async function storedNodeContext(
	context: Pick<IWebhookFunctions, 'getExecutionId' | 'getNode'>,
): Promise<IContextObject> {
	const read = partOf(partOf(context, 'additionalData'), 'getRunExecutionData');
	if (typeof read !== 'function') return {};
	const data: unknown = await read.call(undefined, context.getExecutionId());
	const sleeps = isRunExecutionData(data) && data.waitTill !== undefined;
	return sleeps ? NodeHelpers.getContext(data, 'node', context.getNode()) : {};
}

/**
 * Makes n8n execute the node again, with its input, when it wakes the execution. n8n itself puts the
 * present entry back on top of its stack and then skips it, so that a second one is laid below it
 * (n8n-core workflow-execute.js). Only to be called right before the execution is put to sleep.
 */
export function layWakingEntry(context: IExecuteFunctions, runIndex: number): void {
	const entry = stackEntryOf(context);
	const stack = stackOf(context);
	if (entry === undefined || stack === undefined) return;
	const { node, data, source, metadata } = entry;
	const copy = (lists: (typeof data)[string]) => lists.map((items) => items && [...items]);
	const input = Object.entries(data).map(([type, lists]) => [type, copy(lists)] as const);
	const resumed = { ...metadata, nodeWasResumed: true };
	stack.unshift({ node, data: Object.fromEntries(input), source, runIndex, metadata: resumed });
	// No outputs at all: an empty list would make an empty run of the node.
	entry.data = { main: [] };
	entry.node = { ...node, alwaysOutputData: false };
}
