import type { Field } from './execution/field';
import { toDateTime } from './service/dateTime';
import { InputError } from './service/errors';
import { isJsonObject, parseJson, type JsonObject } from './service/json';
import { RUN_STATUSES } from './service/runStatus';

/** Text that may be missing: empty counts as not given. */
export function readOptionalText(raw: unknown): string | undefined {
	if (typeof raw === 'number') return String(raw);
	if (typeof raw !== 'string') return undefined;
	const text = raw.trim();
	return text === '' ? undefined : text;
}

/**
 * An ID, at least one character long (interface: Limits). Numbers are taken too, as long as they
 * are exact.
 *
 * @throws InputError naming the field
 */
export function readId(raw: unknown, label: string): string {
	if (typeof raw === 'number' && !Number.isSafeInteger(raw)) {
		throw new InputError(
			`${label} ${raw} is too large to be exact as a number`,
			'Give the ID as text, in quotes.',
		);
	}
	const text = readOptionalText(raw);
	if (text !== undefined) return text;
	throw new InputError(
		`${label} is missing`,
		`Choose a ${label.toLowerCase()} from the list, or enter its ID.`,
	);
}

/**
 * A JSON object, from the JSON editor's text or from an expression's object. Nothing at all counts
 * as the empty object.
 *
 * @throws InputError naming the field when it is something else
 */
export function readJsonObject(raw: unknown, label: string): JsonObject {
	if (raw === undefined || raw === null || raw === '') return {};
	const value = typeof raw === 'string' ? parseText(raw) : raw;
	if (value instanceof SyntaxError) {
		throw new InputError(
			`${label} is not valid JSON: ${value.message}`,
			'Check quotes, commas and braces, e.g. { "keyword": "laptop" }.',
		);
	}
	if (isJsonObject(value)) return value;
	const found = Array.isArray(value) ? 'a list' : `a ${typeof value}`;
	throw new InputError(
		`${label} is ${found}, not a JSON object`,
		'Enter an object in braces, e.g. { "keyword": "laptop" }, or an expression that gives one.',
	);
}

function parseText(text: string): unknown {
	try {
		return parseJson(text);
	} catch (error) {
		return error;
	}
}

/** A choice from a list, its IDs read by `searchListMethod`; it can be entered by ID as well. */
function locator(
	name: string,
	label: string,
	searchListMethod: string,
	description: string,
	placeholder: string,
): Field<string> {
	return {
		name,
		parameter: {
			displayName: label,
			type: 'resourceLocator',
			required: true,
			default: { mode: 'list', value: '' },
			description,
			modes: [
				{
					displayName: 'From List',
					name: 'list',
					type: 'list',
					typeOptions: { searchListMethod, searchable: true },
				},
				{ displayName: 'By ID', name: 'id', type: 'string', placeholder },
			],
		},
		read: (raw) => readId(raw, label),
	};
}

/** The bot to read or run. */
export const botField = locator(
	'botId',
	'Bot',
	'searchBots',
	'The bot to use',
	'e.g. 76520131497525',
);

/** The official template to read or run. */
export const templateField = locator(
	'templateId',
	'Template',
	'searchTemplates',
	'The official template to use',
	'e.g. 76520131497525',
);

/** The run to read or act on. */
export const runField = locator(
	'taskId',
	'Run',
	'searchRuns',
	'The run to use, by its task ID',
	'e.g. 90210047112233',
);

/** The input of a run. */
export const inputField: Field<JsonObject> = {
	name: 'input',
	parameter: {
		displayName: 'Input',
		type: 'json',
		default: '{}',
		description:
			'The input as a JSON object, by the names of the bot’s input fields. Leave it empty for a bot without input.',
		hint: 'e.g. { "keyword": "laptop" }',
	},
	read: (raw) => readJsonObject(raw, 'Input'),
};

