import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { DOCUMENT_PATH, loadDocument } from '../../sandbox/document';

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

test('a response that is not as stated is found', async () => {
	const { checkResponse } = await loadDocument();
	expect(checkResponse('run.getStatus', 200, { task_id: 5 })).not.toEqual([]);
	expect(checkResponse('run.getStatus', 204, {})).toEqual(['status 204 is not in the document']);
});
