import {
	CHAT_TRIGGER_NODE_TYPE,
	EXECUTE_WORKFLOW_TRIGGER_NODE_TYPE,
	FORM_TRIGGER_NODE_TYPE,
	WAIT_NODE_TYPE,
	WEBHOOK_NODE_TYPE,
	type IExecuteFunctions,
	type IRunData,
	type NodeTypeAndVersion,
} from 'n8n-workflow';

import { attempt } from '../service/attempt';
import { partOf, textAt } from '../service/json/json';
import { agentsOf, hostOf, runExecutionDataOf, typeOf } from './host';

/** A request or workflow that waits for the results. `since` is in milliseconds since 1970. */
export interface Caller {
	readonly kind: 'request' | 'workflow';
	readonly since: number;
}

/**
 * Who waits for this execution, and is answered with what is there once it is suspended; undefined where nobody does:
 * - who called its Webhook, Form or Chat, or made its Wait node go on, if `isAnsweredInCall`;
 * - who waits like that for the workflow that calls this one;
 * - a workflow that calls this one with a single item, and waits. It may call once for each item: if several calls are suspended,
 *   n8n passes on the results of one only (n8n-nodes-base ExecuteWorkflow.node.js).
 *
 * @param isResumed whether the execution was suspended before: then whoever waited for the calling workflow was answered
 */
export async function callerOf(
	context: IExecuteFunctions,
	isResumed: boolean,
): Promise<Caller | undefined> {
	const mode = context.getMode();
	const { isPolled, resumeUrl } = hostOf(context);
	if (mode === 'retry' || isPolled) return undefined;
	const kind = mode === 'integrated' ? 'workflow' : 'request';
	const since = calledAt(context);
	if (since !== undefined) return { kind, since };
	const isAwaited = isStreamed(context) || (await isParentAwaited(context, isResumed));
	return isAwaited && resumeUrl !== undefined ? { kind: 'request', since: Date.now() } : undefined;
}

/** When the last call of this execution began that is still to be answered with its results. */
function calledAt(context: IExecuteFunctions): number | undefined {
	const runData = runExecutionDataOf(context)?.resultData.runData ?? {};
	const { name: ownName } = context.getNode();
	const begun = [ownName, ...agentsOf(context, ownName)]
		.flatMap((name) => context.getParentNodes(name, { includeNodeParameters: true }))
		.filter((node) => isOpenCall(context, node, runData))
		.flatMap(({ name }) => runData[name]?.at(-1)?.startTime ?? []);
	return begun.length === 0 ? undefined : Math.max(...begun);
}

function isOpenCall(context: IExecuteFunctions, node: NodeTypeAndVersion, runData: IRunData) {
	const call = runData[node.name]?.at(-1);
	if (node.type === EXECUTE_WORKFLOW_TRIGGER_NODE_TYPE) {
		return doesParentWait(context) && call?.data?.main?.[0]?.length === 1;
	}
	const isAnswered = Object.entries(runData).some(
		([name, runs]) =>
			typeOf(context, name).endsWith('.respondToWebhook') &&
			runs.some(({ startTime }) => call !== undefined && startTime >= call.startTime),
	);
	return (
		isAnsweredInCall(context, node) && (responseModeOf(node) !== 'responseNode' || !isAnswered)
	);
}

/** Whether the workflow that calls this one waits for it: n8n-nodes-base ExecuteWorkflow.node.js says so in `shouldResume`. */
function doesParentWait(context: IExecuteFunctions): boolean {
	const parent = runExecutionDataOf(context)?.parentExecution;
	return context.getMode() === 'integrated' && parent?.shouldResume !== false;
}

/**
 * Whether a call of a node is answered by what comes later, and before that if the execution is suspended (n8n 2.41 and
 * 1.123, webhook-helpers.js): with the output of the last node; by a stream, which ends (`finalizeExecution` in
 * active-executions.js); or by Respond to Webhook, if a worker executes the workflow (`job-finished` in
 * scaling.service.js). Without workers such a call waits for Respond to Webhook however long that takes.
 */
function isAnsweredInCall(context: object, node: Pick<NodeTypeAndVersion, 'type' | 'parameters'>) {
	const mode = responseModeOf(node);
	const process = partOf(partOf(context, 'instanceSettings'), 'instanceType');
	return (
		mode === 'lastNode' || mode === 'streaming' || (mode === 'responseNode' && process === 'worker')
	);
}

function responseModeOf({
	type,
	parameters = {},
}: Pick<NodeTypeAndVersion, 'type' | 'parameters'>) {
	if (type === CHAT_TRIGGER_NODE_TYPE) {
		const unsaid = parameters.availableInChat === true ? 'streaming' : 'lastNode';
		return textAt(parameters.options, 'responseMode') ?? unsaid;
	}
	const isCalled =
		type === WEBHOOK_NODE_TYPE ||
		type === FORM_TRIGGER_NODE_TYPE ||
		(type === WAIT_NODE_TYPE && ['webhook', 'form'].includes(String(parameters.resume)));
	return isCalled ? textAt(parameters, 'responseMode') : undefined;
}

/** Whether the execution, or the one that it is a part of, streams its answer (n8n-core base-execute-context.js). */
function isStreamed(context: object): boolean {
	return partOf(partOf(context, 'additionalData'), 'streamingEnabled') === true;
}

/**
 * Whether a call of the workflow that calls this one, or of one that calls that, is to be answered. n8n stores an execution
 * when it begins, with the node that was called on top of its stack (n8n active-executions.js).
 */
async function isParentAwaited(context: IExecuteFunctions, isResumed: boolean): Promise<boolean> {
	if (context.getMode() !== 'integrated' || isResumed) return false;
	let parent = runExecutionDataOf(context)?.parentExecution;
	while (parent !== undefined && parent.shouldResume !== false) {
		const { executionId } = parent;
		const read = await attempt(async () => await context.getExecutionDataById(executionId));
		const data = read.ok ? read.value : undefined;
		const [called] = data?.executionData?.nodeExecutionStack ?? [];
		if (called !== undefined && isAnsweredInCall(context, called.node)) return true;
		parent = data?.parentExecution;
	}
	return false;
}
