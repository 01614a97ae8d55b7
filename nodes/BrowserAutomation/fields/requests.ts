import { DEFAULT_BASE_URL, toBaseUrl } from '../service/http/credential';
import type { FieldSet } from './field';
import { numberOption, switchOption, text } from './fieldBuilders';
import { readText } from './parseValue';

export const returnAllField = switchOption('returnAll', 'Return All', {
	under: undefined,
	description: 'Whether to return all results or only up to a given limit',
});

const limitField = numberOption('limit', 'Limit', {
	under: undefined,
	description: 'Max number of results to return',
	default: 50,
	orElse: "turn on 'Return All'",
	showWhen: { returnAll: [false] },
});

/** How many records of a paged list are read. */
export const PAGING: FieldSet<number> = {
	fields: [returnAllField, limitField],
	read: (values) => (values(returnAllField) ? Infinity : values(limitField)),
};

/** Where the service is, for operations that need no credential. */
export const baseUrlField = text('baseUrl', 'Base URL', {
	required: true,
	default: DEFAULT_BASE_URL,
	description: 'Keep the default for BrowserAct',
	placeholder: `e.g. ${DEFAULT_BASE_URL}`,
	read: (raw, label) =>
		toBaseUrl(readText(raw, label, `Enter an address, e.g. ${DEFAULT_BASE_URL}`)),
});
