import { ServiceError } from '../../../nodes/BrowserAutomation/service/errors';
import type { JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import { whenNotAuthorized } from '../../../nodes/BrowserAutomation/service/http/notAuthorized';

const request = { method: 'GET', path: '/v3/bots' } as const;
const clientOf = (send: () => Promise<JsonValue>) =>
	whenNotAuthorized({ baseUrl: 'https://service.test', send }, async ({ path }, { facts }) => [
		path,
		facts.code ?? null,
	]);

it('an answer is given as it is', async () => {
	const client = clientOf(async () => 'fine');
	expect(await client.send(request)).toBe('fine');
	expect(client.baseUrl).toBe('https://service.test');
});

it('only a key that is not accepted leads elsewhere', async () => {
	const failing = (code: number) =>
		clientOf(async () => Promise.reject(new ServiceError('no', '', { code })));
	expect(await failing(401).send(request)).toEqual(['/v3/bots', 401]);
	await expect(failing(10112).send(request)).rejects.toThrow('no');
});