function optionalText(
	group: 'filters' | 'options',
	name: string,
	displayName: string,
	description: string,
	placeholder: string,
	maxLength = Infinity,
): Field<string | undefined> {
	return {
		name,
		group,
		parameter: { displayName, type: 'string', default: '', description, placeholder },
		read: (raw) => {
			const text = readOptionalText(raw);
			if (text === undefined || text.length <= maxLength) return text;
			throw new InputError(
				`${displayName} is longer than ${maxLength} characters`,
				'Shorten it and try again.',
			);
		},
	};
}

/** Longest search text that the service takes (interface: Limits). */
const KEYWORD_MAX_LENGTH = 200;

/** Part of a name to search for. */
export const keywordFilter = optionalText(
	'filters',
	'keyword',
	'Keyword',
	'Part of the name, in upper or lower case',
	'e.g. scraper',
	KEYWORD_MAX_LENGTH,
);

export const botIdFilter = optionalText(
	'filters',
	'botId',
	'Bot ID',
	'Only runs of this bot',
	'e.g. 76520131497525',
);

export const botNameFilter = optionalText(
	'filters',
	'botName',
	'Bot Name',
	'Only runs of bots whose name contains this',
	'e.g. scraper',
);

/** The service calls this address once, when a run finishes, fails or is canceled. */
export const callbackUrlOption = optionalText(
	'options',
	'callbackUrl',
	'Completion Callback URL',
	'Address that the service calls once when the run finishes, fails or is canceled',
	'e.g. https://example.com/run-completed',
);

/** The service calls this address at each change of a run's status. */
export const statusCallbackUrlOption = optionalText(
	'options',
	'statusChangeCallbackUrl',
	'Status Callback URL',
	'Address that the service calls at each change of the run’s status',
	'e.g. https://example.com/run-status',
);

/** The country that a template's browser appears to be in. */
export const proxyRegionOption = optionalText(
	'options',
	'proxyRegion',
	'Proxy Region',
	'Code of the country the browser appears to be in. Template > Get Proxy Regions lists them.',
	'e.g. US',
);

function choiceFilter(
	name: string,
	displayName: string,
	description: string,
	choices: Array<{ name: string; value: string }>,
): Field<string | undefined> {
	return {
		name,
		group: 'filters',
		parameter: {
			displayName,
			type: 'options',
			default: choices[0]?.value ?? '',
			description,
			options: choices,
		},
		read: (raw) => {
			const text = readOptionalText(raw);
			if (text === undefined || choices.some(({ value }) => value === text)) return text;
			throw new InputError(
				`${displayName} "${text}" is not known`,
				`Use one of ${choices.map(({ value }) => value).join(', ')}.`,
			);
		},
	};
}

export const botTypeFilter = choiceFilter('botType', 'Bot Type', 'Only bots of this type', [
	{ name: 'Agent', value: 'agent' },
	{ name: 'Workflow', value: 'workflow' },
]);

export const runStatusFilter = choiceFilter(
	'status',
	'Status',
	'Only runs with this status',
	RUN_STATUSES.map((status) => ({
		name: status.charAt(0).toUpperCase() + status.slice(1),
		value: status,
	})).sort((a, b) => a.name.localeCompare(b.name)),
);

function dateTimeFilter(
	name: string,
	displayName: string,
	description: string,
): Field<string | undefined> {
	return {
		name,
		group: 'filters',
		parameter: { displayName, type: 'dateTime', default: '', description },
		read: (raw) =>
			raw === undefined || raw === null || raw === '' ? undefined : toDateTime(raw, displayName),
	};
}

export const createdFromFilter = dateTimeFilter(
	'createdAtFrom',
	'Created From',
	'Only runs created at or after this moment',
);

export const createdToFilter = dateTimeFilter(
	'createdAtTo',
	'Created To',
	'Only runs created at or before this moment',
);

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
			'Reason of the cancellation, as a code of the service. Without it, the user canceled.',
	},
	read: (raw) => {
		if (raw === undefined || raw === null || raw === '') return undefined;
		const code = Number(raw);
		if (Number.isInteger(code) && code >= -INT32_MAX - 1 && code <= INT32_MAX) return code;
		throw new InputError(
			'Business Code is not a 32-bit whole number',
			'Enter a code of the service, or remove the option.',
		);
	},
};
