import {
	CHAT_TRIGGER_NODE_TYPE,
	NodeConnectionTypes,
	SEND_AND_WAIT_OPERATION,
	sleep,
	type IContextObject,
	type IExecuteFunctions,
	type IWebhookFunctions,
	type NodeTypeAndVersion,
} from 'n8n-workflow';

import { partOf } from '../../service/json/json';
import { contextIn, isRunExecutionData, runExecutionDataOf, stackEntryOf, stackOf } from '../host';

/**
 * What suspending needs of n8n beyond its documented interface, and where that stands in n8n 2.41 (n8n
 * 1.123 has the same). Each part is looked for before it is used; where it is missing, the node does without.
 */

/** Whether n8n signs its resume URLs (since 2.14, waiting-webhooks.js). Such an n8n resumes an execution only while it is stored as waiting; an earlier one also when it is awake. */
export function signsResumeUrls(resumeUrl: string): boolean {
	return new URL(resumeUrl).searchParams.has('signature');
}

/** The path below the resume address that the service and this package call. Without it, a late call would resume a Wait node. */
export const RESUME_PATH = 'bot-run';

/** The address of a path of the node below the one where n8n resumes the execution. */
export function resumeUrlAt(path: string, resumeUrl: string): URL {
	const url = new URL(resumeUrl);
	url.pathname = `${url.pathname.replace(/\/$/, '')}/${path}`;
	return url;
}

/**
 * Whether n8n has resumed the execution (`restartExecutionId`, workflow-runner.js, 2.41 job-processor.js). Undefined where it does
 * not tell: in sub-workflows, and in workers of n8n 1, which execute again the job of a worker that died.
 */
export function wasResumed(context: IExecuteFunctions): boolean | undefined {
	const told = partOf(context, 'additionalData');
	const tells = typeof told === 'object' && told !== null && 'restartExecutionId' in told;
	return tells ? told.restartExecutionId !== undefined : undefined;
}

/** The types of n8n's own nodes that may suspend the execution, and the operations of any node that do. */
const SUSPENDING_TYPE = /\.(wait|form|executeWorkflow|toolWorkflow|chat|chatTool)$/;
const SUSPENDING_OPERATIONS: unknown[] = [SEND_AND_WAIT_OPERATION, 'dispatchAndWait'];

/** How nodes are connected that an agent uses. */
const AS_TOOLS = { connectionType: NodeConnectionTypes.AiTool };

/**
 * Whether the execution may be suspended again in another node, by what n8n itself offers: one behind this node, one on another branch (also behind a
 * node that still lacks an input), or a tool of an agent there.
 */
export function mayBeSuspendedLater(context: IExecuteFunctions): boolean {
	const { name: ownName } = context.getNode();
	const next = (stackOf(context) ?? []).map(({ node }) => node);
	const partlyFed = Object.keys(runExecutionDataOf(context)?.executionData?.waitingExecution ?? {});
	const later = [ownName, ...next.map(({ name }) => name), ...partlyFed].flatMap((name) =>
		context.getChildNodes(name, { includeNodeParameters: true }),
	);
	const tools = [...next, ...later].flatMap(({ name }) =>
		context.getParentNodes(name, { ...AS_TOOLS, includeNodeParameters: true }),
	);
	return [...next, ...later, ...tools].some(
		({ name, type, parameters }) =>
			SUSPENDING_TYPE.test(type) ||
			SUSPENDING_OPERATIONS.includes(parameters?.operation) ||
			answersChat(context, name, type),
	);
}

/** Whether a node waits for the answer to what it says in a chat (n8n-nodes-base RespondToWebhook.node.js). */
function answersChat(context: IExecuteFunctions, name: string, nodeType: string): boolean {
	const isChat = ({ type }: NodeTypeAndVersion): boolean => type === CHAT_TRIGGER_NODE_TYPE;
	return nodeType.endsWith('.respondToWebhook') && context.getParentNodes(name).some(isChat);
}

/**
 * What the suspended execution has stored now for the node; empty if it is not suspended. What n8n has handed to a handler may be
 * older (`getRunExecutionData`, n8n workflow-execute-additional-data.js).
 */
