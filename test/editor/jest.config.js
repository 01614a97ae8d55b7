const { transform, modulePathIgnorePatterns } = require('../../jest.config.js');

/** Tests of the editor, with a real browser at a real n8n; each file starts its own. */
module.exports = {
	rootDir: '../..',
	testEnvironment: 'node',
	transform,
	modulePathIgnorePatterns,
	testMatch: ['<rootDir>/test/editor/**/*.test.ts'],
	testTimeout: 300_000,
	// The editor and n8n mostly wait for each other, so that two files keep a machine with two cores busy.
	maxWorkers: 2,
};
