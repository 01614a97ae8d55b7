import type { IN8nHttpFullResponse } from 'n8n-workflow';

/** A whole answer of n8n's HTTP helpers. Header names are in lower case. */
export interface FullAnswer {
	status: number;
	headers: Record<string, string | undefined>;
	/** As the request's `encoding` asked for it. */
	body: unknown;
}

/**
 * Reads what n8n's HTTP helpers give where the whole answer was asked for. They do not say its type; status, headers and body
 * are always in it (seen in 1.123 and 2.41: `returnFullResponse`, `resolveWithFullResponse`).
 */
export function readFullAnswer(answer: unknown): FullAnswer {
	const { statusCode, headers, body } = answer as IN8nHttpFullResponse;
	const texts = Object.entries(headers).map(([name, value]): [string, string] => [
		name,
		String(value),
	]);
	return { status: statusCode, headers: Object.fromEntries(texts), body };
}
