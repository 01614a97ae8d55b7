import { ask, at, botField, item, type Operation } from '../operation';

export const get: Operation = {
	name: 'Get',
	action: 'Get bot',
	description: 'Read a bot with the schemas of its input and output',
	...ask('GET', at`/v3/bots/${botField}`, { expects: { bot_id: botField } }),
	answer: item,
};
