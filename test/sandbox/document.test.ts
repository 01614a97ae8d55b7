import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { DOCUMENT_PATH, loadDocument } from '../../dev/sandbox/document';
import { makeHttpServer } from '../../dev/sandbox/http';
import { Service } from '../../dev/sandbox/service';
import { onSandbox, type Send } from './client';

let send: Send;

onSandbox({}, (opened) => ({ send } = opened));

const OPENAPI_CHECK = join(__dirname, '../../node_modules/.bin/validate-api');

test('the document is valid OpenAPI 3.1', () => {
	const verdict = execFileSync(OPENAPI_CHECK, [DOCUMENT_PATH], { encoding: 'utf8' });
	expect(JSON.parse(verdict)).toEqual({ valid: true });
});

test('it states the 54 operations of the interface, and public ones', async () => {
	const { operations } = await loadDocument();
	const from = (source: string): string[] => [
		...new Set(
			operations
				.filter((operation) => Object.entries(operation).some(([, value]) => value === source))
				.map(({ operationId = '' }) => operationId.split('.').slice(0, 2).join('.')),
		),
	];
	expect(from('interface')).toHaveLength(54);
	expect(from('public')).toEqual(
		expect.arrayContaining(['task.getStatus', 'task.getAll', 'workflowTemplate.getAll']),
	);
});

test('an operation that the document alone has says what is missing, and keeps no other from working', async () => {
	const document = await loadDocument();
	const added = { path: '/v3/added', method: 'get', operationId: 'run.added', security: [] };
	const operations = [...document.operations, added];
	const app = makeHttpServer(new Service({}), { ...document, operations, checkRequest: () => [] });
	const headers = { authorization: 'Bearer sandbox-key' };
	const url = await app.listen({ host: '127.0.0.1', port: 0 });
	expect((await fetch(`${url}/v3/bots/regions`, { headers })).status).toBe(200);
	const refused = await fetch(`${url}/v3/added`, { headers });
	expect(refused.status).toBe(500);
	expect(await refused.json()).toMatchObject({ msg: expect.stringContaining('run.added') });
	await app.close();
});

test.each([
	['/v3/bots', 'limit', '100', '101'],
	['/v3/bots', 'limit', '1', '0'],
	['/v3/bots', 'page', '2147483647', '2147483648'],
	['/v3/bots', 'page', '1', '0'],
	['/v3/bots/runs', 'limit', '100', '101'],
	['/v3/bots/templates', 'limit', '500', '501'],
	['/v3/bots/templates', 'keyword', 'x'.repeat(200), 'x'.repeat(201)],
	['/v2/workflow/list-workflows', 'limit', '500', '501'],
	['/v2/workflow/list-workflows', 'page', '1', '0'],
])('it states for %s the limit of %s', async (path, name, accepted, refused) => {
	expect((await send('GET', `${path}?${name}=${accepted}`)).status).toBe(200);
	expect((await send('GET', `${path}?${name}=${refused}`)).fields['code']).toBe(99001);
});
