import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * `npm run properties -- 30` runs the tests with random values thirty times (ten when nothing is said), with another seed each
 * time; what follows the number goes to Jest. It goes on after a failure, and ends with status 1 and the seeds that failed.
 */

const project = join(__dirname, '..');

const tests = readdirSync(join(project, 'test'), { recursive: true, encoding: 'utf8' })
	.filter((name) => name.endsWith('.test.ts'))
	.map((name) => join('test', name))
	.filter((path) => readFileSync(join(project, path), 'utf8').includes("from 'fast-check'"));

const [times = '10', ...others] = process.argv.slice(2);
const failed: number[] = [];
for (let count = 0; count < Number(times); count++) {
	const seed = randomInt(2 ** 31);
	console.log(`Seed ${seed}`);
	const { status } = spawnSync(join(project, 'node_modules/.bin/jest'), [...tests, ...others], {
		cwd: project,
		stdio: 'inherit',
		env: { ...process.env, MODEL_SEED: String(seed) },
	});
	if (status !== 0) failed.push(seed);
}
for (const seed of failed) {
	console.error(`Repeat with: MODEL_SEED=${seed} npx jest ${tests.join(' ')}`);
}
console.log(`${times} seeds, ${failed.length} of them with a failure`);
process.exitCode = failed.length === 0 ? 0 : 1;
