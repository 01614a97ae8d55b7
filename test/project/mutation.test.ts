import { existsSync } from 'node:fs';

import { testsOf } from '../../tools/mutation/tests';
import { filesIn } from './markdown';

/** What breaks the code to try the tests knows the tests that are there. */

const NODE = 'nodes/BrowserAutomation/';

const files = ['fields', 'methods', 'resources', 'service', 'transport', 'triggers', 'execution']
	.flatMap((module) => filesIn(NODE + module, '.ts'))
	.map((file) => file.replace(NODE, '').replace(/\.ts$/, ''));

it('every file is tried with tests, all of which are there', () => {
	const tests = files.map((file) => [file, testsOf(file)] as const);
	expect(tests.filter(([, names]) => names.length === 0)).toEqual([]);
	const missing = new Set(tests.flatMap(([, names]) => names).filter((name) => !existsSync(name)));
	expect([...missing]).toEqual([]);
});
