import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import manifest from '../../package.json';
import { hintsOf, problemsOf } from './checks';
import { withAddresses } from './repository';

/**
 * Steps of a release.
 *
 * - `check [TAG]` lists what is still to be filled in; exit status 1 when there is something.
 * - `readme` makes the links and pictures of README.md absolute, as npm shows it far from its repository. For the checkout
 *   that is published, not to be committed.
 * - `notes` prints what changed.
 */
const project = path.join(__dirname, '../..');
const README = path.join(project, 'README.md');

/** What of the pages is taken out once the package is published stands in these. */
const PAGES = ['README.md', 'SECURITY.md'];

function main([step, tag]: string[]): void {
	const changelog = readFileSync(path.join(project, 'CHANGELOG.md'), 'utf8');
	switch (step) {
		case 'check': {
			const read = (page: string): string => readFileSync(path.join(project, page), 'utf8');
			const pages = Object.fromEntries(PAGES.map((page) => [page, read(page)]));
			const problems = problemsOf({ manifest, changelog, pages, tag });
			for (const problem of problems) console.error(`- ${problem}`);
			if (problems.length > 0) process.exitCode = 1;
			else console.log(`Version ${manifest.version} is ready to be released.`);
			return;
		}
		case 'readme':
			writeFileSync(README, withAddresses(readFileSync(README, 'utf8')));
			return;
		case 'notes':
			process.stdout.write(hintsOf({ manifest, changelog }));
			return;
		default:
			throw new Error(`There is no step "${step}": use check, readme or notes.`);
	}
}

main(process.argv.slice(2));
