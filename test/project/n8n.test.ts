import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { n8nVersions } from '../../dev/n8n/versions';
import { filesIn, read, ROOT } from './markdown';

/** What is said of n8n's own code and versions. */

const parts = [...read('tools/n8nChanges').matchAll(/^\t(n8n-\w+)\/(\S+) +# /gm)]
	.map(([, name = '', file = '']) => join(name, file))
	.map((file) => file.replace('$contexts', 'dist/execution-engine/node-execution-context'));

it.each(parts)('what the package relies on beyond the documented interface exists: %s', (file) => {
	expect(existsSync(join(ROOT, 'node_modules', file))).toBe(true);
});

it('each n8n in the gate has a folder, and each folder an n8n', () => {
	const folders = readdirSync(join(ROOT, 'dev/n8n')).filter((name) => name.startsWith('server-'));
	expect(folders.sort()).toEqual(n8nVersions.map((version) => `server-${version}`).sort());
});

it('the page of figures names each file of end-to-end tests', () => {
	const [, list = ''] = /## In which n8n\n([^]*?)\n## /.exec(read('docs/develop/figures.md')) ?? [];
	const named = [...list.matchAll(/`([\w.]+)`/g)].map(([, name]) => `test/n8n/${name}.test.ts`);
	expect(named.sort()).toEqual(filesIn('test/n8n', '.test.ts').sort());
});
