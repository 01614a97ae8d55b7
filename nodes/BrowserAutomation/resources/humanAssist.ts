import { ask, given, item, resource, SESSION_FIELDS, sessionUuidField } from './operation';

export const humanAssist = resource({
	value: 'humanAssist',
	name: 'Human Assist',
	description: 'Sessions in which a person helps with a browser',
	operations: {
		create: {
			name: 'Create Session',
			action: 'Create human assist session',
			description: 'Create a session in which a person helps with a browser',
			fields: Object.values(SESSION_FIELDS),
			request: (values) => ({
				method: 'POST',
				path: '/v2/human-assist/create',
				body: given(values, SESSION_FIELDS),
			}),
			answer: item,
		},
		complete: {
			name: 'Complete',
			action: 'Complete human assist session',
			description: 'End a session as completed, on behalf of the client',
			...ask('POST', '/v2/human-assist/complete-cli', { query: { uuid: sessionUuidField } }),
		},
		reportError: {
			name: 'Report Error',
			action: 'Report error of human assist session',
			description: 'End a session with an error, on behalf of the client',
			...ask('POST', '/v2/human-assist/error-cli', { query: { uuid: sessionUuidField } }),
		},
	},
});
