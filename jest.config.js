const { availableParallelism } = require('node:os');

const transform = {
	'^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }],
};

/** Unit, core, contract and sandbox tests. The tests in a real n8n have a configuration of their own. */
module.exports = {
	testEnvironment: 'node',
	// More than there are cores: some tests wait, for a clock or for a process of their own.
	maxWorkers: availableParallelism() * 2,
	transform,
	runtime: '<rootDir>/test/compileOnce.js',
	setupFiles: ['<rootDir>/test/randomValues.ts', '<rootDir>/test/lapsed.ts'],
	testSequencer: '<rootDir>/test/longestFirst.js',
	testMatch: ['<rootDir>/test/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/n8n/', '<rootDir>/test/editor/'],
	// For a machine that is busy with other things: at a load of 45 on two cores some tests took thirty times as long. No test asserts a time.
	testTimeout: 300_000,
	modulePathIgnorePatterns: ['<rootDir>/dev/n8n/server-', '<rootDir>/coverage/'],
	transformIgnorePatterns: ['/node_modules/'],
};
