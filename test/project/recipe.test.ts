import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { codeBlocksOf, PAGES, read, ROOT } from './markdown';

/** What the operation of the recipe needs to be compiled and tried. */
const NEEDED = [
	...['credentials', 'nodes', 'dev/fetchAlone.ts', 'dev/sandbox', 'tools'],
	...['jest.config.js', 'package.json', 'tsconfig.json'],
	...[
		...['contract', 'core', 'fixture', 'resources', 'sandbox'],
		...[
			'compileOnce.js',
			'lapsed.ts',
			'longestFirst.js',
			'randomValues.ts',
			'subtitle.ts',
			'timeLapse.ts',
		],
	].map((name) => `test/${name}`),
];

/** The tests that are red without a step of the recipe, but for the snapshot, which needs a build. */
const TESTS = [
	'test/contract/interface.test.ts',
	'test/resources/descriptions.test.ts',
	'test/resources/everyOperation.test.ts',
	'test/sandbox/document.test.ts',
];

/** Of them, those that are about the new operation or about all. */
const TITLES = [
	'run.?archive',
	'cover each other',
	'has a call for every operation',
	'the document is valid',
	'it states the',
].join('|');

const STEP = /^\*\*\d\. .*`([^`]+)`\n\n```diff\n([^]*?)\n```$/gm;

interface Step {
	step: number;
	file: string;
	code: string;
}

function stepsOfRecipe(): Step[] {
	return [...read('docs/develop/architecture.md').matchAll(STEP)].map(
		([, file = '', code = ''], index) => ({ step: index + 1, file, code: `${code}\n` }),
	);
}

/** The lines of a hunk that stand before, or after, the change. */
function side(hunk: string, marks: string): string {
	const lines = hunk.split('\n').filter((line) => marks.includes(line.charAt(0)) && line !== '');
	return lines.map((line) => `${line.slice(1)}\n`).join('');
}

/**
 * Makes the changes of a step.
 *
 * @throws Error that says which lines of the page have to follow the code
 */
function changed(text: string, { file, code, step }: Step): string {
	return code.split(/^@@$/m).reduce((before, hunk, index) => {
		const place = side(hunk, ' -');
		const places = before.split(place).length - 1;
		if (places === 1) return before.replace(place, () => side(hunk, ' +'));
		throw new Error(
			`Step ${step} of "Adding an operation" in docs/develop/architecture.md: the lines around its change ${index + 1} ` +
				`stand ${places} times in ${file}. Write them in the page as they stand in the file now:\n${place}`,
		);
	}, text);
}

let copy: string;

beforeAll(() => {
	copy = mkdtempSync(join(tmpdir(), 'recipe-'));
	for (const name of NEEDED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
	symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'dir');
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

it('an operation that is added as docs/develop/architecture.md says compiles and works', async () => {
	const steps = stepsOfRecipe();
	const changes = PAGES.flatMap(codeBlocksOf).filter(({ language }) => language === 'diff');
	expect(steps).toHaveLength(4);
	expect(changes).toHaveLength(steps.length);
	for (const step of steps) {
		const path = join(copy, step.file);
		writeFileSync(path, changed(readFileSync(path, 'utf8'), step));
	}

	const run = async (script: string, ...args: string[]): Promise<string> => {
		const settings = { cwd: copy, env: { ...process.env, NODE_ENV: 'test' } };
		const words = [require.resolve(script), ...args];
		const ended = promisify(execFile)(process.execPath, words, settings);
		const { stdout, stderr } = await ended.catch(
			(error: { stdout: string; stderr: string }) => error,
		);
		return stdout + stderr;
	};
	const include = ['nodes', 'credentials', 'dev/sandbox', 'test/resources/calls.ts'];
	const types = ['node', 'jest'];
	const project = { extends: './tsconfig.json', compilerOptions: { types }, include };
	writeFileSync(join(copy, 'tsconfig.recipe.json'), JSON.stringify(project));
	expect(await run('typescript/bin/tsc', '-p', 'tsconfig.recipe.json')).toBe('');
	const tried = await run('jest/bin/jest', '--runInBand', '--verbose', '-t', TITLES, ...TESTS);
	expect(tried).toContain(`Test Suites: ${TESTS.length} passed, ${TESTS.length} total`);
	expect(tried).toMatch(/^Tests: +(?:\d+ skipped, )?\d+ passed, \d+ total$/m);
	expect(tried).toContain('run.archive works against the service');
}, 900_000);
