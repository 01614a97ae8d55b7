import {
	ask,
	at,
	botField,
	botTypeFilter,
	keywordFilter,
	page,
	resource,
	startRun,
} from './operation';

const BOT = at`/v3/bots/${botField}`;

export const bot = resource({
	value: 'bot',
	name: 'Bot',
	description: 'Run the bots of your account, with an input form for each',
	operations: {
		run: {
			name: 'Run',
			action: 'Run bot',
			description: 'Start a bot, wait until it is done, and get its result',
			...startRun(BOT),
		},
		get: {
			name: 'Get',
			action: 'Get bot',
			description: 'Read a bot with the schemas of its input and output',
			...ask('GET', BOT, { expects: { bot_id: botField } }),
		},
		getAll: {
			name: 'Get Many',
			action: 'Get many bots',
			description: 'List the published bots that this account can run',
			...ask('GET', '/v3/bots', { query: { keyword: keywordFilter, bot_type: botTypeFilter } }),
			answer: page({ max: 100 }),
		},
	},
});
