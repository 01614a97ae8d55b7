import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { botField } from '../../fields';
import { path } from '../../service/http/request';
import type { Operation } from '../operation';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get bot',
	description: 'Read a bot with the schemas of its input and output',
	fields: [botField, concurrencyField],
	request: (values) => ({
		method: 'GET',
		path: path`/v3/bots/${values(botField)}`,
		expects: { bot_id: values(botField) },
	}),
	answer: item,
};
