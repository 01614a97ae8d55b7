import {
	ask,
	at,
	BOT_FILTERS,
	botField,
	keywordFilter,
	list,
	page,
	proxyRegionOption,
	operation,
	resource,
	startRun,
	templateField,
} from './operation';

const BOT = at`/v3/bots/${botField}`;

export const bot = resource('bot', 'Bot', {
	description: 'Run the bots of your account, with an input form for each',
	operations: {
		run: operation('Run', 'Run bot', {
			description: 'Start a bot, wait until it is done, and get its result',
			...startRun(BOT),
		}),
		get: operation('Get', 'Get bot', {
			description: 'Read a bot with the schemas of its input and output',
			...ask('GET', BOT, { expects: { bot_id: botField } }),
		}),
		getAll: operation('Get Many', 'Get many bots', {
			description: 'List the published bots that this account can run',
			...ask('GET', '/v3/bots', { query: BOT_FILTERS, answer: page({ max: 100 }) }),
		}),
	},
});

const TEMPLATE = at`/v3/bots/templates/${templateField}`;

export const template = resource('template', 'Template', {
	description: 'Run the service’s official bots, with an input form for each',
	operations: {
		run: operation('Run', 'Run template', {
			description: 'Start an official template, wait until it is done, and get its result',
			...startRun(TEMPLATE, { proxy_region: proxyRegionOption }),
		}),
		get: operation('Get', 'Get template', {
			description: 'Read an official template with the schema of its input',
			...ask('GET', TEMPLATE, { expects: { template_id: templateField } }),
		}),
		getAll: operation('Get Many', 'Get many templates', {
			description: 'List the official templates, or search them by name',
			...ask('GET', '/v3/bots/templates', {
				query: { keyword: keywordFilter },
				answer: page({ max: 500 }),
			}),
		}),
		getRegions: operation('Get Proxy Regions', 'Get proxy regions', {
			description: 'List the countries a template’s browser can appear to be in',
			...ask('GET', '/v3/bots/regions', { answer: list }),
		}),
	},
});
