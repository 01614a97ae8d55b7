import {
	CHAT_TRIGGER_NODE_TYPE,
	FORM_TRIGGER_NODE_TYPE,
	NodeHelpers,
	WEBHOOK_NODE_TYPE,
	type IContextObject,
	type IExecuteData,
	type IExecuteFunctions,
	type INode,
	type IRunExecutionData,
	type IWebhookFunctions,
	type NodeTypeAndVersion,
} from 'n8n-workflow';

import { textAt } from '../../service/json/json';

/**
 * What sleeping needs of n8n beyond its documented interface. Each part is looked for before it is
 * used; where it is missing, the node does without.
 */

/**
 * Where n8n wakes this execution (`$execution.resumeUrl`); undefined where it has no such address. Read
 * without an expression, for which n8n would prepare an engine.
 */
export function resumeUrlOf(context: IExecuteFunctions): string | undefined {
	const execution: unknown = context.getWorkflowDataProxy(0).$execution;
	if (typeof execution !== 'object' || execution === null || !('resumeUrl' in execution)) {
		return undefined;
	}
	const { resumeUrl: url } = execution;
	return typeof url === 'string' && URL.canParse(url) ? url : undefined;
}

/** Which round of the node this is: a loop runs it more than once in an execution. */
export function runIndexOf(context: IExecuteFunctions): number {
	const runIndex: unknown = context.getWorkflowDataProxy(0).$runIndex;
	return typeof runIndex === 'number' ? runIndex : 0;
}

/**
 * Whether the node runs as a tool of an agent that takes a sleeping tool for a finished one. Before
 * 2.10, n8n does not tell such agents from those that can wait.
 */
export function runsAsTool(context: IExecuteFunctions): boolean {
	return tellsToolExecution(context)
		? context.isToolExecution()
		: context.getNode().type.endsWith('Tool');
}

/** n8n 2.10 and later. */
function tellsToolExecution(context: IExecuteFunctions): boolean {
	return 'isToolExecution' in context;
}

/**
 * Whether n8n can wake executions of this workflow. Its second engine cannot yet, nor can the command
 * line, which ends when the execution sleeps; before version 2, a parent workflow does not get the
 * results of a sub-workflow that slept.
 */
export function engineSleeps(context: IExecuteFunctions): boolean {
	if (!('putExecutionToWait' in context)) return false;
	if (stackEntryOf(context) === undefined || stackOf(context) === undefined) return false;
	if (context.getMode() === 'cli') return false;
	const isSubWorkflow = context.getMode() === 'integrated';
	if (isSubWorkflow && !tellsToolExecution(context)) return false;
	if (!('getWorkflowSettings' in context)) return true;
	const settings = context.getWorkflowSettings();
	return !('engineType' in settings && settings.engineType === 'v2');
}

/**
 * Whether n8n wakes an execution only while it is stored as waiting. Earlier versions run it once
 * more even when it is awake already. The signature in the resume URL came later than that (2.14).
 */
export function claimsExecutions(resumeUrl: string): boolean {
	return new URL(resumeUrl).searchParams.has('signature');
}

/**
 * When n8n ends the execution by the time limit of the workflow, in milliseconds since 1970;
 * undefined where it has none. Woken by its clock, n8n counts the time asleep.
 */
export function timeoutOf(context: IExecuteFunctions): number | undefined {
	const data: unknown = 'additionalData' in context ? context.additionalData : undefined;
	if (typeof data !== 'object' || data === null || !('executionTimeoutTimestamp' in data)) {
		return undefined;
	}
	const { executionTimeoutTimestamp: timeout } = data;
	return typeof timeout === 'number' ? timeout : undefined;
}

/**
 * When somebody called the Webhook, Form or Chat that began the execution and is answered with what
 * its last node passes on, in milliseconds since 1970; undefined where nobody is. When the execution
 * sleeps, n8n answers with what stands there then (`WebhookHelpers.executeWebhook`).
 */
export function calledAt(context: IExecuteFunctions): number | undefined {
	if (context.getMode() === 'retry') return undefined;
	const runData = runExecutionDataOf(context)?.resultData.runData ?? {};
	return context
		.getParentNodes(context.getNode().name, { includeNodeParameters: true })
		.filter(answersWithLastNode)
		.map(({ name }) => runData[name]?.[0]?.startTime)
		.find((time) => time !== undefined);
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

/** The execution's own record of this node: its input and metadata, kept while it sleeps. */
export function stackEntryOf(
	context: IExecuteFunctions | IWebhookFunctions,
): IExecuteData | undefined {
	const entry: unknown = 'executeData' in context ? context.executeData : undefined;
	return isStackEntry(entry) ? entry : undefined;
}

function isRunExecutionData(value: unknown): value is IRunExecutionData {
	return typeof value === 'object' && value !== null && 'resultData' in value;
}

function runExecutionDataOf(
	context: IExecuteFunctions | IWebhookFunctions,
): IRunExecutionData | undefined {
	const data: unknown = 'runExecutionData' in context ? context.runExecutionData : undefined;
	return isRunExecutionData(data) ? data : undefined;
}

/** What n8n is still to execute, next first. */
function stackOf(context: IExecuteFunctions): IExecuteData[] | undefined {
	return runExecutionDataOf(context)?.executionData?.nodeExecutionStack;
}

/** What a node keeps with the execution, where only a handler of a callback is at work. */
export function nodeContextOf(context: IWebhookFunctions): IContextObject {
	const node: INode = context.getNode();
	const data = runExecutionDataOf(context);
	return data === undefined ? {} : NodeHelpers.getContext(data, 'node', node);
}

/**
 * Makes n8n execute the node again, with its input, when it wakes the execution. n8n itself puts the
 * present entry back on top of its stack and then skips it, so that a second one is laid below it.
 * Only to be called right before the execution is put to sleep.
 */
export function layWakingEntry(context: IExecuteFunctions, runIndex: number): void {
	const entry = stackEntryOf(context);
	const stack = stackOf(context);
	if (entry === undefined || stack === undefined) return;
	const { node, data, source, metadata } = entry;
	const input = Object.entries(data).map(([type, lists]): [string, typeof lists] => [
		type,
		lists.map((items) => (items === null ? null : [...items])),
	]);
	stack.unshift({
		node,
		data: Object.fromEntries(input),
		source,
		runIndex,
		metadata: { ...metadata, nodeWasResumed: true },
	});
	// No outputs at all: an empty list would make an empty run of the node.
	entry.data = { main: [] };
	entry.node = { ...node, alwaysOutputData: false };
}
