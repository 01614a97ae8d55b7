import { FORWARD, forwarded, operation, resource } from './operation';

export const cliService = resource('cliService', 'CLI Service', {
	description: 'Send any request to the service’s CLI backend',
	operations: {
		request: operation('Forward Request', 'Forward request to CLI backend', {
			description: 'Send any request through the service to its CLI backend',
			fields: FORWARD.fields,
			request: FORWARD.read,
			answer: forwarded,
		}),
	},
});
