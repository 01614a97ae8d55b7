import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { catalogue } from '../../nodes/BrowserAutomation/resources/catalogue';

const README = readFileSync(join(__dirname, '../../README.md'), 'utf8');

/** What the row of a resource names, without what stands in brackets. */
function operationsIn(resource: string): string[] {
	const row = README.split('\n').find((line) => line.startsWith(`| **${resource}** `)) ?? '';
	const cell = row.split('|').at(-2) ?? '';
	return cell
		.replace(/\([^)]*\)/g, '')
		.split(/[,;]/)
		.map((name) => name.trim());
}

it.each(catalogue)('the README names the operations of $name', ({ name, operations }) => {
	expect(operationsIn(name).sort()).toEqual(operations.map((operation) => operation.name).sort());
});
