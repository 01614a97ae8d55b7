/**
 * Mutation testing (docs/develop/testing.md); tools/mutation/mutation.ts adds what to mutate and which tests to run.
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
	plugins: ['./tools/mutation/runner.mjs'],
	testRunner: 'jest-file-by-file',
	coverageAnalysis: 'perTest',
	// A module's constants are made before a test runs, so each of their mutants would take all tests.
	ignoreStatic: true,
	// Most strings are texts that users read, or names that the compiler checks.
	mutator: { excludedMutations: ['StringLiteral'] },
	concurrency: Number(process.env.MUTANTS_AT_ONCE ?? 1),
	timeoutMS: 60_000,
	dryRunTimeoutMinutes: 60,
	incremental: true,
	tempDirName: 'coverage/mutation-sandbox',
	cleanTempDir: 'always',
	ignorePatterns: ['/dist', '/coverage', '/test/n8n', '/test/editor'],
	reporters: ['clear-text'],
	clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
	logLevel: 'warn',
};
