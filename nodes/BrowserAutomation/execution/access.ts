import { toBaseUrl, DEFAULT_BASE_URL } from '../service/baseUrl';
import type { ServiceClient } from '../service/client';
import { InputError, NOT_AUTHORIZED, ServiceError } from '../service/errors';
import { whenNotAuthorized } from '../service/notAuthorized';
import type { Field, Values } from './field';
import { connect, connectSigned, connectWithoutKey, type Caller } from './request';

/** What an operation needs of the user: the API key, the signing secret, or nothing (interface: Authentication). */
export type Access = 'apiKey' | 'signed' | 'none';

/** Where the service is, for operations that need no credential. */
export const baseUrlField: Field<string> = {
	name: 'baseUrl',
	parameter: {
		displayName: 'Base URL',
		type: 'string',
		required: true,
		default: DEFAULT_BASE_URL,
		description: 'Address of the service’s API. This operation needs no credential.',
		placeholder: `e.g. ${DEFAULT_BASE_URL}`,
	},
	read: (raw) => {
		if (typeof raw === 'string' && raw.trim() !== '') return toBaseUrl(raw);
		throw new InputError('Base URL is missing', `Enter an address, e.g. ${DEFAULT_BASE_URL}`);
	},
};

/** Opens the way to the service once for all items, and gives each item its client. */
export async function openAccess(
	caller: Caller,
	access: Access,
): Promise<(values: Values) => ServiceClient> {
	if (access === 'none') return (values) => connectWithoutKey(caller, values(baseUrlField));
	const client =
		access === 'signed' ? toldOfSignature(await connectSigned(caller)) : await connect(caller);
	return () => client;
}

/** A client that tells a refused signature from a refused key, which the service does not. */
function toldOfSignature(client: ServiceClient): ServiceClient {
	return whenNotAuthorized(client, async (_, { facts }) => {
		throw new ServiceError(
			`The service does not accept the signature${facts.msg === undefined ? '' : `: ${facts.msg}`} (code ${NOT_AUTHORIZED})`,
			'Open the signing credential and set the secret, the signed text, the encoding and the timestamp unit as the service’s operator tells you. Check this machine’s clock, too.',
			facts,
		);
	});
}
