import {
	NodeHelpers,
	type IExecuteFunctions,
	type INode,
	type ITriggerFunctions,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { isJsonObject, type JsonObject } from '../service/json/json';
import { listeningAt } from './listeningTriggers';
import { COMPLETED_PATH, hasAddresses, leaveAddresses, STATUS_PATH } from './triggerAddresses';

const STARTED_BY_TRIGGER: readonly WorkflowExecuteMode[] = ['trigger', 'webhook'];

const TRIGGER_TYPE = /\.browserAutomationTrigger$/;

/**
 * The addresses of this workflow's triggers by node ID, made as n8n makes them: what the triggers left
 * for the other nodes is out of date when the address of this n8n has changed, came along with an
 * imported workflow, or is not handed over (workers of queue mode, seen in n8n 2.41.1). It counts as a
 * sign that a trigger is active where n8n does not tell, and alone where n8n does not show the
 * workflow.
 *
 * @param stored what the triggers left
 */
export function findTriggers(context: IExecuteFunctions, stored: unknown): unknown {
	const { id } = context.getWorkflow();
	const baseUrl = webhookBaseUrlOf(context);
	const nodes = nodesOf(context);
	if (id === undefined || baseUrl === undefined || nodes === undefined) return stored;
	const isActive = isWorkflowActive(context);
	let found: JsonObject = {};
	for (const node of nodes.filter(listensElsewhere)) {
		const addressOf = (path: string): string =>
			NodeHelpers.getNodeWebhookUrl(baseUrl, id, node, path, false);
		const present = {
			name: node.name,
			completedUrl: addressOf(COMPLETED_PATH),
			statusUrl: addressOf(STATUS_PATH),
		};
		const test = context.getMode() === 'manual' ? listeningAt(id, node.id) : undefined;
		if (test !== undefined) {
			found = leaveAddresses(found, node.id, { ...test, name: node.name, isTest: true });
		} else if (isActive || hasAddresses(stored, node.id, present)) {
			found = leaveAddresses(found, node.id, present);
		}
	}
	return found;
}

/** Where a trigger itself takes callbacks of completions; undefined where n8n does not tell its address. */
export function completedUrlOf(context: ITriggerFunctions): string | undefined {
	const { id } = context.getWorkflow();
	const baseUrl = webhookBaseUrlOf(context);
	if (id === undefined || baseUrl === undefined) return undefined;
	return NodeHelpers.getNodeWebhookUrl(baseUrl, id, context.getNode(), COMPLETED_PATH, false);
}

/** Whether a node is a trigger that takes callbacks of runs started elsewhere. */
function listensElsewhere({ type, disabled, parameters }: INode): boolean {
	return TRIGGER_TYPE.test(type) && disabled !== true && parameters.source !== 'own';
}

/** Workers are not told whether a workflow is active, but only active ones are started by triggers. */
function isWorkflowActive(context: IExecuteFunctions): boolean {
	return context.getWorkflow().active || STARTED_BY_TRIGGER.includes(context.getMode());
}

function nodesOf(context: IExecuteFunctions): INode[] | undefined {
	const workflow: unknown = 'workflow' in context ? context.workflow : undefined;
	if (typeof workflow !== 'object' || workflow === null || !('nodes' in workflow)) return undefined;
	const { nodes } = workflow;
	return isJsonObject(nodes) ? Object.values(nodes).filter(isNode) : undefined;
}

function isNode(value: unknown): value is INode & JsonObject {
	return (
		typeof value === 'object' &&
		value !== null &&
		'type' in value &&
		typeof value.type === 'string' &&
		'parameters' in value &&
		typeof value.parameters === 'object'
	);
}

function webhookBaseUrlOf(context: object): string | undefined {
	const data: unknown = 'additionalData' in context ? context.additionalData : undefined;
	if (typeof data !== 'object' || data === null || !('webhookBaseUrl' in data)) return undefined;
	return typeof data.webhookBaseUrl === 'string' ? data.webhookBaseUrl : undefined;
}
