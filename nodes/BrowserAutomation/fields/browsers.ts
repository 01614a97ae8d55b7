import type { Field } from './field';
import { InputError } from '../service/errors';
import { choiceFilter, locator, optionalId } from './fieldBuilders';
import { readId } from './parseValue';

/** The browser instance to read or act on. */
export const browserField = locator(
	{
		name: 'browserId',
		displayName: 'Browser',
		description: 'The browser to use',
		placeholder: 'e.g. 30001',
	},
	'searchBrowsers',
);

/** Statuses of a browser (docs/service.md: Browser status values). */
export const browserStatusFilter = choiceFilter(
	{ name: 'status', displayName: 'Status', description: 'Only browsers with this status' },
	[
		{ name: 'Active', value: 'active' },
		{ name: 'Expired', value: 'expired' },
		{ name: 'Grace Period', value: 'grace-period' },
	],
);

export const requestIdFilter = optionalId('filters', {
	name: 'requestId',
	displayName: 'Request ID',
	description: 'Only browsers that were purchased with this access grant request',
	placeholder: 'e.g. 5f1c0c1e-6f0e-4f0b-9f57-2f6f3a1b9d10',
});

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** The static proxy to rename. Its ID stays text, so that no digit is lost. */
export const staticProxyField: Field<string> = {
	name: 'staticProxyId',
	parameter: {
		displayName: 'Static Proxy ID',
		type: 'string',
		required: true,
		default: '',
		description: 'The static proxy to rename',
		placeholder: 'e.g. 9007199254740993',
	},
	read: (raw) => {
		const label = 'Static Proxy ID';
		const text = readId(raw, label, 'Enter the ID of the static proxy, a whole number.');
		if (/^-?\d{1,19}$/.test(text) && BigInt(text) >= INT64_MIN && BigInt(text) <= INT64_MAX) {
			return text;
		}
		throw new InputError(
			`${label} "${text.slice(0, 40)}" is not a 64-bit whole number`,
			'Enter digits only, as text, e.g. 9007199254740993.',
		);
	},
};
