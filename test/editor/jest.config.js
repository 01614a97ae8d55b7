const { transform, modulePathIgnorePatterns } = require('../../jest.config.js');

/** Tests of the editor, with a real browser at a real n8n. */
module.exports = {
	rootDir: '../..',
	testEnvironment: 'node',
	transform,
	modulePathIgnorePatterns,
	testMatch: ['<rootDir>/test/editor/**/*.test.ts'],
	testTimeout: 600_000,
};
