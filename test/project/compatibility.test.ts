import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { describeResults, FEATURES, stemOf } from '../../tools/compatibility/matrix';
import { read, ROOT } from './markdown';

/** What jest writes of a run with one file. */
function runOf(file: string, tests: Array<[group: string, title: string, status: string]>) {
	return {
		startTime: Date.UTC(2026, 10, 21, 22),
		testResults: [
			{
				name: `/somewhere/test/n8n/${file}`,
				assertionResults: tests.map(([group, title, status]) => ({
					ancestorTitles: [group],
					title,
					status,
				})),
			},
		],
	};
}

const newest = runOf('triggers.test.ts', [
	['triggers in n8n 2.41', 'a run', 'passed'],
	['triggers in n8n 2.41', 'a batch', 'passed'],
	['triggers in n8n 2.41', 'left out', 'pending'],
]);
const oldest = runOf('triggers1.123.test.ts', [
	['triggers in n8n 1.123', 'a run', 'passed'],
	['triggers in n8n 1.123', 'a batch', 'failed'],
]);
const examples = runOf('examples.test.ts', [
	['', '01: the products of a shop are items', 'passed'],
]);

it('the matrix counts what several runs showed, by feature and version, and names what failed', () => {
	expect(describeResults([newest, oldest, examples])).toBe(
		[
			'| Tests of | n8n 2.41 | n8n 1.123 |',
			'| --- | --- | --- |',
			`| ${FEATURES.triggers} | 2 of 2 | **1 of 2** |`,
			`| ${FEATURES.examples} | 1 of 1 | – |`,
			'',
			'These failed:',
			'',
			'- n8n 1.123: triggers: a batch',
			'',
			'Seen on 21 November 2026.',
		].join('\n'),
	);
});

it('every file of end-to-end tests shows a feature that has a name', () => {
	const files = readdirSync(join(ROOT, 'test/n8n')).filter((file) => file.endsWith('.test.ts'));
	expect(new Set(files.map(stemOf))).toEqual(new Set(Object.keys(FEATURES)));
});

it('the page has a place for the matrix', () => {
	expect(read('docs/develop/compatibility.md')).toMatch(
		/<!-- matrix -->[^]*<!-- end of matrix -->/,
	);
});
