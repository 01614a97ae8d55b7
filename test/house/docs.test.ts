import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DOCS = join(__dirname, '../../docs');

const LINK = /\[[^\]]+\]\((\.\.\/test\/[^)]+)\):((?:,? "[^"]+")+)/g;

/** The tests that a page names, as `[file](path): "title", "title"`. */
function testsNamedIn(page: string): Array<{ path: string; title: string }> {
	const text = readFileSync(join(DOCS, page), 'utf8');
	return [...text.matchAll(LINK)].flatMap(([, path = '', titles = '']) =>
		[...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ path, title })),
	);
}

const named = testsNamedIn('security.md');

it.each(named)('security.md names a test of $path: $title', ({ path, title }) => {
	expect(readFileSync(join(DOCS, path), 'utf8')).toContain(title);
});

it('every line of its tables about attackers names one', () => {
	const text = readFileSync(join(DOCS, 'security.md'), 'utf8');
	const rows = text.split('\n').filter((line) => /^\| /.test(line));
	const claims = rows.filter((line) => !/^\| (They try|Environment|-|`N8N_)/.test(line));
	expect(claims.length).toBeGreaterThan(20);
	expect(claims.filter((line) => !/\.test\.ts\): "/.test(line))).toEqual([]);
});
