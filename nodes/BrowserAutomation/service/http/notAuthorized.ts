import { attempt } from '../attempt';
import type { ServiceClient } from './client';
import { NOT_AUTHORIZED } from './errorCodes';
import { hasCode, type ServiceError } from '../errors';
import type { JsonValue } from '../json/json';
import type { ServiceRequest } from './request';

/** A client that does something else with what the service does not accept its key or signature for. */
export function whenNotAuthorized(
	client: ServiceClient,
	instead: (request: ServiceRequest, refusal: ServiceError) => Promise<JsonValue | undefined>,
): ServiceClient {
	return {
		baseUrl: client.baseUrl,
		send: async (request) => {
			const sent = await attempt(client.send(request));
			if (sent.ok) return sent.value;
			if (!hasCode(sent.error, NOT_AUTHORIZED)) throw sent.error;
			return await instead(request, sent.error);
		},
	};
}
