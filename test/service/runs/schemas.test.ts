import { CanceledError } from '../../../nodes/BrowserAutomation/service/errors';
import {
	botIdOf,
	readInputSchema,
	readOutputSchema,
} from '../../../nodes/BrowserAutomation/service/runs/schemas';

it('the schemas of a bot are read no longer after a stop', async () => {
	const stopped = new CanceledError();
	const send = async (): Promise<never> => await Promise.reject(stopped);
	const client = { baseUrl: 'https://service.test', send };
	await expect(readInputSchema(client, '/v3/bots/7')).rejects.toBe(stopped);
	await expect(readOutputSchema(client, '7')).rejects.toBe(stopped);
});

it('a run names its bot, a task its workflow', () => {
	expect(botIdOf({ bot_id: '7', workflow_id: '8' })).toBe('7');
	expect(botIdOf({ workflow_id: '8' })).toBe('8');
});
