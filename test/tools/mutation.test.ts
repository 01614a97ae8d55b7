import { filesOf, testsOf } from '../../tools/mutation/mutation';

const MODULES = ['fields', 'methods', 'resources', 'service', 'transport', 'triggers', 'execution'];

it('every file of the node is mutated with tests of its own module', () => {
	const files = MODULES.flatMap(filesOf);
	expect(files.length).toBeGreaterThan(100);
	expect(files.filter((file) => testsOf(file).length === 0)).toEqual([]);
	expect(testsOf('service/http/pages')).toContain('test/service/http/pages.test.ts');
	expect(testsOf('execution/waiting/batch/start')).toEqual(
		expect.arrayContaining([
			'test/execution/waiting/batch/start.test.ts',
			'test/execution/waiting/starts.test.ts',
		]),
	);
});
