import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { outputSchemas } from '../../tools/build/outputSchemas';
import { nodeOperations } from '../contract/operations';

/** Where n8n looks for the schemas of the node's version. */
const folder = join(__dirname, '../../dist/nodes/BrowserAutomation/__schema__/v1.1.0');

/** The interface leaves their answers open. */
const OPEN_RESOURCES = ['browser', 'accessGrant', 'cli', 'publicCli', 'cliService'];

it('the published schemas are those of the operations as they are now', async () => {
	for (const [name, schema] of await outputSchemas()) {
		const published = readFileSync(join(folder, `${name}.json`), 'utf8');
		expect(JSON.parse(published)).toEqual(schema);
	}
});

it.each(nodeOperations)('$name tells its known fields before it has run', ({ name, operation }) => {
	const [resource = '', value = ''] = name.split('.');
	const showsRows = operation.fields.some(
		(field) => field.name === 'output' && field.parameter.default === 'rows',
	);
	if (showsRows || OPEN_RESOURCES.includes(resource)) return;
	expect(existsSync(join(folder, resource, `${value}.json`))).toBe(true);
});
