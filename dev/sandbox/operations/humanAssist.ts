import { enveloped } from '../call';
import type { Operation, Operations } from '../call';
import { objectOrEmpty } from '../json';
import type { Service } from '../service';

/** Human assist sessions (docs/service.md: Human assist). */
export function humanAssistOperations(service: Service): Operations {
	const { humanAssists } = service;
	const ending =
		(status: 'cli_finished' | 'cli_error'): Operation =>
		({ key, query }) => {
			const session = humanAssists.end(key.company, query['uuid'] ?? '', status);
			return enveloped(humanAssists.show(session, service.url));
		};
	return {
		'humanAssist.create': ({ key, body }) => {
			const session = humanAssists.create(key.company, objectOrEmpty(body));
			return enveloped(humanAssists.show(session, service.url));
		},
		'humanAssist.complete': ending('cli_finished'),
		'humanAssist.reportError': ending('cli_error'),
	};
}
