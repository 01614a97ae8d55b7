import { N8nError, whenReady } from './session';

/**
 * Calls a workflow's webhook with a POST, over a connection of its own: under load n8n may close one
 * that is kept open just when the next call is sent over it.
 *
 * @param url where n8n's webhooks are called, without a path
 * @throws N8nError with n8n's words when it does not take the call
 */
export async function callWebhook(url: string, path: string, body: object = {}): Promise<void> {
	await whenReady(async () => {
		const answer = await fetch(`${url}/webhook/${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', connection: 'close' },
			body: JSON.stringify(body),
		});
		const text = await answer.text();
		if (answer.ok) return;
		throw new N8nError(`The webhook ${path} answered ${answer.status}: ${text}`, answer.status);
	});
}
