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
	const tables = text.split('\n\n').filter((part) => part.startsWith('| They try'));
	const claims = tables.flatMap((table) => table.trim().split('\n').slice(2));
	expect(claims.length).toBeGreaterThan(20);
	expect(claims.filter((line) => !/\.test\.ts\): "/.test(line))).toEqual([]);
});
