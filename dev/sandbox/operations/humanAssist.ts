import { enveloped } from '../call';
import type { Operations } from '../call';
import { objectOrEmpty } from '../json';
import type { Service } from '../service';

/** Human assist sessions (docs/service.md: Human assist). */
export function humanAssistOperations(service: Service): Operations {
	const { humanAssists } = service;
	return {
		'humanAssist.create': ({ key, body }) => {
			const session = humanAssists.create(key.company, objectOrEmpty(body));
			return enveloped(humanAssists.show(session, service.url));
		},
		'humanAssist.complete': ({ key, query }) => {
			const session = humanAssists.complete(key.company, query['uuid'] ?? '');
			return enveloped(humanAssists.show(session, service.url));
		},
		'humanAssist.reportError': ({ key, query }) => {
			const session = humanAssists.reportError(key.company, query['uuid'] ?? '');
			return enveloped(humanAssists.show(session, service.url));
		},
	};
}
