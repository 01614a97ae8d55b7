import { attempt } from './attempt';
import type { ServiceClient } from './client';
import { ServiceError } from './errors';

const HIDDEN = '(hidden)';

/** A client whose errors never hold the secret, not even where the service's own words do. */
export function keepingSecret(client: ServiceClient, secret: string): ServiceClient {
	return {
		baseUrl: client.baseUrl,
		send: async (request) => {
			const sent = await attempt(async () => await client.send(request));
			if (sent.ok) return sent.value;
			throw withoutSecret(sent.error, secret);
		},
	};
}

function withoutSecret(error: unknown, secret: string): unknown {
	if (!(error instanceof ServiceError) || secret === '') return error;
	const hide = (text: string): string => text.replaceAll(secret, HIDDEN);
	const { msg, traceId } = error.facts;
	return new ServiceError(hide(error.message), hide(error.advice), {
		...error.facts,
		msg: msg === undefined ? undefined : hide(msg),
		traceId: traceId === undefined ? undefined : hide(traceId),
	});
}
