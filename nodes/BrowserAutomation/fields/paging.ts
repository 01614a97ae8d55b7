import { InputError } from '../service/errors';
import { MOST_PAGES } from '../service/http/pages';
import { numberIn, type Field } from './field';
import { numberOption } from './numbers';

/** Whether to read a list to its end. */
export const returnAllField: Field<boolean> = {
	name: 'returnAll',
	parameter: {
		displayName: 'Return All',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	read: (raw) => raw === true,
};

/** How many results to return at most. */
export const limitField: Field<number> = {
	name: 'limit',
	parameter: {
		displayName: 'Limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
	},
	showWhen: { returnAll: [false] },
	read: (raw) => {
		const limit = numberIn(raw);
		if (Number.isInteger(limit) && limit >= 1) return limit;
		throw new InputError(
			'Limit is not a whole number from 1',
			'Enter e.g. 50, or turn on Return All.',
		);
	},
};

/** How many pages of a list are read at most. */
export const mostPagesField = numberOption({
	name: 'maxPages',
	displayName: 'Max Pages',
	description: 'How many pages to read at most. Beyond that the node stops with an error.',
	default: MOST_PAGES,
});

/** What an operation that reads a paged list offers. */
export const PAGING_FIELDS = [returnAllField, limitField, mostPagesField];
