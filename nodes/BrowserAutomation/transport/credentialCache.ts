import type { IWebhookFunctions } from 'n8n-workflow';

import type { ServiceClient } from '../service/http/client';
import { whenNotAuthorized } from '../service/http/notAuthorized';
import { TtlCache } from '../service/ttlCache';
import { connectWith, readApiCredential, type ApiCredential } from './client';

/** How many credentials are remembered at most. Forgetting one costs a callback a tenth of a second. */
const MOST = 10_000;

const remembered = new TtlCache<ApiCredential>(MOST);

/**
 * Keeps a credential in memory for the callbacks that are to come. Where n8n answers a webhook, it
 * prepares everything that expressions may need each time that a credential is read, which takes
 * longer than all that we do there.
 *
 * @param key who remembers, e.g. a sleeping execution
 * @param until when to forget it, in milliseconds since 1970
 */
export function rememberCredential(key: string, credential: ApiCredential, until: number): void {
	remembered.set(key, credential, until);
}

/** Forgets what was remembered under a key. */
export function forgetCredential(key: string): void {
	remembered.delete(key);
}

/**
 * A client for reads on behalf of a callback, with the credential remembered under a key if there is
 * one. When the service does not accept it any more, the credential is read anew.
 */
export async function connectForCallback(
	context: IWebhookFunctions,
	key: string,
	until: number,
): Promise<ServiceClient> {
	const connectAnew = async (): Promise<ServiceClient> => {
		const credential = await readApiCredential(context);
		rememberCredential(key, credential, until);
		return connectWith(context, credential);
	};
	const known = remembered.get(key);
	if (known === undefined) return await connectAnew();
	return whenNotAuthorized(connectWith(context, known), async (request) => {
		forgetCredential(key);
		return await (await connectAnew()).send(request);
	});
}
