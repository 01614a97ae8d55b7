const transform = {
	'^.+\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' } }],
};

/** Unit, core, contract and sandbox tests. The tests in a real n8n have a configuration of their own. */
module.exports = {
	testEnvironment: 'node',
	transform,
	testMatch: ['<rootDir>/test/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/n8n/', '<rootDir>/test/editor/'],
	modulePathIgnorePatterns: ['<rootDir>/n8n/server-', '<rootDir>/coverage/'],
	transformIgnorePatterns: ['/node_modules/'],
};
