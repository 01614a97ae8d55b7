const jestConfig = require('../../jest.config.js');

/** Keeps test files loaded, for mutation testing (docs/develop/testing.md); runner.mjs adds which. */
module.exports = {
	...jestConfig,
	rootDir: '../..',
	testRunner: '<rootDir>/tools/mutation/testFiles.ts',
};
