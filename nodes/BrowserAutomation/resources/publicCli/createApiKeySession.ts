import { ask, at, item, readId, type Field, type Operation } from '../operation';

const machineIdField: Field<string> = {
	name: 'machineId',
	parameter: {
		displayName: 'Machine ID',
		type: 'string',
		required: true,
		default: '',
		description:
			'What identifies the machine that gets the API key. The service does not say what it may be.',
		placeholder: 'e.g. build-server-1',
	},
	read: (raw) => readId(raw, 'Machine ID', 'Enter a text that identifies the machine.'),
};

export const createApiKeySession: Operation = {
	name: 'Create API Key Session',
	action: 'Create API key session',
	description: 'Get a URL where a person logs in and receives an API key for a machine',
	access: 'none',
	...ask('POST', at`/open/cli/apikey-session/url`, { query: { machine_id: machineIdField } }),
	answer: item,
};
