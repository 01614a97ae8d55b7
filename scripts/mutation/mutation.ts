import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import Table from 'cli-table3';

import { testsOf } from './tests';

/*
 * `npm run mutation -- PLACE…` changes the code of a room, a folder or a file (`service`, `service/schema`, `service/pages`) in
 * many small ways, and tells for which changes no test fails. What has not changed since the last run is not tried again.
 * Without a place it only shows what earlier runs found. docs/testing.md says more.
 */

const HOUSE = 'nodes/BrowserAutomation';
const ROOMS = ['service', 'transport', 'triggers', 'execution'];
const RESULTS = 'coverage/mutation';

interface Mutant {
	status: string;
	mutatorName: string;
	replacement?: string;
	location: { start: { line: number; column: number } };
}

/** All files of a room, a folder, or the one file, as paths below the house and without an extension. */
function filesOf(place: string): string[] {
	const path = join(HOUSE, place);
	if (existsSync(`${path}.ts`)) return [place];
	return readdirSync(path)
		.flatMap((name) => {
			const inside = join(place, name);
			return statSync(join(HOUSE, inside)).isDirectory() ? filesOf(inside) : [inside];
		})
		.map((file) => file.replace(/\.ts$/, ''));
}

function resultFile(file: string): string {
	return join(RESULTS, `${file}.json`);
}

function mutate(file: string): void {
	mkdirSync(dirname(resultFile(file)), { recursive: true });
	const stryker = join('node_modules', '.bin', 'stryker');
	const { status } = spawnSync(
		stryker,
		['run', '--mutate', `${HOUSE}/${file}.ts`, '--incrementalFile', resultFile(file)],
		{ stdio: 'inherit', env: { ...process.env, MUTATION_TESTS: testsOf(file).join(',') } },
	);
	if (status !== 0) throw new Error(`Stryker could not try ${file}.`);
}

function readMutants(file: string): Mutant[] {
	if (!existsSync(resultFile(file))) return [];
	const { files }: { files: Record<string, { mutants: Mutant[] }> } = JSON.parse(
		readFileSync(resultFile(file), 'utf8'),
	);
	return files[`${HOUSE}/${file}.ts`]?.mutants ?? [];
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
			`${HOUSE}/${file}.ts:${line}:${column} ${mutant.status} ${mutant.mutatorName}: ${replacement}`,
		);
	}
}

function main(places: string[]): void {
	const files = places.flatMap(filesOf);
	for (const file of files) {
		mutate(file);
		printSurvivors(file);
	}
	if (files.length > 0) {
		printTable(
			'file',
			files.map((file) => row(file, readMutants(file))),
		);
	}
	const tried = ROOMS.map((room) => {
		const all = filesOf(room);
		const known = all.filter((file) => existsSync(resultFile(file)));
		return row(`${room} (${known.length} of ${all.length} files)`, known.flatMap(readMutants));
	});
	printTable('room', tried);
}

main(process.argv.slice(2));
