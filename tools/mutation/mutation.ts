import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = 'nodes/BrowserAutomation';

/** Tests of modules that are also shown by what uses them. */
const FURTHER: Readonly<Record<string, string[]>> = {
	fields: ['contract', 'execution', 'resources', 'triggers'],
	transport: ['execution', 'execution/files'],
	resources: ['contract', 'execution'],
	'execution/waiting/batch': ['execution/waiting'],
	'execution/waiting/suspension': ['execution/waiting'],
	'execution/waiting/statusPage': ['execution/waiting'],
};

/** Left out: each takes a second or more, which every mutant that it reaches would take. */
const SLOW = /(?:largeJson|hostile|oracle|stored|receiveModel|everyOperation)\.test\.ts$/;

/** The files of a place below the sources, a file or a folder, without their endings. */
export function filesOf(place: string): string[] {
	const path = join(SOURCES, place);
	if (existsSync(`${path}.ts`)) return [place];
	return readdirSync(path).flatMap((name) => {
		const inside = join(place, name);
		return statSync(join(SOURCES, inside)).isDirectory()
			? filesOf(inside)
			: [inside.replace(/\.ts$/, '')];
	});
}

/** The test files that a file is tried with: those of the folder in test/ that mirrors its own, or of the nearest above it. */
export function testsOf(file: string): string[] {
	const parts = file.split('/').slice(0, -1);
	const folders = parts.map((_, index) => parts.slice(0, parts.length - index).join('/'));
	const mirrored = folders.find((folder) => testsIn(folder).length > 0) ?? '';
	return [mirrored, ...(FURTHER[mirrored] ?? [])].flatMap(testsIn);
}

function testsIn(folder: string): string[] {
	const place = join('test', folder);
	if (!existsSync(place)) return [];
	const tests = readdirSync(place).filter((name) => name.endsWith('.test.ts') && !SLOW.test(name));
	return tests.map((name) => join(place, name));
}

/** `npm run mutation -- PLACE [TEST]…`: tries each file of a place, `service/schema` or `service/http/pages`, with its tests. */
function main([place, ...given]: string[]): void {
	if (place === undefined)
		throw new Error('Name a file or a folder below nodes/BrowserAutomation.');
	for (const file of filesOf(place)) {
		const tests = given.length > 0 ? given : testsOf(file);
		const mutated = ['run', '--mutate', `${SOURCES}/${file}.ts`, '--testFiles', tests.join(',')];
		const known = ['--incrementalFile', `coverage/mutation/${file}.json`];
		spawnSync('node_modules/.bin/stryker', [...mutated, ...known], { stdio: 'inherit' });
	}
}

if (require.main === module) main(process.argv.slice(2));
