import { randomUUID } from 'node:crypto';
import { enveloped } from '../call';
import type { Answer, Operations } from '../call';
import { numberAt, objectOrEmpty } from '../json';
import type { Service } from '../service';

const MAX_AT_ONCE = 50;

/** Access grants: a page for the user to open, and a request whose result is read later. */
export function accessGrantOperations(service: Service): Operations {
	const grant = (purpose: string, requestId: string): Answer =>
		enveloped({
			request_id: requestId,
			purpose,
			status: 'pending',
			url: `${service.url}/sandbox/pages/grants/${requestId}`,
		});

	return {
		'accessGrant.createStaticProxy': () => grant('static-proxy', randomUUID()),
		'accessGrant.createBrowserRenewal': () => grant('browser-renewal', randomUUID()),
		'accessGrant.createBrowserDeletion': () => grant('browser-deletion', randomUUID()),
		'accessGrant.createBrowserPurchase': ({ body, key }) => {
			const requestId = randomUUID();
			const quantity = numberAt(objectOrEmpty(body), 'quantity') ?? 1;
			for (let made = 0; made < Math.min(quantity, MAX_AT_ONCE); made += 1) {
				service.browsers.create(key.company, { name: `Purchased ${made + 1}` }, requestId);
			}
			return grant('browser-purchase', requestId);
		},
	};
}
