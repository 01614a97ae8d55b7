import type {
	ExecutionError,
	IExecuteData,
	IExecuteFunctions,
	INodeExecutionData,
	ITaskMetadata,
	IWebhookFunctions,
} from 'n8n-workflow';

/**
 * What n8n does beside its documented interface and sleeping needs. Everything here is looked for
 * before it is used, so that an n8n without it falls back to what it has.
 */

/** Where n8n wakes this execution (`$execution.resumeUrl`); undefined where it has no such address. */
export function resumeUrlOf(context: IExecuteFunctions): string | undefined {
	const url: unknown = context.evaluateExpression('{{ $execution.resumeUrl }}', 0);
	return typeof url === 'string' && URL.canParse(url) ? url : undefined;
}

/** Which round of the node this is: a loop runs it more than once in an execution. */
export function runIndexOf(context: IExecuteFunctions): number {
	const runIndex: unknown = context.evaluateExpression('{{ $runIndex }}', 0);
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
 * Whether n8n can wake executions of this workflow. Its second engine cannot yet; before version 2,
 * a parent workflow does not get the results of a sub-workflow that slept.
 */
export function engineSleeps(context: IExecuteFunctions): boolean {
	if (!('putExecutionToWait' in context) || stackEntryOf(context) === undefined) return false;
	const isSubWorkflow = context.getMode() === 'integrated';
	if (isSubWorkflow && !tellsToolExecution(context)) return false;
	if (!('getWorkflowSettings' in context)) return true;
	const settings = context.getWorkflowSettings();
	return !('engineType' in settings && settings.engineType === 'v2');
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

/**
 * Replaces what passes on when n8n itself ends the wait at its limit: without this it is the
 * untouched input.
 */
export function replaceInput(context: IExecuteFunctions, items: INodeExecutionData[]): void {
	const lists = new Set([stackEntryOf(context)?.data.main?.[0], context.getInputData()]);
	for (const list of lists) list?.splice(0, list.length, ...items);
}

/**
 * Gives the node back the items that came to it, which sleeping replaced. A later retry needs them,
 * and so does the editor.
 *
 * @param count how many items there were
 */
export function restoreInput(context: IExecuteFunctions, count: number): void {
	const before = itemsFromBefore(context);
	const items = context.getNode().executeOnce === true ? before.slice(0, 1) : before;
	if (items.length === count) replaceInput(context, items);
}

/** The items at the output that leads here; none where n8n does not tell, as with a tool. */
function itemsFromBefore(context: IExecuteFunctions): INodeExecutionData[] {
	try {
		const { previousNode, previousNodeOutput, previousNodeRun } = context.getInputSourceData();
		const proxy = context.getWorkflowDataProxy(0);
		const items: unknown = proxy.$items(previousNode, previousNodeOutput, previousNodeRun);
		return Array.isArray(items) ? items : [];
	} catch {
		return [];
	}
}

/** An error that n8n 2.27 and later raises when it ends the wait at its limit. */
export interface LimitError {
	message: string;
	description: string;
}

/**
 * Metadata of a sleeping node: where its status page is, and how it ends at the limit. The editor
 * gives the node's tooltip the `resumeUrl`, and does nothing else with it.
 */
export function sleepingMetadata(statusPageUrl: string, limitError?: LimitError): ITaskMetadata {
	if (limitError === undefined) return { resumeUrl: statusPageUrl };
	// n8n stores the error as JSON and raises it again, so it is a plain object from the start.
	const resumeError = { name: 'NodeOperationError', ...limitError } as ExecutionError;
	return { resumeUrl: statusPageUrl, resumeError };
}

/**
 * Makes n8n carry the node out again when it wakes the execution, instead of skipping it.
 *
 * @returns whether this n8n lets us
 */
export function runAgainOnWake(context: IWebhookFunctions): boolean {
	const entry = stackEntryOf(context);
	if (entry === undefined) return false;
	entry.node.disabled = false;
	if (entry.metadata !== undefined) delete entry.metadata.resumeError;
	return true;
}
