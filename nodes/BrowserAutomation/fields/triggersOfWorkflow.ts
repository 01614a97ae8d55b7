import {
	NodeHelpers,
	type IExecuteFunctions,
	type INode,
	type WorkflowExecuteMode,
} from 'n8n-workflow';

import { isJsonObject, type JsonObject } from '../service/json';
import { COMPLETED_PATH, leaveAddresses, STATUS_PATH } from '../service/triggerAddresses';

const STARTED_BY_TRIGGER: readonly WorkflowExecuteMode[] = ['trigger', 'webhook'];

const TRIGGER_TYPE = /\.browserAutomationTrigger$/;

/**
 * The addresses of this workflow's triggers, made up as n8n makes them up. Workers of queue mode do
 * not get what the triggers left for them (seen in n8n 2.41.1), but they know the workflow.
 * Undefined where the workflow is not active, or this n8n does not show it.
 */
export function findTriggers(context: IExecuteFunctions): JsonObject | undefined {
	const { id } = context.getWorkflow();
	const baseUrl = webhookBaseUrlOf(context);
	if (id === undefined || baseUrl === undefined || !isActive(context)) return undefined;
	let found: JsonObject = {};
	for (const node of nodesOf(context)) {
		if (!TRIGGER_TYPE.test(node.type) || node.disabled === true) continue;
		if (node.parameters.source === 'own') continue;
		const address = (path: string): string =>
			NodeHelpers.getNodeWebhookUrl(baseUrl, id, node, path, false);
		found = leaveAddresses(found, node.id, {
			name: node.name,
			completedUrl: address(COMPLETED_PATH),
			statusUrl: address(STATUS_PATH),
		});
	}
	return found;
}

/** Only active workflows are started by their triggers. Workers are not told whether one is active. */
function isActive(context: IExecuteFunctions): boolean {
	return context.getWorkflow().active || STARTED_BY_TRIGGER.includes(context.getMode());
}

function nodesOf(context: IExecuteFunctions): INode[] {
	const workflow: unknown = 'workflow' in context ? context.workflow : undefined;
	if (typeof workflow !== 'object' || workflow === null || !('nodes' in workflow)) return [];
	const { nodes } = workflow;
	return isJsonObject(nodes) ? Object.values(nodes).filter(isNode) : [];
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

function webhookBaseUrlOf(context: IExecuteFunctions): string | undefined {
	const data: unknown = 'additionalData' in context ? context.additionalData : undefined;
	if (typeof data !== 'object' || data === null || !('webhookBaseUrl' in data)) return undefined;
	return typeof data.webhookBaseUrl === 'string' ? data.webhookBaseUrl : undefined;
}
