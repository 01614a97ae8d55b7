import type { IWebhookFunctions } from 'n8n-workflow';

import type { ServiceClient } from '../service/http/client';
import { TtlCache } from '../service/ttlCache';
import { connectToWatch, readApiCredential, type ApiCredential, type Caller } from './client';

/** How many credentials are remembered at most. Forgetting one costs a callback a tenth of a second. */
const MOST = 10_000;

const remembered = new TtlCache<ApiCredential>(MOST);

/**
 * A client for reads on behalf of a callback. Its credential stays in memory for the callbacks that
 * are to come: where n8n answers a webhook, it prepares everything that expressions may need each
 * time that a credential is read, which takes longer than all that we do there. When the service
 * does not accept the key any more, the credential is read anew.
 *
 * @param key who remembers, e.g. a trigger
 * @param until when to forget it, in milliseconds since 1970
 */
export async function connectForCallback(
	context: IWebhookFunctions,
	key: string,
	until: number,
): Promise<ServiceClient> {
	const readAnew = async (caller: Caller): Promise<ApiCredential> => {
		const credential = await readApiCredential(caller);
		remembered.set(key, credential, until);
		return credential;
	};
	const credential = remembered.get(key) ?? (await readAnew(context));
	return connectToWatch(context, credential, readAnew);
}
