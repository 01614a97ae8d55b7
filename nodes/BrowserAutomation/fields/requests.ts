import { DEFAULT_BASE_URL, toBaseUrl } from '../service/http/credential';
import { MAX_PAGES } from '../service/http/pages';
import type { ReadParam } from './field';
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
	orElse: 'turn on Return All',
	showWhen: { returnAll: [false] },
});

const maxPagesField = numberOption('maxPages', 'Max Pages', {
	description: 'How many pages to read at most. Beyond that the node stops with an error.',
	default: MAX_PAGES,
});

/** How much of a paged list is read. */
export const PAGING = {
	fields: [returnAllField, limitField, maxPagesField],
	read: (values: ReadParam) => ({
		max: values(returnAllField) ? Infinity : values(limitField),
		maxPages: values(maxPagesField),
	}),
};

/** Where the service is, for operations that need no credential. */
export const baseUrlField = text('baseUrl', 'Base URL', {
	required: true,
	default: DEFAULT_BASE_URL,
	description:
		'Address of the service’s API. Keep the default for BrowserAct. This operation needs no credential.',
	placeholder: `e.g. ${DEFAULT_BASE_URL}`,
	read: (raw, label) =>
		toBaseUrl(readText(raw, label, `Enter an address, e.g. ${DEFAULT_BASE_URL}`)),
});
