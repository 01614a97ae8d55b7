import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { attempt } from '../service/attempt';

/** What n8n answered to a call of one of its own addresses. */
export interface OwnAnswer {
	status: number;
	body: unknown;
}

/**
 * Calls n8n at an address of its own, e.g. where it wakes an execution. Never throws: behind a proxy
 * or with n8n's protection of private networks, its public address may not be reachable from here.
 *
 * @param timeout in milliseconds
 * @returns undefined when no answer came
 */
export async function callOwnAddress(
	{ helpers }: IExecuteFunctions | IWebhookFunctions,
	method: 'GET' | 'POST',
	url: string,
	timeout: number,
): Promise<OwnAnswer | undefined> {
	const answer = await attempt(
		async (): Promise<unknown> =>
			await helpers.httpRequest({
				method,
				url,
				timeout,
				json: true,
				returnFullResponse: true,
				ignoreHttpStatusErrors: true,
				disableFollowRedirect: true,
			}),
	);
	if (!answer.ok || typeof answer.value !== 'object' || answer.value === null) return undefined;
	if (!('statusCode' in answer.value)) return undefined;
	const body = 'body' in answer.value ? answer.value.body : undefined;
	return { status: Number(answer.value.statusCode), body };
}