export async function storedNodeContext(
	context: Pick<IWebhookFunctions, 'getExecutionId' | 'getNode'>,
): Promise<IContextObject> {
	const read = partOf(partOf(context, 'additionalData'), 'getRunExecutionData');
	const data: unknown =
		typeof read === 'function' ? await read.call(undefined, context.getExecutionId()) : undefined;
	const isSuspended = isRunExecutionData(data) && data.waitTill !== undefined;
	return isSuspended ? contextIn(data, context.getNode()) : {};
}

/**
 * Makes n8n execute the node again, with its input, when it resumes the execution. n8n itself puts the present entry back on top of
 * its stack and then skips it. Below it is then the entry laid here to be executed, and between the two one that is skipped if n8n
 * dies too early (n8n-core workflow-execute.js). Only to be called right before the execution is suspended.
 *
 * Where a user retries an execution that crashed while suspended "with currently saved workflow", n8n skips all, and the input items
 * pass as results: it gives them one `node` (2.41 and 1.123 execution.service.js: `retry`).
 */
export function layResumingEntry(context: IExecuteFunctions, runIndex: number): void {
	const entry = stackEntryOf(context);
	const stack = stackOf(context);
	if (entry === undefined || stack === undefined) return;
	const { node, data, source, metadata } = entry;
	const copy = (lists: (typeof data)[string]) => lists.map((items) => items && [...items]);
	const input = Object.entries(data).map(([type, lists]) => [type, copy(lists)] as const);
	const resumed = { ...metadata, nodeWasResumed: true };
	stack.unshift({ node, data: Object.fromEntries(input), source, runIndex, metadata: resumed });
	// No input at all, which n8n passes on when it skips the entry: an empty list would make an empty run of the node.
	const skipped = { node: { ...node, alwaysOutputData: false }, data: { main: [] }, source };
	// Where n8n saves progress and dies before it puts the present entry back, it is this one that it skips.
	const between = { ...skipped, node: { ...skipped.node, disabled: true } };
	stack.unshift({ ...between, metadata: { nodeWasResumed: true } });
	Object.assign(entry, skipped);
}

/**
 * Lets n8n forget a sub-workflow that this node has suspended; a parent that waits for it is kept. A process keeps all data of what
 * is `waiting` until it resumes it itself (n8n 1.123 and 2.41 active-executions.js: `add`). In queue mode others do, and a worker
 * would run out of memory.
 */
export function forgetSubWorkflow(context: IExecuteFunctions): void {
	const additionalData = partOf(context, 'additionalData');
	const setStatus = partOf(additionalData, 'setExecutionStatus');
	const isSubWorkflow = context.getMode() === 'integrated';
	if (isSubWorkflow && typeof setStatus === 'function') setStatus.call(additionalData, 'running');
}

/** How long after its last hook n8n has finalized a pass of an execution at the latest. */
const DONE_AFTER_HOOKS_MS = 50;
/** How long that takes where it has no hooks. */
const DONE_WITHIN_MS = 100;

/** After this time something has failed in n8n's hooks. */
const HOOKS_WITHIN_MS = 120_000;

/**
 * Resolves once n8n has suspended the execution and finalized this pass of it. n8n stores the execution, runs its other hooks,
 * then finalizes whichever pass has the execution's ID by then (`finalizeExecution`, n8n workflow-runner.js). If it is resumed
 * before, that is the next pass, which then cannot be suspended. In queue mode these are the hooks of the worker; a process that
 * takes a call meanwhile does not know of them. Only to be called before the node returns.
 */
export async function untilSuspended(context: IExecuteFunctions): Promise<void> {
	const hooks = partOf(partOf(context, 'additionalData'), 'hooks');
	const addHandler = partOf(hooks, 'addHandler');
	if (typeof addHandler !== 'function') return await sleep(DONE_WITHIN_MS);
	const haveRun = new Promise<void>((resolve) => {
		addHandler.call(hooks, 'workflowExecuteAfter', () => resolve());
	});
	await Promise.race([haveRun, sleep(HOOKS_WITHIN_MS)]);
	await sleep(DONE_AFTER_HOOKS_MS);
}
