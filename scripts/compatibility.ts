import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { isRecord, textOf } from '../n8n/json';
import { n8nVersions } from '../n8n/versions';

/**
 * Puts what the end-to-end tests showed in each supported n8n into docs/compatibility.md.
 *
 *     npm run test:n8n -- --json --outputFile=results.json
 *     npm run compatibility -- results.json
 */
const PAGE = path.join(__dirname, '../docs/compatibility.md');
const [BEGIN, END] = ['<!-- matrix -->', '<!-- end of the matrix -->'];

const VERSION = new RegExp(
	` in n8n (${n8nVersions.map((version) => version.replace('.', '\\.')).join('|')})$`,
);

/** What was shown, and in which versions it passed or failed. */
type Matrix = Map<string, Map<string, boolean>>;

function matrixOf(results: unknown): Matrix {
	const matrix: Matrix = new Map();
	for (const file of listAt(results, 'testResults')) {
		for (const test of listAt(file, 'assertionResults')) {
			const status = textOf(test, 'status');
			const [group = '', ...inner] = listAt(test, 'ancestorTitles').map(String);
			const version = VERSION.exec(group)?.[1];
			if (version === undefined || (status !== 'passed' && status !== 'failed')) continue;
			const titles = [group.replace(VERSION, ''), ...inner, textOf(test, 'title')];
			const name = titles.join(': ').replaceAll('|', '\\|');
			const row = matrix.get(name) ?? new Map<string, boolean>();
			matrix.set(name, row.set(version, status === 'passed'));
		}
	}
	return matrix;
}

function listAt(value: unknown, key: string): unknown[] {
	const found = isRecord(value) ? value[key] : undefined;
	return Array.isArray(found) ? found : [];
}

function tableOf(matrix: Matrix): string {
	const sign = (passed: boolean | undefined): string =>
		passed === undefined ? '–' : passed ? 'yes' : '**no**';
	const rows = [...matrix].map(([name, row]) => [
		name,
		...n8nVersions.map((version) => sign(row.get(version))),
	]);
	const head = ['What', ...n8nVersions.map((version) => `n8n ${version}`)];
	return [head, head.map(() => '---'), ...rows]
		.map((cells) => `| ${cells.join(' | ')} |`)
		.join('\n');
}

function main([file]: string[]): void {
	if (file === undefined) throw new Error('Name the file with the results of npm run test:n8n.');
	const matrix = matrixOf(JSON.parse(readFileSync(file, 'utf8')));
	if (matrix.size === 0) throw new Error(`${file} tells of no test in a named version of n8n.`);
	const table = tableOf(matrix);
	const page = readFileSync(PAGE, 'utf8');
	const before = page.slice(0, page.indexOf(BEGIN) + BEGIN.length);
	writeFileSync(PAGE, `${before}\n\n${table}\n\n${page.slice(page.indexOf(END))}`);
	console.log(table);
}

main(process.argv.slice(2));
