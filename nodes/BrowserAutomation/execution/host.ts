import {
	NodeConnectionTypes,
	NodeHelpers,
	type IContextObject,
	type IExecuteData,
	type IExecuteFunctions,
	type INode,
	type IRunExecutionData,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { partOf, textAt } from '../service/json/json';

/**
 * Who executes the node, and what that host can do. n8n 2.41 has these hosts: the execution of a workflow, the command line,
 * Evaluations, the AI Assistant for single nodes (n8n execute-node.service.js), the agents of the module Agents (n8n
 * ephemeral-node-executor.js), and AI Agent nodes of several versions. In any other host, the node does what is safe: it
 * waits in place for a limited time, and names the run.
 */
export interface Host {
	/** The execution's ID; empty where there is none. */
	readonly executionId: string;
	/** The address that resumes the execution. Undefined where it must not be suspended: the node waits in place. */
	readonly resumeUrl: string | undefined;
	/** Whether data stored with the execution is there in the node's next call, when it resumes, and on Retry. */
	readonly keepsContext: boolean;
	/** Whether n8n recognises the node in later executions, so that rows can be compared with earlier ones. */
	readonly keepsHistory: boolean;
	/** When the time limit of the execution ends it, in milliseconds since 1970. Undefined without a limit. */
	readonly endsAt: number | undefined;
	/** When the node is to answer, as n8n may end it soon after: in milliseconds since 1970. Undefined where it may wait as the user says. */
	readonly answersBy: number | undefined;
	/** Whether an agent of the module Agents polls the execution. It does so while the wait timer is due within a minute. */
	readonly isPolled: boolean;
	/** How an AI agent uses the node as its tool; undefined where none does. */
	readonly tool: ToolUse | undefined;
}

/**
 * - `supplied`: AI Agents before version 3, and MCP, call the tool within their own execution, often and in parallel.
 * - `executed`: AI Agents of version 3 have n8n execute it like any node; agents of the module Agents call it without an execution.
 */
type ToolUse = 'supplied' | 'executed';

/** How long before n8n's time limit the node answers, in milliseconds: its last poll and storing take a while. */
const BEFORE_END_MS = 3_000;

/** How long the node waits in a host whose limit is not known, in milliseconds. */
const UNKNOWN_LIMIT_MS = 300_000;

/**
 * How long the node waits in a worker that an MCP Server Trigger called, in milliseconds. n8n ends the call two minutes after
 * it has asked for the worker (n8n-nodes-langchain QueuedExecutionStrategy.js).
 */
const RELAYED_LIMIT_MS = 100_000;

const MCP_TRIGGER = '@n8n/n8n-nodes-langchain.mcpTrigger';

/**
 * What the node does in each of n8n's modes of execution (`WorkflowExecuteModeList` of n8n-workflow):
 * - `suspend`: n8n can resume the execution.
 * - `wait` in place: n8n cannot resume it, or nobody would get the results.
 * - `unsure`: no workflow is executed, as far as is known.
 */
export const MODES: Readonly<Record<WorkflowExecuteMode, 'suspend' | 'wait' | 'unsure'>> = {
	agent: 'unsure',
	chat: 'suspend',
	// The process ends when it suspends the execution.
	cli: 'wait',
	error: 'suspend',
	// n8n treats a suspended test case as finished.
	evaluation: 'wait',
	integrated: 'suspend',
	internal: 'unsure',
	manual: 'suspend',
	retry: 'suspend',
	trigger: 'suspend',
	webhook: 'suspend',
};

const known = new WeakMap<IExecuteFunctions, Host>();

/** The host of this call of the node, determined once. */
export function hostOf(context: IExecuteFunctions): Host {
	const host = known.get(context) ?? makeHost(context);
	known.set(context, host);
	return host;
}

function makeHost(context: IExecuteFunctions): Host {
	const executionId: unknown = context.getExecutionId();
	const data = runExecutionDataOf(context);
	const hasExecution = typeof executionId === 'string' && data?.executionData !== undefined;
	// Then each call is an execution of its own, in a worker.
	const isRelayed = hasExecution && isToolOf(context, MCP_TRIGGER);
	const isKept = hasExecution && !isRelayed;
	const tool = toolUseOf(context);
	const endsAt = timeoutOf(context);
	const isAlone = standsAlone(context);
	const isTemporary = isAlone && endsAt !== undefined;
	const use = isTemporary ? 'wait' : useOf(context);
	const isUnsure = !isKept || use === 'unsure';
	const limits = [
		...(isUnsure || isTemporary ? [(endsAt ?? Infinity) - BEFORE_END_MS] : []),
		...(isUnsure ? [Date.now() + (isRelayed ? RELAYED_LIMIT_MS : UNKNOWN_LIMIT_MS)] : []),
	];
	return {
		executionId: typeof executionId === 'string' ? executionId : '',
		resumeUrl: use === 'suspend' && tool !== 'supplied' ? resumeUrlOf(context) : undefined,
		keepsContext: isKept,
		keepsHistory: !isAlone && typeof context.getWorkflow().id === 'string',
		endsAt,
		answersBy: limits.length === 0 ? undefined : Math.min(...limits),
		isPolled: partOf(data, 'parentAgentRun') !== undefined,
		tool,
	};
}

/**
 * What the node can do in this execution. n8n's second engine cannot resume it (n8n engine-v2-dispatcher.service.js). Before
 * 2.10, a parent workflow does not get the results of a sub-workflow that was suspended.
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
	// These take a suspended parent for finished: the mode of the outermost workflow that calls (2.41 workflow-execute-additional-data.js).
	const root = partOf(partOf(context, 'additionalData'), 'rootExecutionMode');
	const cannotBeWithin = root === 'cli' || root === 'evaluation';
	const isSecondEngine = partOf(settings, 'engineType') === 'v2';
	if (!isReady || isNested || cannotBeWithin || isSecondEngine) return 'wait';
	return MODES[mode];
}

/** `$execution.resumeUrl` (n8n-core get-additional-keys.js), read without an expression: n8n would start an engine for one. */
function resumeUrlOf(context: IExecuteFunctions): string | undefined {
	const url = partOf(context.getWorkflowDataProxy(0).$execution, 'resumeUrl');
	return typeof url === 'string' && URL.canParse(url) ? url : undefined;
}

/**
 * Agents before version 3 treat a suspended tool as finished. n8n before 2.10 does not tell them apart from
 * agents that can wait (n8n-core execute-context.js), so there all tools count as `supplied`.
 */
function toolUseOf(context: IExecuteFunctions): ToolUse | undefined {
	const isTool = isToolType(context.getNode());
	if (tellsToolExecution(context) ? context.isToolExecution() : isTool) return 'supplied';
	return isTool ? 'executed' : undefined;
}

/** Whether a node is the tool version that n8n makes of each node that agents may use. */
export function isToolType({ type }: Pick<INode, 'type'>): boolean {
	return type.endsWith('Tool');
}

function tellsToolExecution(context: IExecuteFunctions): boolean {
	return 'isToolExecution' in context;
}

/** Whether nothing is connected to the node: then n8n may have made its workflow for this one call. */
function standsAlone(context: IExecuteFunctions): boolean {
	const { name } = context.getNode();
	return context.getParentNodes(name).length === 0 && agentsOf(context, name).length === 0;
}

/** The limit of this call. What its wait timer resumed n8n ends earlier, but in workers: the time suspended counts there (n8n workflow-runner.js: `startedAt`). */
function timeoutOf(context: IExecuteFunctions): number | undefined {
	const timeout = partOf(partOf(context, 'additionalData'), 'executionTimeoutTimestamp');
	return typeof timeout === 'number' ? timeout : undefined;
}

/** The names of the agents whose tool a node is. n8n's own lists follow main connections only, and so leave out tools. */
export function agentsOf(context: object, toolName: string): string[] {
	const connections = partOf(partOf(context, 'workflow'), 'connectionsBySourceNode');
	const outputs = partOf(partOf(connections, toolName), NodeConnectionTypes.AiTool);
	const lines: unknown[] = Array.isArray(outputs) ? outputs : [];
	return lines.flat().flatMap((line) => textAt(line, 'node') ?? []);
}

function isToolOf(context: IExecuteFunctions, type: string): boolean {
	const agents = agentsOf(context, context.getNode().name);
	return agents.some((agent) => typeOf(context, agent) === type);
}

/** The type of a node of the workflow. */
export function typeOf(context: object, name: string): string {
	const nodes = partOf(partOf(context, 'workflow'), 'nodes');
	return textAt(partOf(nodes, name), 'type') ?? '';
}

function isStackEntry(value: unknown): value is IExecuteData {
	return typeof value === 'object' && value !== null && 'node' in value && 'data' in value;
}

/** The execution's record of this node: input and metadata, stored while suspended (n8n-core base-execute-context.js). */
export function stackEntryOf(context: object): IExecuteData | undefined {
	const entry = partOf(context, 'executeData');
	return isStackEntry(entry) ? entry : undefined;
}

/** Whether a value is the data that n8n keeps of an execution. */
export function isRunExecutionData(value: unknown): value is IRunExecutionData {
	return typeof value === 'object' && value !== null && 'resultData' in value;
}

/** The data that n8n keeps of the execution (n8n-core node-execution-context.js). */
export function runExecutionDataOf(context: object): IRunExecutionData | undefined {
	const data = partOf(context, 'runExecutionData');
	return isRunExecutionData(data) ? data : undefined;
}

/** The nodes that n8n has still to execute, the next one first. */
export function stackOf(context: object): IExecuteData[] | undefined {
	return runExecutionDataOf(context)?.executionData?.nodeExecutionStack;
}

/** Whether what this node stores with the execution is its own alone: calls of a tool may share an execution. */
export function keepsLedger(context: IExecuteFunctions): boolean {
	const { keepsContext, tool } = hostOf(context);
	return keepsContext && tool !== 'supplied';
}

/** Which round of the node this is: a loop runs it more than once in an execution (n8n-workflow workflow-data-proxy.js). */
export function runIndexOf(context: IExecuteFunctions): number {
	const runIndex: unknown = context.getWorkflowDataProxy(0).$runIndex;
	return typeof runIndex === 'number' ? runIndex : 0;
}

/** Names a round of a node in an execution. Undefined where calls of the node share an execution, or have none. */
export function roundKeyOf(context: IExecuteFunctions): string | undefined {
	if (!keepsLedger(context)) return undefined;
	return `${hostOf(context).executionId} ${runIndexOf(context)} ${context.getNode().name}`;
}

/** What this node stores with the execution. A new object where n8n stores nothing, or other calls store theirs. */
export function nodeContextOf(context: IExecuteFunctions): IContextObject {
	return keepsLedger(context) ? context.getContext('node') : {};
}

/** What all nodes of this package store with the execution. A new object where n8n stores nothing. */
export function executionContextOf(context: IExecuteFunctions): IContextObject {
	return hostOf(context).keepsContext ? context.getContext('flow') : {};
}

/** What a node has stored with an execution, read while n8n does not execute the node. */
export function contextIn(data: IRunExecutionData | undefined, node: INode): IContextObject {
	return data?.executionData === undefined ? {} : NodeHelpers.getContext(data, 'node', node);
}
