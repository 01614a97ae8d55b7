import type { Field } from './field';
import { byAlphabet } from './alphabet';
import { InputError } from '../service/errors';
import { RUN_STATUSES } from '../service/runs/runStatus';
import {
	choiceFilter,
	dateTimeFilter,
	locator,
	locatorFilter,
	optionalText,
} from './fieldBuilders';
import { readOptionalId, readOptionalText } from './parseValue';

/** The run to read or act on. */
export const runField = locator(
	{
		name: 'taskId',
		displayName: 'Run',
		description: 'The run to use. The service calls its ID task_id.',
		placeholder: 'e.g. 90210047112233',
	},
	'searchRuns',
);

export const botIdFilter = locatorFilter(
	{
		name: 'botId',
		displayName: 'Bot',
		description: 'Only runs of this bot',
		placeholder: 'e.g. 76520131497525',
	},
	'searchBots',
);

export const botNameFilter = optionalText('filters', {
	name: 'botName',
	displayName: 'Bot Name',
	description: 'Only runs of bots whose name contains this',
	placeholder: 'e.g. scraper',
});

/** Statuses as choices, by their names. */
export function statusChoices(statuses: readonly string[]): Array<{ name: string; value: string }> {
	return statuses
		.map((status) => ({
			name: status.charAt(0).toUpperCase() + status.slice(1),
			value: status,
		}))
		.sort((a, b) => byAlphabet(a.name, b.name));
}

export const runStatusFilter = choiceFilter(
	{ name: 'status', displayName: 'Status', description: 'Only runs with this status' },
	statusChoices(RUN_STATUSES),
	'finished',
);

export const createdFromFilter = dateTimeFilter({
	name: 'createdAtFrom',
	displayName: 'Created From',
	description: 'Only runs created at or after this moment',
});

export const createdToFilter = dateTimeFilter({
	name: 'createdAtTo',
	displayName: 'Created To',
	description: 'Only runs created at or before this moment',
});

const INT32_MAX = 2 ** 31 - 1;

/** The reason of a cancellation, as the service numbers it. */
export const bizCodeOption: Field<number | undefined> = {
	name: 'bizCode',
	group: 'options',
	parameter: {
		displayName: 'Business Code',
		type: 'number',
		default: 0,
		description:
			'A number that tells the service why the run is canceled. The codes are not published: ask the service’s support. Without one, the service records that the user canceled.',
	},
	read: (raw) => {
		const text = readOptionalText(raw, 'Business Code');
		if (text === undefined) return undefined;
		const code = Number(text);
		if (Number.isInteger(code) && code >= -INT32_MAX - 1 && code <= INT32_MAX) return code;
		throw new InputError(
			'Business Code is not a 32-bit whole number',
			'Enter a code of the service, or remove the option.',
		);
	},
};

/** The country that a template's browser appears to be in, by its code. */
export const proxyRegionOption: Field<string | undefined> = {
	name: 'proxyRegion',
	group: 'options',
	parameter: {
		displayName: 'Proxy Region Name or ID',
		type: 'options',
		typeOptions: { loadOptionsMethod: 'getRegions' },
		default: '',
		description:
			'The country the browser appears to be in. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	},
	read: (raw) => readOptionalId(raw, 'Proxy Region'),
};
