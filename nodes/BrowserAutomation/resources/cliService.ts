import { FORWARD, forwarded, resource } from './operation';

export const cliService = resource({
	value: 'cliService',
	name: 'CLI Service',
	description: 'Send any request to the service’s CLI backend',
	operations: {
		request: {
			name: 'Forward Request',
			action: 'Forward request to CLI backend',
			description: 'Send any request through the service to its CLI backend',
			fields: FORWARD.fields,
			request: FORWARD.read,
			answer: forwarded,
		},
	},
});
