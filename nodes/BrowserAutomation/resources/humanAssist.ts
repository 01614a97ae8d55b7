import { ask, operation, resource, SESSION_FIELDS, sessionUuidField } from './operation';

export const humanAssist = resource('humanAssist', 'Human Assist', {
	description: 'Sessions in which a person helps with a browser',
	operations: {
		create: operation('Create Session', 'Create human assist session', {
			description: 'Create a session in which a person helps with a browser',
			...ask('POST', '/v2/human-assist/create', { members: SESSION_FIELDS }),
		}),
		complete: operation('Complete', 'Complete human assist session', {
			description: 'End a session as completed, on behalf of the client',
			...ask('POST', '/v2/human-assist/complete-cli', { query: { uuid: sessionUuidField } }),
		}),
		reportError: operation('Report Error', 'Report error of human assist session', {
			description: 'End a session with an error, on behalf of the client',
			...ask('POST', '/v2/human-assist/error-cli', { query: { uuid: sessionUuidField } }),
		}),
	},
});
