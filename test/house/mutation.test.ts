import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { testsOf } from '../../scripts/mutation/tests';
import { ROOT } from './markdown';

/** What breaks the code to try the tests knows the tests that are there. */

const HOUSE = join(ROOT, 'nodes/BrowserAutomation');

const files = ['service', 'transport', 'triggers', 'execution'].flatMap((room) =>
	readdirSync(join(HOUSE, room), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts'))
		.map((name) => join(room, name.replace(/\.ts$/, ''))),
);

it('every file is tried with tests, all of which are there', () => {
	const tests = files.map((file) => [file, testsOf(file)] as const);
	expect(tests.filter(([, names]) => names.length === 0)).toEqual([]);
	const missing = new Set(tests.flatMap(([, names]) => names).filter((name) => !existsSync(name)));
	expect([...missing]).toEqual([]);
});
