import { enveloped } from '../call';
import type { Operations } from '../call';
import { objectOrEmpty, textAt } from '../json';
import type { Service } from '../service';

/** Static proxies and proxy sessions (docs/service.md: Access grants, static proxy, proxy session). */
export function proxyOperations(service: Service): Operations {
	return {
		'staticProxy.rename': ({ path, body }) => {
			service.staticProxies.rename(path['id'] ?? '', textAt(objectOrEmpty(body), 'name') ?? '');
			return enveloped();
		},
		'proxySession.sendHeartbeat': () => enveloped(),
		'proxySession.close': () => enveloped(),
	};
}
