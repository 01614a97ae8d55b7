import { bounded, whenNotAuthorized, type ServiceClient } from '../service/http/client';
import { NOT_AUTHORIZED } from '../service/http/errorCodes';
import { ServiceError } from '../service/errors';
import { readAnswerBounds } from '../fields/answers';
import { baseUrlField } from '../fields/baseUrl';
import type { Values } from '../fields/field';
import { connect, connectSigned, connectWithoutKey, type Caller } from '../transport/client';

/** What an operation needs of the user: the API key, the signing secret, or nothing (docs/service.md: Authentication). */
export type Access = 'apiKey' | 'signed' | 'none';

/** Connects to the service once for all items, and gives each item its client, with the item's own bounds of answers. */
export async function connectForItems(
	caller: Caller,
	access: Access,
): Promise<(values: Values) => ServiceClient> {
	if (access === 'none') {
		return (values) =>
			bounded(connectWithoutKey(caller, values(baseUrlField)), readAnswerBounds(values));
	}
	const client =
		access === 'signed' ? explainingSignature(await connectSigned(caller)) : await connect(caller);
	return (values) => bounded(client, readAnswerBounds(values));
}

/** A client that tells a refused signature from a refused key, which the service does not. */
function explainingSignature(client: ServiceClient): ServiceClient {
	return whenNotAuthorized(client, async (_, { facts }) => {
		throw new ServiceError(
			`The service does not accept the signature${facts.msg === undefined ? '' : `: ${facts.msg}`} (code ${NOT_AUTHORIZED})`,
			'Open the signing credential and set the secret, the signed text, the encoding and the timestamp unit as the service’s support told you. Check this machine’s clock, too.',
			facts,
		);
	});
}
