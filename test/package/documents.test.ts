import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

const root = path.join(__dirname, '../..');

/** Where a document names a test file without its folder. */
const USUAL_FOLDER = 'test/execution/waiting';

/** A test that a table names: `file` and the beginning of its title. */
interface NamedTest {
	file: string;
	title: string;
}

/** The cells of a table's column `Test`: `` `file`: title; another title ``. */
function namedTests(document: string): NamedTest[] {
	const rows = readFileSync(path.join(root, document), 'utf8')
		.split('\n')
		.map((line) => /\| `([^`|]+)`: ([^|]+?) *\|$/.exec(line));
	return rows.flatMap((row) => {
		const [, file = '', titles = ''] = row ?? [];
		return titles === '' ? [] : titles.split('; ').map((title) => ({ file, title }));
	});
}

/** The text of a file, or of all files of a folder. */
function textOf(place: string): string {
	if (!existsSync(place)) return '';
	if (!statSync(place).isDirectory()) return readFileSync(place, 'utf8');
	return readdirSync(place)
		.map((name) => textOf(path.join(place, name)))
		.join('\n');
}

describe('docs/waiting.md', () => {
	const named = namedTests('docs/waiting.md');

	it('names tests in its tables', () => {
		expect(named.length).toBeGreaterThan(20);
	});

	it.each(named)('names a test that exists: $file, $title', ({ file, title }) => {
		const folder = file.startsWith('test/') ? '' : USUAL_FOLDER;
		const text = textOf(path.join(root, folder, file)).replaceAll('’', "'");
		expect(text).toContain(title);
	});
});
