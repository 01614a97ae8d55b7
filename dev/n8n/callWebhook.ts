import { fetchAlone } from '../fetchAlone';
import { N8nError, whenReady } from './session';

/** How long an answer may take that waits for the workflow's end, in milliseconds. */
const ANSWER_LIMIT = 300_000;

/**
 * Calls a workflow's webhook with a POST.
 *
 * @param url where n8n's webhooks are called, without a path
 * @param how for how many milliseconds n8n may take to answer, and whether the editor listens
 * @returns the text of the answer
 * @throws N8nError with n8n's words when it does not take the call; another error when no answer came
 */
export async function callWebhook(
	url: string,
	path: string,
	body: object = {},
	{ limit = ANSWER_LIMIT, isTest = false } = {},
): Promise<string> {
	return await whenReady(async () => {
		const answer = await fetchAlone(`${url}/webhook${isTest ? '-test' : ''}/${path}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
			signal: AbortSignal.timeout(limit),
		});
		const text = await answer.text();
		if (answer.ok) return text;
		throw new N8nError(`The webhook ${path} answered ${answer.status}: ${text}`, answer.status);
	});
}
