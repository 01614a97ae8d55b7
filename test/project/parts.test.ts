import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { linksOf, PAGES, read, ROOT } from './markdown';

/** The three parts of the documentation: short pages for users, and nothing there that only maintainers need. */

const USE = PAGES.filter((page) => page.startsWith('docs/use/'));
const RUN = PAGES.filter((page) => page.startsWith('docs/run/'));

/** As many as `wc -w` counts: whatever stands between spaces. */
function wordsIn(text: string): number {
	return text.split(/\s+/).filter(Boolean).length;
}

it('the pages for users and for those who run n8n have at most 12,450 words together', () => {
	const words = [...USE, ...RUN].map((page) => wordsIn(read(page)));
	expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(12_450);
});

it.each(['README.md', ...USE])('%s has at most 900 words', (page) => {
	expect(wordsIn(read(page))).toBeLessThanOrEqual(900);
});

it.each([...USE, ...RUN, ...PAGES.filter((page) => page.startsWith('docs/develop/'))])(
	'%s stands in the contents of its part',
	(page) => {
		expect(linksOf('docs/README.md')).toContain(page.replace('docs/', ''));
	},
);

it('the contents of the documentation name every example', () => {
	const named = [...read('docs/README.md').matchAll(/^- \[.*\]\(\.\.\/examples\/([^)]+)\): /gm)];
	expect(named.map(([, file]) => file)).toEqual(readdirSync(join(ROOT, 'examples')).sort());
});

/** Where n8n reads what is set by its environment. */
const N8N = ['node_modules/@n8n/config/dist', 'node_modules/n8n-core/dist'];

/** Settings of n8n that its server alone reads, which is not installed here; n8n 2.41 has them. */
const SERVER = ['N8N_BLOCK_ENV_ACCESS_IN_NODE', 'N8N_UNVERIFIED_PACKAGES_ENABLED'];

const settings = [...USE, ...RUN].flatMap((page) =>
	[...read(page).matchAll(/\b(?:N8N|DB|QUEUE|EXECUTIONS)_[A-Z0-9_]*[A-Z0-9]\b/g)].map(([name]) => ({
		page,
		name,
	})),
);

it('the pages name settings of n8n that n8n has', () => {
	const known = N8N.flatMap((folder) =>
		readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.js'))
			.map((file) => read(join(folder, file))),
	).join('\n');
	expect(settings.length).toBeGreaterThan(30);
	expect(
		settings.filter(({ name }) => !SERVER.includes(name) && !known.includes(`'${name}'`)),
	).toEqual([]);
});
