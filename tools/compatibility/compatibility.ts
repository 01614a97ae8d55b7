import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { formatted } from '../docs/formatted';
import { PROJECT, withPart } from '../docs/markdown';
import { describeResults } from './matrix';

/**
 * Puts what the end-to-end tests showed in each supported n8n into docs/develop/compatibility.md.
 *
 *     npm run test:n8n -- --json --outputFile=results.json
 *     npm run compatibility -- results.json
 *
 * Several files may be named, of runs with different tests.
 */
const PAGE = 'docs/develop/compatibility.md';

async function main(files: string[]): Promise<void> {
	if (files.length === 0) throw new Error('Name the files with the results of npm run test:n8n.');
	const results = files.map((file): unknown => JSON.parse(readFileSync(file, 'utf8')));
	const text = describeResults(results);
	const page = await formatted(PAGE, withPart(PAGE, 'matrix', text));
	writeFileSync(path.join(PROJECT, PAGE), page);
	console.log(text);
}

void main(process.argv.slice(2));
