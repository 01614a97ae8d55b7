import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';

import Table from 'cli-table3';

import { testsOf } from './tests';

/*
 * `npm run mutation -- PLACE…` changes the code of a module, a folder or a file (`service`, `service/schema`, `service/http/pages`) in
 * many small ways, and reports for which changes no test fails. What has not changed since the last run is not tried again.
 * Without a place it only shows what earlier runs found. docs/develop/testing.md says more.
 */

const SOURCES = 'nodes/BrowserAutomation';
const ROOMS = ['fields', 'methods', 'resources', 'service', 'transport', 'triggers', 'execution'];
const RESULTS = 'coverage/mutation';

/** Tests that fail without a mutant, or when run again. */
const LEFT_OUT = join(RESULTS, 'left-out.txt');

interface Mutant {
	status: string;
	mutatorName: string;
	replacement?: string;
	location: { start: { line: number; column: number } };
}

/** All files of a module, a folder, or the one file, as paths below the project and without an extension. */
function filesOf(place: string): string[] {
	const path = join(SOURCES, place);
	if (existsSync(`${path}.ts`)) return [place];
	return readdirSync(path)
		.flatMap((name) => {
			const inside = join(place, name);
			return statSync(join(SOURCES, inside)).isDirectory() ? filesOf(inside) : [inside];
		})
		.map((file) => file.replace(/\.ts$/, ''));
}

/** What is known of a file's mutants: one in a line, from the moment that it was tried. */
function resultFile(file: string): string {
	return join(RESULTS, `${file}.jsonl`);
}

/** Mutates files that have the same tests, which Stryker then loads only once. */
function mutate(tests: string, files: string[]): void {
	for (const file of files) rmSync(resultFile(file), { force: true });
	mkdirSync(RESULTS, { recursive: true });
	writeFileSync(LEFT_OUT, '');
	const mutated = files.map((file) => `${SOURCES}/${file}.ts`).join(',');
	const known = join(RESULTS, `${createHash('sha1').update(tests).digest('hex')}.json`);
	const { status } = spawnSync(
		join('node_modules', '.bin', 'stryker'),
		['run', '--mutate', mutated, '--incrementalFile', known],
		{
			stdio: 'inherit',
			env: {
				...process.env,
				MUTATION_TESTS: tests,
				MUTATION_RESULTS: resolve(RESULTS),
				MUTATION_LEFT_OUT: resolve(LEFT_OUT),
				MUTATED: mutated,
			},
		},
	);
	if (status !== 0) console.error(`Stryker could not try all of ${files.join(', ')}.`);
	const leftOut = readFileSync(LEFT_OUT, 'utf8');
	if (leftOut !== '') console.log(`Left out, as they fail without a mutant:\n${leftOut}`);
}

/** Files by the tests that they are tried with. */
function byTests(files: string[]): Map<string, string[]> {
	const groups = new Map<string, string[]>();
	for (const file of files) {
		const tests = testsOf(file).join(',');
		groups.set(tests, [...(groups.get(tests) ?? []), file]);
	}
	return groups;
}

function readMutants(file: string): Mutant[] {
	if (!existsSync(resultFile(file))) return [];
	const lines = readFileSync(resultFile(file), 'utf8').trim().split('\n');
	return lines.map((line): Mutant => JSON.parse(line));
}

function count(mutants: Mutant[], ...statuses: string[]): number {
	return mutants.filter(({ status }) => statuses.includes(status)).length;
}

/** A row of figures: the score is the share of the mutants, of those that tests could find, for which one failed. */
function row(name: string, mutants: Mutant[]): string[] {
	const found = count(mutants, 'Killed', 'Timeout');
	const survived = count(mutants, 'Survived');
	const uncovered = count(mutants, 'NoCoverage');
	const all = found + survived + uncovered;
	const score = all === 0 ? '' : `${((100 * found) / all).toFixed(1)} %`;
	return [name, ...[found, survived, uncovered].map(String), score];
}

function printTable(title: string, rows: string[][]): void {
	const table = new Table({
		head: [title, 'found', 'survived', 'not reached', 'score'],
		colAligns: ['left', 'right', 'right', 'right', 'right'],
		style: { head: [], border: [], compact: true },
	});
	table.push(...rows);
	console.log(table.toString());
}

function printSurvivors(file: string): void {
	for (const mutant of readMutants(file)) {
		if (mutant.status !== 'Survived' && mutant.status !== 'NoCoverage') continue;
		const { line, column } = mutant.location.start;
		const replacement = (mutant.replacement ?? '').replace(/\s+/g, ' ');
		console.log(
			`${SOURCES}/${file}.ts:${line}:${column} ${mutant.status} ${mutant.mutatorName}: ${replacement}`,
		);
	}
}

function main(places: string[]): void {
	const files = places.flatMap(filesOf);
	for (const [tests, together] of byTests(files)) {
		mutate(tests, together);
		together.forEach(printSurvivors);
	}
	if (files.length > 0) {
		printTable(
			'file',
			files.map((file) => row(file, readMutants(file))),
		);
	}
	const tried = ROOMS.map((module) => {
		const all = filesOf(module);
		const known = all.filter((file) => readMutants(file).length > 0);
		return row(`${module} (${known.length} of ${all.length} files)`, known.flatMap(readMutants));
	});
	printTable('module', tried);
}

main(process.argv.slice(2));
