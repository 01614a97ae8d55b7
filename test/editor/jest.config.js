const { transform, modulePathIgnorePatterns } = require('../../jest.config.js');

/** Tests of the editor, with a real browser at a real n8n that starts once for all of them. */
module.exports = {
	rootDir: '../..',
	testEnvironment: 'node',
	transform,
	modulePathIgnorePatterns,
	testMatch: ['<rootDir>/test/editor/**/*.test.ts'],
	testTimeout: 180_000,
};
