import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

/** Answers a callback with a status and a message, and lets nothing go on. */
export function refuseCallback(
	context: IWebhookFunctions,
	status: number,
	message: string,
): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}
