import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';

import {
	commonTokens,
	declareFactoryPlugin,
	PluginKind,
	tokens,
} from '@stryker-mutator/api/plugin';
import { strykerPlugins as ofJest } from '@stryker-mutator/jest-runner';

export { strykerValidationSchema } from '@stryker-mutator/jest-runner';

/** What the dry run leaves for the processes that try mutants: the file and the time of each test, by its ID. */
const KNOWN = 'known-tests.json';

/**
 * Stryker's own runner for Jest. It would load all test files for each mutant and run all tests that reach it; here the files run
 * one after another, those with the mutated file's name and the quick ones first, up to the first in which a test fails.
 */
function fileByFile(injector) {
	const [{ factory }] = ofJest;
	const runner = injector.injectFunction(factory);
	const [run, dryRun, mutantRun] = ['run', 'dryRun', 'mutantRun'].map((name) =>
		runner[name].bind(runner),
	);
	let testFiles;
	runner.run = async (settings) =>
		await run({ ...settings, testFiles: testFiles ?? settings.testFiles });
	runner.dryRun = async (options) => {
		testFiles = undefined;
		const result = await dryRun(options);
		const known = (result.tests ?? []).map(({ id, fileName, timeSpentMs }) => [
			id,
			{ fileName, timeSpentMs },
		]);
		writeFileSync(KNOWN, JSON.stringify(Object.fromEntries(known)));
		return result;
	};
	runner.mutantRun = async (options) => {
		let nrOfTests = 0;
		for (const [fileName, testFilter] of filesOf(options)) {
			testFiles = [fileName];
			const result = await mutantRun({ ...options, testFilter });
			nrOfTests += result.nrOfTests ?? 0;
			if (result.status !== 'survived') return { ...result, nrOfTests };
		}
		return { status: 'survived', nrOfTests };
	};
	return runner;
}
fileByFile.inject = tokens(commonTokens.injector);

/** The tests that reach a mutant, by their files. */
function filesOf({ testFilter = [], sandboxFileName }) {
	const known = JSON.parse(readFileSync(KNOWN, 'utf8'));
	const files = new Map();
	for (const id of testFilter) {
		const { fileName, timeSpentMs } = known[id];
		const { ids, time } = files.get(fileName) ?? { ids: [], time: 0 };
		files.set(fileName, { ids: [...ids, id], time: time + timeSpentMs });
	}
	const own = `/${basename(sandboxFileName, '.ts')}.test.ts`;
	const rank = ([name, { time }]) => (name.endsWith(own) ? -1 : time);
	return [...files]
		.sort((one, other) => rank(one) - rank(other))
		.map(([name, { ids }]) => [name, ids]);
}

export const strykerPlugins = [
	declareFactoryPlugin(PluginKind.TestRunner, 'jest-file-by-file', fileByFile),
];
