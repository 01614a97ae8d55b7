import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { catalogue } from '../../nodes/BrowserAutomation/resources/catalogue';

const README = readFileSync(join(__dirname, '../../README.md'), 'utf8');

/** What the line of a resource names. */
function operationsIn(resource: string): string[] {
	const start = `- **${resource}**: `;
	const line = README.split('\n').find((candidate) => candidate.startsWith(start)) ?? start;
	return line.slice(start.length).split(', ');
}

it.each(catalogue)('the README names the operations of $name', ({ name, operations }) => {
	expect(operationsIn(name).sort()).toEqual(operations.map((operation) => operation.name).sort());
});
