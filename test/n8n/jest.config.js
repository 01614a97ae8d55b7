const { transform, modulePathIgnorePatterns } = require('../../jest.config.js');

/** Tests in a real n8n. A server of each pinned version is shared by all of them; it starts once. */
module.exports = {
	rootDir: '../..',
	testEnvironment: 'node',
	transform,
	runtime: '<rootDir>/test/compileOnce.js',
	modulePathIgnorePatterns,
	testMatch: ['<rootDir>/test/n8n/**/*.test.ts'],
	testSequencer: '<rootDir>/test/longestFirst.js',
	globalSetup: '<rootDir>/test/n8n/globalSetup.ts',
	globalTeardown: '<rootDir>/test/n8n/globalTeardown.ts',
	testTimeout: 300_000,
	// With fewer, two cores are idle for a third of the time, as most tests wait.
	maxWorkers: 6,
	// Cases of waiting mostly wait: a group of them runs in one n8n at the same time.
	maxConcurrency: 8,
};
