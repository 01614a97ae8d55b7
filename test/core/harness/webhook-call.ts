import {
	isNodeClassInstance,
	NodeHelpers,
	resolveWebhookDescriptionField,
	type INode,
	type INodeExecutionData,
	type IRunExecutionData,
	type IWebhookData,
	type IWebhookDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
	type IWorkflowExecuteAdditionalData,
	type Workflow,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { contextOf, WebhookContext } from './core-bridge';
import { HttpError, type CapturedResponse, type IncomingRequest } from './http-exchange';

interface WebhookCall {
	workflow: Workflow;
	node: INode;
	webhook: IWebhookData;
	additionalData: IWorkflowExecuteAdditionalData;
	mode: WorkflowExecuteMode;
	/** Of the waiting execution; `null` for a trigger. */
	data: IRunExecutionData | null;
	request: IncomingRequest;
	response: CapturedResponse;
	/** Starts or resumes the execution with the items the node returned; throws if that is refused. */
	proceed: (items: INodeExecutionData[][]) => void | Promise<void>;
	/** Called before a response that is no error; n8n stores a trigger's static data there. */
	beforeResponse: () => void;
}

/** The webhooks of a node with their evaluated paths (`WebhookService.getNodeWebhooks`). */
export function getNodeWebhooks(
	workflow: Workflow,
	node: INode,
	additionalData: IWorkflowExecuteAdditionalData,
): IWebhookData[] {
	if (node.disabled === true) return [];
	const { description } = workflow.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
	return (description.webhooks ?? []).flatMap((webhookDescription) => {
		const read = (property: string): unknown =>
			evaluate(workflow, node, webhookDescription, property, 'internal');
		const path = NodeHelpers.getNodeWebhookPath(
			workflow.id,
			node,
			String(read('path')),
			read('isFullPath') === true,
			read('restartWebhook') === true,
		);
		return String(read('httpMethod') ?? 'GET')
			.split(',')
			.map((method) => method.trim())
			.filter(isHttpMethod)
			.map((httpMethod): IWebhookData => ({
				...{ httpMethod, node: node.name, path, webhookDescription, workflowId: workflow.id },
				workflowExecuteAdditionalData: additionalData,
			}));
	});
}

/**
 * The server's `webhook-helpers.executeWebhook` for the response mode `onReceived` without response
 * data: parses the body, calls `webhook()` of the node, lets the execution proceed if items came back,
 * and answers. What `webhook()` throws goes to the test: n8n would start the workflow with nothing.
 */
export async function answerWebhook(call: WebhookCall): Promise<void> {
	const { workflow, node, webhook, mode, request, response } = call;
	const read = (property: string): unknown =>
		evaluate(workflow, node, webhook.webhookDescription, property, mode);
	if (read('responseMode') !== 'onReceived' || read('responseData') !== '') {
		throw new Error('The harness does not simulate this way to respond.');
	}
	await request.parseBody(node.typeVersion);
	const result = await runWebhook(call);
	try {
		if (result.workflowData !== undefined) await call.proceed(result.workflowData);
	} catch (cause) {
		return sendError(response, new Error('There was a problem executing the workflow', { cause }));
	}
	// Nodes can tell by this that the execution has begun.
	const body: unknown = result.noWebhookResponse === true ? undefined : result.webhookResponse;
	call.beforeResponse();
	if (result.noWebhookResponse !== true) response.send(body);
}

/** The server's `ResponseHelper.sendErrorResponse`, without stack traces (production). */
export function sendError(response: CapturedResponse, error: Error): void {
	const code = error instanceof HttpError ? error.status : 0;
	response.status(code || 500).json({ code, message: error.message });
}

async function runWebhook(call: WebhookCall): Promise<IWebhookResponseData> {
	const { workflow, node, webhook, mode, data, request, response } = call;
	const type = workflow.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
	if (type.webhook === undefined) throw new Error('Node does not have any webhooks defined');
	// n8n-core wants the whole of express's Request and Response; nodes use a small part of them.
	const exchange: object = { httpRequest: request, httpResponse: response };
	const additionalData = Object.assign(call.additionalData, exchange);
	const context = contextOf<IWebhookFunctions>(
		new WebhookContext(workflow, node, additionalData, mode, webhook, [], data),
	);
	return isNodeClassInstance(type) ? await type.webhook(context) : await type.webhook.call(context);
}

function evaluate(
	workflow: Workflow,
	node: INode,
	description: IWebhookDescription,
	property: string,
	mode: WorkflowExecuteMode,
): unknown {
	const native = resolveWebhookDescriptionField(node, description, property);
	if (native.resolved) return native.value;
	const value = description[property];
	if (value === undefined) return undefined;
	return workflow.expression.getSimpleParameterValue(node, value, mode, {});
}

function isHttpMethod(method: string): method is IWebhookData['httpMethod'] {
	return ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'].includes(method);
}
