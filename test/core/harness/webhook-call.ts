import {
	isNodeClassInstance,
	NodeConnectionTypes,
	NodeHelpers,
	NodeOperationError,
	resolveWebhookDescriptionField,
	WorkflowConfigurationError,
	type ExecutionError,
	type IExecuteData,
	type INode,
	type INodeExecutionData,
	type IRunExecutionData,
	type IWebhookData,
	type IWebhookDescription,
	type IWebhookResponseData,
	type IWorkflowExecuteAdditionalData,
	type Workflow,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { createWebhookContext, withHttpExchange } from './core-bridge';
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
	proceed: (
		items: INodeExecutionData[][],
		error: ExecutionError | undefined,
	) => void | Promise<void>;
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
		const rawPath = read('path');
		if (rawPath === undefined || rawPath === null) return [];
		const path = NodeHelpers.getNodeWebhookPath(
			workflow.id,
			node,
			String(rawPath).trim().replace(/^\//, '').replace(/\/$/, ''),
			read('isFullPath') === true,
			read('restartWebhook') === true,
		);
		return String(read('httpMethod') ?? 'GET')
			.split(',')
			.map((method) => method.trim())
			.filter(isHttpMethod)
			.map((httpMethod): IWebhookData => {
				return {
					httpMethod,
					node: node.name,
					path,
					webhookDescription,
					workflowId: workflow.id,
					workflowExecuteAdditionalData: additionalData,
				};
			});
	});
}

/**
 * The server's `webhook-helpers.executeWebhook` for the response mode `onReceived`: parses the body,
 * calls `webhook()` of the node, answers, and lets the execution proceed if items came back.
 */
export async function answerWebhook(call: WebhookCall): Promise<void> {
	const { workflow, node, webhook, mode, request, response } = call;
	const read = (property: string): unknown =>
		evaluate(workflow, node, webhook.webhookDescription, property, mode);
	const responseMode = read('responseMode') ?? 'onReceived';
	if (responseMode !== 'onReceived') {
		throw new Error(`The harness does not simulate the response mode "${String(responseMode)}".`);
	}
	const code = read('responseCode');
	const status = typeof code === 'number' ? code : 200;
	let answered = false;
	const answerOnce = (write: () => void): void => {
		if (answered) return;
		answered = true;
		write();
	};
	const answer = (write: () => void): void =>
		answerOnce(() => {
			call.beforeResponse();
			write();
		});

	try {
		await request.parseBody(node.typeVersion);
		let result: IWebhookResponseData;
		let failure: ExecutionError | undefined;
		try {
			result = await runWebhook(call);
		} catch (error) {
			failure = toExecutionError(error, node);
			answerOnce(() => sendError(response, new Error(describeFailure(error))));
			result = { noWebhookResponse: true, workflowData: [[{ json: {} }]] };
		}
		if (result.noWebhookResponse === true) answer(() => undefined);
		if (result.workflowData === undefined) {
			const body: unknown = result.webhookResponse ?? { message: 'Webhook call received' };
			answer(() => response.status(status).send(body));
			return;
		}
		await call.proceed(result.workflowData, failure);
		const fixed = read('responseData') ?? 'firstEntryJson';
		const body: unknown = fixed || (result.webhookResponse ?? { message: 'Workflow was started' });
		answer(() => {
			response.status(status);
			if (fixed === 'noData') response.end();
			else response.send(body);
		});
	} catch (error) {
		const isClientFault = error instanceof HttpError && error.status < 500;
		const problem = new Error('There was a problem executing the workflow', { cause: error });
		if (answered) throw error;
		answerOnce(() => sendError(response, isClientFault ? error : problem));
	}
}

/** The server's `ResponseHelper.sendErrorResponse`, without stack traces (production). */
export function sendError(response: CapturedResponse, error: Error): void {
	const status = error instanceof HttpError ? error.status : 500;
	response.status(status).json({
		code: error instanceof HttpError ? error.status : 0,
		message: error.message,
		...(error instanceof HttpError && error.hint !== undefined ? { hint: error.hint } : {}),
	});
}

/** The stack entry with which a workflow starts at its trigger. */
export function triggerEntry(node: INode, items: INodeExecutionData[][]): IExecuteData {
	return { node, data: { [NodeConnectionTypes.Main]: items }, source: null };
}

async function runWebhook(call: WebhookCall): Promise<IWebhookResponseData> {
	const { workflow, node, webhook, mode, data, request, response } = call;
	const type = workflow.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
	if (type.webhook === undefined) throw new Error('Node does not have any webhooks defined');
	const additionalData = withHttpExchange(call.additionalData, request, response);
	const context = createWebhookContext(workflow, node, additionalData, mode, webhook, [], data);
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

function describeFailure(error: unknown): string {
	const isShown =
		error instanceof WorkflowConfigurationError ||
		(error instanceof NodeOperationError && error.type === 'manual-form-test');
	return isShown ? error.message : 'Workflow Webhook Error: Workflow could not be started!';
}

function toExecutionError(error: unknown, node: INode): ExecutionError {
	if (error instanceof NodeOperationError) return error;
	return new NodeOperationError(node, error instanceof Error ? error : new Error(String(error)));
}

function isHttpMethod(method: string): method is IWebhookData['httpMethod'] {
	return ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'].includes(method);
}
