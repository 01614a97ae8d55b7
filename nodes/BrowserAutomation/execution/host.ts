import {
	CHAT_TRIGGER_NODE_TYPE,
	EXECUTE_WORKFLOW_TRIGGER_NODE_TYPE,
	FORM_TRIGGER_NODE_TYPE,
	NodeConnectionTypes,
	NodeHelpers,
	WEBHOOK_NODE_TYPE,
	type IContextObject,
	type IExecuteData,
	type IExecuteFunctions,
	type INode,
	type IRunExecutionData,
	type NodeConnectionType,
	type NodeTypeAndVersion,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { partOf, textAt } from '../service/json/json';
import { cancelSignalOf } from '../transport/cancellation';

/**
 * Who carries a node out, and what it can do. n8n 2.41 has a workflow's execution, its command line, its
 * Evaluations, the AI Assistant that executes a single node (n8n execute-node.service.js), the agents of
 * its module Agents (n8n ephemeral-node-executor.js), and agents of all ages in workflows. What is not
 * known here gets what is safe: it waits in place, for a limited time, and names the run.
 */
export interface Host {
	/** The execution's ID; empty where there is none. */
	readonly executionId: string;
	/** Where n8n resumes the execution; undefined where it must not be suspended, so that the node waits in place. */
	readonly resumeUrl: string | undefined;
	/** Whether what is noted with the execution is there in the next call of the node, on a resume and on Retry. */
	readonly keepsContext: boolean;
	/** Whether n8n knows the node again in a later execution, so that rows can be compared with earlier ones. */
	readonly keepsHistory: boolean;
	/** When n8n ends the execution by its time limit, in milliseconds since 1970; undefined where it has none. */
	readonly endsAt: number | undefined;
	/**
	 * Until when the node is to answer, with the runs as they stand then, in milliseconds since 1970: n8n ends
	 * it soon after, or nobody knows whether it does. Undefined where it may wait as long as the user says.
	 */
	readonly answersBy: number | undefined;
	/** Who is answered with the results of this execution as long as it stays awake; undefined where nobody is. */
	readonly caller: Caller | undefined;
	/** Whether an agent of n8n's module Agents polls the execution as long as it is to be resumed within a minute. */
	readonly isPolled: boolean;
	/** Whether the node hears of it when the execution is stopped. */
	readonly canBeStopped: boolean;
	/** How an AI agent uses the node as its tool; undefined where none does. */
	readonly tool: ToolUse | undefined;
}

/** Somebody who waits for the results: since when, in milliseconds since 1970. */
interface Caller {
	readonly kind: 'request' | 'workflow';
	readonly since: number;
}

/**
 * `supplied`: by an AI Agent before version 3 or over MCP, which call it as a function within their own
 * execution, many times, maybe at once. `executed`: by an AI Agent of version 3, which has n8n execute it
 * like any node. `lone`: by an agent of n8n's module Agents, without an execution.
 */
type ToolUse = 'supplied' | 'executed' | 'lone';

/** How long before n8n's end the node answers at the latest, in milliseconds: its last poll and the storing take a while. */
const BEFORE_END_MS = 3_000;

/** How long a node waits where nobody knows how long it may, in milliseconds. */
const UNKNOWN_LIMIT_MS = 300_000;

/**
 * How long an MCP Server Trigger has to wait for a worker at most, in milliseconds. n8n gives up after two
 * minutes, in which the worker has to begin, too (n8n-nodes-langchain QueuedExecutionStrategy.js).
 */
const RELAYED_LIMIT_MS = 100_000;

const MCP_TRIGGER = '@n8n/n8n-nodes-langchain.mcpTrigger';

/**
 * n8n's modes of execution (`WorkflowExecuteModeList` of n8n-workflow), and what is done in each: `suspend`
 * where n8n can resume it; `wait` where it cannot, or nobody takes the results then; `unsure` where no
 * workflow is executed as far as is known.
 */
export const MODES: Readonly<Record<WorkflowExecuteMode, 'suspend' | 'wait' | 'unsure'>> = {
	agent: 'unsure',
	chat: 'suspend',
	// The process ends when the execution is suspended.
	cli: 'wait',
	error: 'suspend',
	// n8n takes a suspended test case for a finished one.
	evaluation: 'wait',
	integrated: 'suspend',
	internal: 'unsure',
	manual: 'suspend',
	retry: 'suspend',
	trigger: 'suspend',
	webhook: 'suspend',
};

const known = new WeakMap<IExecuteFunctions, Host>();

/** The host of a call of the node, made once. */
export function hostOf(context: IExecuteFunctions): Host {
	const host = known.get(context) ?? makeHost(context);
	known.set(context, host);
	return host;
}

function makeHost(context: IExecuteFunctions): Host {
	const executionId: unknown = context.getExecutionId();
	const data = runExecutionDataOf(context);
	const hasExecution = typeof executionId === 'string' && data?.executionData !== undefined;
	// A worker then has an execution for each call.
	const isRelayed = hasExecution && isToolOf(context, MCP_TRIGGER);
	const isKept = hasExecution && !isRelayed;
	const tool = toolUseOf(context, isKept);
	const endsAt = timeoutOf(context);
	const isAlone = standsAlone(context);
	const isTemporary = isAlone && endsAt !== undefined;
	const use = isTemporary ? 'wait' : useOf(context);
	const isUnsure = !isKept || use === 'unsure';
	const limits = [
		...(isUnsure || isTemporary ? [(endsAt ?? Infinity) - BEFORE_END_MS] : []),
		...(isUnsure ? [Date.now() + (isRelayed ? RELAYED_LIMIT_MS : UNKNOWN_LIMIT_MS)] : []),
	];
	const isPolled = partOf(data, 'parentAgentRun') !== undefined;
	return {
		executionId: typeof executionId === 'string' ? executionId : '',
		resumeUrl: use === 'suspend' && tool !== 'supplied' ? resumeUrlOf(context) : undefined,
		keepsContext: isKept,
		keepsHistory: !isAlone && isStored(context),
		endsAt,
		answersBy: limits.length === 0 ? undefined : Math.min(...limits),
		caller: isPolled ? undefined : callerOf(context),
		isPolled,
		canBeStopped: cancelSignalOf(context) !== undefined,
		tool,
	};
}

/**
 * What can be done in this execution. n8n's second engine cannot resume any yet (n8n
 * engine-v2-dispatcher.service.js); before 2.10, a parent workflow does not get the results of a
 * sub-workflow that slept.
 */
function useOf(context: IExecuteFunctions): 'suspend' | 'wait' | 'unsure' {
	const mode = context.getMode();
	if (!Object.hasOwn(MODES, mode)) return 'unsure';
	const settings = 'getWorkflowSettings' in context ? context.getWorkflowSettings() : undefined;
	const isNested = mode === 'integrated' && !tellsToolExecution(context);
	const isReady =
		'putExecutionToWait' in context &&
		stackEntryOf(context) !== undefined &&
		stackOf(context) !== undefined;
	if (!isReady || isNested || partOf(settings, 'engineType') === 'v2') return 'wait';
	return MODES[mode];
}

/** `$execution.resumeUrl` (n8n-core get-additional-keys.js), read without an expression, for which n8n would prepare an engine. */
function resumeUrlOf(context: IExecuteFunctions): string | undefined {
	const url = partOf(context.getWorkflowDataProxy(0).$execution, 'resumeUrl');
	return typeof url === 'string' && URL.canParse(url) ? url : undefined;
}

/**
 * An agent before version 3 takes a suspended tool for a finished one. Before 2.10, n8n does not tell such
 * agents from those that can wait (n8n-core execute-context.js).
 */
function toolUseOf(context: IExecuteFunctions, isKept: boolean): ToolUse | undefined {
	const isTool = isToolType(context.getNode());
	if (tellsToolExecution(context) ? context.isToolExecution() : isTool) return 'supplied';
	if (!isTool) return undefined;
	return isKept ? 'executed' : 'lone';
}

/** Whether a node is the tool that n8n makes of each node that agents may use. */
export function isToolType({ type }: Pick<INode, 'type'>): boolean {
	return type.endsWith('Tool');
}

function tellsToolExecution(context: IExecuteFunctions): boolean {
	return 'isToolExecution' in context;
}

/** Whether the node is all that there is to execute: n8n then makes a workflow of it for this one call. */
function standsAlone(context: IExecuteFunctions): boolean {
	const { name } = context.getNode();
	return context.getParentNodes(name).length === 0 && agentsOf(context, name).length === 0;
}

function isStored(context: IExecuteFunctions): boolean {
	const id: unknown = context.getWorkflow().id;
	return typeof id === 'string';
}

/** Woken by its wait timer, n8n counts the time asleep towards the limit (n8n-core workflow-execute.js). */
function timeoutOf(context: IExecuteFunctions): number | undefined {
	const timeout = partOf(partOf(context, 'additionalData'), 'executionTimeoutTimestamp');
	return typeof timeout === 'number' ? timeout : undefined;
}

/**
 * Somebody who called the Webhook, Form or Chat that began the execution and is answered with what its
 * last node passes on. When the execution is suspended, n8n answers with what stands there then (n8n
 * webhook-helpers.js). A workflow that calls this one with a single item is such a caller, too: it may do
 * so for each of its items, and n8n hands it the results of one call only where the calls are suspended
 * (n8n-nodes-base ExecuteWorkflow.node.js).
 */
function callerOf(context: IExecuteFunctions): Caller | undefined {
	if (context.getMode() === 'retry') return undefined;
	const runData = runExecutionDataOf(context)?.resultData.runData ?? {};
	const { name: ownName } = context.getNode();
	const calls = [ownName, ...agentsOf(context, ownName)]
		.flatMap((name) => context.getParentNodes(name, { includeNodeParameters: true }))
		.filter((node) => {
			if (node.type !== EXECUTE_WORKFLOW_TRIGGER_NODE_TYPE) return answersWithLastNode(node);
			const items = runData[node.name]?.[0]?.data?.main?.[0];
			return context.getMode() === 'integrated' && items?.length === 1;
		});
	const since = calls
		.map(({ name }) => runData[name]?.[0]?.startTime)
		.find((time) => time !== undefined);
	const kind = context.getMode() === 'integrated' ? 'workflow' : 'request';
	return since === undefined ? undefined : { kind, since };
}

function answersWithLastNode({ type, parameters = {} }: NodeTypeAndVersion): boolean {
	if (type === CHAT_TRIGGER_NODE_TYPE) {
		const unsaid = parameters.availableInChat === true ? 'streaming' : 'lastNode';
		return (textAt(parameters.options, 'responseMode') ?? unsaid) === 'lastNode';
	}
	const isCalled = type === WEBHOOK_NODE_TYPE || type === FORM_TRIGGER_NODE_TYPE;
	return isCalled && parameters.responseMode === 'lastNode';
}

/** The agents whose tool a node is. n8n itself follows main connections alone, which lead to an agent, not to its tools. */
function agentsOf(context: object, toolName: string): string[] {
	return nextTo(context, toolName, NodeConnectionTypes.AiTool);
}

function isToolOf(context: IExecuteFunctions, type: string): boolean {
	const nodes = partOf(partOf(context, 'workflow'), 'nodes');
	const agents = agentsOf(context, context.getNode().name);
	return agents.some((agent) => textAt(partOf(nodes, agent), 'type') === type);
}

/** The nodes that one is connected to directly, maybe itself, which n8n's own lists leave out. */
function nextTo(context: object, name: string, type: NodeConnectionType): string[] {
	const connections = partOf(partOf(context, 'workflow'), 'connectionsBySourceNode');
	const outputs = partOf(partOf(connections, name), type);
	const lines: unknown[] = Array.isArray(outputs) ? outputs : [];
	return lines.flat().flatMap((line) => textAt(line, 'node') ?? []);
}

function isStackEntry(value: unknown): value is IExecuteData {
	return typeof value === 'object' && value !== null && 'node' in value && 'data' in value;
}

/** The execution's own record of this node: its input and metadata, kept while it sleeps (n8n-core base-execute-context.js). */
export function stackEntryOf(context: object): IExecuteData | undefined {
	const entry = partOf(context, 'executeData');
	return isStackEntry(entry) ? entry : undefined;
}

/** Whether a value is all that n8n keeps of an execution. */
export function isRunExecutionData(value: unknown): value is IRunExecutionData {
	return typeof value === 'object' && value !== null && 'resultData' in value;
}

/** All that n8n keeps of the execution (n8n-core node-execution-context.js). */
export function runExecutionDataOf(context: object): IRunExecutionData | undefined {
	const data = partOf(context, 'runExecutionData');
	return isRunExecutionData(data) ? data : undefined;
}

/** What n8n is still to execute, next first. */
export function stackOf(context: object): IExecuteData[] | undefined {
	return runExecutionDataOf(context)?.executionData?.nodeExecutionStack;
}

/** What this node keeps with the execution: nothing where n8n does not, or where many calls of a tool share one execution. */
export function nodeContextOf(context: IExecuteFunctions): IContextObject {
	const { keepsContext, tool } = hostOf(context);
	return keepsContext && tool !== 'supplied' ? context.getContext('node') : {};
}

/** What all nodes of this package keep with the execution. */
export function executionContextOf(context: IExecuteFunctions): IContextObject {
	return hostOf(context).keepsContext ? context.getContext('flow') : {};
}

/** What a node keeps with an execution, where it is not the node's turn. */
export function contextIn(data: IRunExecutionData | undefined, node: INode): IContextObject {
	return data?.executionData === undefined ? {} : NodeHelpers.getContext(data, 'node', node);
}
