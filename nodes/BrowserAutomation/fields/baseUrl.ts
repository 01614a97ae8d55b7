import { DEFAULT_BASE_URL, toBaseUrl } from '../service/http/baseUrl';
import { InputError } from '../service/errors';
import type { Field } from './field';

/** Where the service is, for operations that need no credential. */
export const baseUrlField: Field<string> = {
	name: 'baseUrl',
	parameter: {
		displayName: 'Base URL',
		type: 'string',
		required: true,
		default: DEFAULT_BASE_URL,
		description:
			'Address of the service’s API. Keep the default for BrowserAct. This operation needs no credential.',
		placeholder: `e.g. ${DEFAULT_BASE_URL}`,
	},
	read: (raw) => {
		if (typeof raw === 'string' && raw.trim() !== '') return toBaseUrl(raw);
		throw new InputError('Base URL is missing', `Enter an address, e.g. ${DEFAULT_BASE_URL}`);
	},
};
