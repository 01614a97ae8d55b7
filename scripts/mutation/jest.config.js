const jestConfig = require('../../jest.config.js');

/** Only the tests that the environment variable MUTATION_TESTS names, for mutation testing (docs/testing.md). */
module.exports = {
	...jestConfig,
	rootDir: '../..',
	testMatch: process.env.MUTATION_TESTS.split(',').map((path) => `<rootDir>/${path}`),
};
