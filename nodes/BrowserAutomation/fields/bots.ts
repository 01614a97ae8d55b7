import { InputError } from '../service/errors';
import type { Field } from './field';
import { choiceFilter, locator, optionalText } from './fieldBuilders';

/** What stands in the place of a bot's ID in other addresses of the service (docs/service.md: Endpoints). */
const NOT_BOTS = ['regions', 'runs', 'templates'];

const anyBotField = locator(
	{
		name: 'botId',
		displayName: 'Bot',
		description: 'The bot to use. A bot of type Workflow is the service’s workflow, not n8n’s.',
		placeholder: 'e.g. 76520131497525',
	},
	'searchBots',
);

/** The bot to read or run. */
export const botField: Field<string> = {
	...anyBotField,
	read: (raw, timeZone) => {
		const id = anyBotField.read(raw, timeZone);
		if (!NOT_BOTS.includes(id)) return id;
		throw new InputError(
			`Bot "${id}" is not the ID of a bot`,
			'Choose a bot from the list, or enter its ID, e.g. 76520131497525.',
		);
	},
};

/** The official template to read or run. */
export const templateField = locator(
	{
		name: 'templateId',
		displayName: 'Template',
		description: 'The official template to use',
		placeholder: 'e.g. 76520131497525',
	},
	'searchTemplates',
);

/** Longest search text that the service takes (docs/service.md: Limits). */
const KEYWORD_MAX_LENGTH = 200;

/** Part of a name to search for. */
export const keywordFilter = optionalText(
	'filters',
	{
		name: 'keyword',
		displayName: 'Keyword',
		description: 'Filter by name, ignoring case',
		placeholder: 'e.g. scraper',
	},
	KEYWORD_MAX_LENGTH,
);

export const botTypeFilter = choiceFilter(
	{ name: 'botType', displayName: 'Bot Type', description: 'Only bots of this type' },
	[
		{ name: 'Agent', value: 'agent' },
		{ name: 'Workflow', value: 'workflow' },
	],
);
