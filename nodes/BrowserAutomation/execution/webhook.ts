import type { IWebhookFunctions } from 'n8n-workflow';

/**
 * The version of the nodes with webhooks. It is not 1: n8n resolves an expression for each call to a node of version 1 (2.41.1:
 * `parseRequestBody` in webhooks/webhook-helpers.js). Where n8n has to start its expression engine, that takes longer than all else.
 */
export const NODE_VERSION = 1.1;

/** What a handler uses of Express's request. */
interface WebhookRequest {
	readonly method: string;
	/** The body as it came, where n8n has read it. */
	readonly rawBody?: Buffer | undefined;
	/** Has n8n read the body whatever its content type. */
	readRawBody?(): Promise<void>;
}

/** What a handler uses of Express's response. */
export interface WebhookResponse {
	readonly headersSent: boolean;
	readonly statusCode: number;
	/** Whether it was answered, even if nobody took the answer. */
	readonly writableEnded: boolean;
	/** Whether it was answered, or nobody takes an answer any more; `close`: now. */
	readonly closed: boolean;
	once(event: 'close', listener: () => void): unknown;
	status(code: number): WebhookResponse;
	json(body: object): unknown;
	writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
	end(body: string): unknown;
}

/** A handler's context. n8n types the two by Express, whose types a package of nodes does not have. */
export interface WebhookContext {
	getRequestObject(): WebhookRequest;
	getResponseObject(): WebhookResponse;
}

/** The HTTP request that a handler answers, and the response to it. */
export const requestOf = (context: WebhookContext): WebhookRequest => context.getRequestObject();
export const responseOf = (context: WebhookContext): WebhookResponse => context.getResponseObject();

/** Answers a callback with a status and a message, and lets nothing go on. */
export function refuseCallback(context: IWebhookFunctions, status: number, message: string) {
	responseOf(context).status(status).json({ message });
	return { noWebhookResponse: true };
}
