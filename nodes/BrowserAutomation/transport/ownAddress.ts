import type { IHttpRequestMethods, RequestHelperFunctions } from 'n8n-workflow';

import { readFullAnswer, type FullAnswer } from './answer';

/** The part of a node's context that calls n8n. */
export interface OwnCaller {
	readonly helpers: Pick<RequestHelperFunctions, 'httpRequest'>;
}

/** What n8n answered. */
export type OwnAnswer = Pick<FullAnswer, 'status' | 'body'>;

/**
 * Calls n8n at an address of its own, e.g. the one that resumes an execution. Never throws: behind a proxy
 * or with n8n's protection of private networks, its public address may not be reachable from here.
 *
 * @param timeout in milliseconds
 * @returns undefined when no answer came
 */
export async function callOwnAddress(
	{ helpers }: OwnCaller,
	method: 'OPTIONS' | 'POST',
	url: string,
	timeout: number,
): Promise<OwnAnswer | undefined> {
	const request = {
		// n8n's type leaves out OPTIONS, which its HTTP client sends all the same.
		method: method as IHttpRequestMethods,
		url,
		timeout,
		json: true,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
	};
	try {
		return readFullAnswer(await helpers.httpRequest(request));
	} catch {
		return undefined;
	}
}
