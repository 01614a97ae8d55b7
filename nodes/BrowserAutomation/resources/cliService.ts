import {
	forwardBodyField,
	forwarded,
	forwardPathField,
	methodField,
	queryField,
	resource,
} from './operation';

/** Methods that have no body. */
const WITHOUT_BODY = ['GET', 'HEAD', 'OPTIONS'];

export const cliService = resource({
	value: 'cliService',
	name: 'CLI Service',
	description: 'Send any request to the service’s CLI backend',
	operations: {
		request: {
			name: 'Forward Request',
			action: 'Forward request to CLI backend',
			description: 'Send any request through the service to its CLI backend',
			fields: [methodField, forwardPathField, queryField, forwardBodyField],
			request: (values) => {
				const method = values(methodField);
				const body = WITHOUT_BODY.includes(method) ? undefined : values(forwardBodyField);
				return {
					method,
					path: values(forwardPathField),
					query: values(queryField),
					headers: { Accept: '*/*' },
					...(body !== undefined && { body }),
				};
			},
			answer: forwarded,
		},
	},
});
