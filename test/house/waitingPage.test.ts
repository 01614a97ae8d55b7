import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/develop/waiting.md'), 'utf8');

/** Where the page names a file or folder without its place. */
const WAITING_TESTS = 'test/execution/waiting';

/** What a cell names: `` `file`: title; title ``, the beginnings of titles in a file or folder. */
const named = [...page.matchAll(/\| `([^`|]+)`: ([^|]+?) *\|$/gm)].flatMap(
	([, place = '', titles = '']) => titles.split('; ').map((title) => ({ place, title })),
);

/** The text of a file, or of all files of a folder; empty when there is neither. */
function textOf(path: string): string {
	if (!existsSync(path)) return '';
	if (!statSync(path).isDirectory()) return readFileSync(path, 'utf8');
	return readdirSync(path)
		.map((name) => textOf(join(path, name)))
		.join('\n');
}

it.each(named)('waiting.md names a test of $place: $title', ({ place, title }) => {
	const folder = place.startsWith('test/') ? '' : WAITING_TESTS;
	expect(textOf(join(ROOT, folder, place)).replaceAll('’', "'")).toContain(title);
});

it('every line of its table about what goes wrong names one', () => {
	const table = page.split('\n\n').find((part) => /^\| What +\| Then +\| Test /.test(part));
	const lines = table?.trim().split('\n').slice(2) ?? [];
	expect(lines.length).toBeGreaterThan(20);
	expect(lines.filter((line) => !/\| `[^`]+`: [^|]+\|$/.test(line))).toEqual([]);
});
