import { resource } from '../operation';
import { get } from './get';
import { getAll } from './getAll';
import { run } from './run';

export const bot = resource({
	value: 'bot',
	name: 'Bot',
	description: 'Run the bots of your account, with an input form for each',
	operations: { run, get, getAll },
});
