import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { NODE_VERSIONS } from '../../nodes/BrowserAutomation/execution/webhook';
import { outputSchemas } from '../../scripts/build/outputSchemas';
import { nodeOperations } from '../contract/operations';

const schemaFolder = join(__dirname, '../../dist/nodes/BrowserAutomation/__schema__');

/** Where n8n looks for the schemas of the node's newest version. */
const folder = join(schemaFolder, 'v1.1.0');

/** The interface leaves their answers open. */
const OPEN_RESOURCES = ['browser', 'accessGrant', 'cli', 'publicCli', 'cliService'];

it.each(NODE_VERSIONS)(
	'the published schemas of version %d are those of the operations as they are now',
	async (version) => {
		const folderOfVersion = join(schemaFolder, `v${version.toFixed(1)}.0`);
		for (const [name, schema] of await outputSchemas()) {
			const published = readFileSync(join(folderOfVersion, `${name}.json`), 'utf8');
			expect(JSON.parse(published)).toEqual(schema);
		}
	},
);

it.each(nodeOperations)(
	'$name tells its fields before it has run, or none are known',
	({ name, operation }) => {
		const [resource = '', value = ''] = name.split('.');
		const showsRows = operation.fields.some(
			(field) => field.name === 'output' && field.parameter.default === 'rows',
		);
		if (showsRows || OPEN_RESOURCES.includes(resource)) return;
		expect(existsSync(join(folder, resource, `${value}.json`))).toBe(true);
	},
);
