import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');
const DOCS = join(ROOT, 'docs');

const LINK = /\[[^\]]+\]\((?:\.\.\/)+(test\/[^)]+)\):((?:,? "[^"]+")+)/g;

/** The tests that a page names, as `[file](path): "title", "title"`. */
function testsNamedIn(page: string): Array<{ path: string; title: string }> {
	const text = readFileSync(join(DOCS, page), 'utf8');
	return [...text.matchAll(LINK)].flatMap(([, path = '', titles = '']) =>
		[...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ path, title })),
	);
}

const named = ['develop/promises.md', 'develop/security.md'].flatMap((page) =>
	testsNamedIn(page).map((test) => ({ page, ...test })),
);

it.each(named)('$page names a test of $path: $title', ({ path, title }) => {
	expect(readFileSync(join(ROOT, path), 'utf8')).toContain(title);
});

it('every line of its tables about attackers names one', () => {
	const text = readFileSync(join(DOCS, 'develop/security.md'), 'utf8');
	const tables = text.split('\n\n').filter((part) => part.startsWith('| They try'));
	const claims = tables.flatMap((table) => table.trim().split('\n').slice(2));
	expect(claims.length).toBeGreaterThan(20);
	expect(claims.filter((line) => !/\.test\.ts\): "/.test(line))).toEqual([]);
});

function filesIn(folder: string, ending: string): string[] {
	return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith(ending))
		.map((name) => join(folder, name));
}

/** The headings of docs/service.md that comments cite, as `docs/service.md: Limits` or `…: Errors, rule 3`. */
const cited = ['nodes', 'sandbox'].flatMap((folder) =>
	filesIn(folder, '.ts').flatMap((path) => {
		const text = readFileSync(join(ROOT, path), 'utf8').replace(/\n\s*(?:\*|\/\/)\s/g, ' ');
		return [...text.matchAll(/docs\/service\.md: ([^)]+)\)/g)].flatMap(([, headings = '']) =>
			headings.split('; ').map((heading) => ({
				path,
				heading: heading.replace(/, rule \d$/, ''),
			})),
		);
	}),
);

it('every citation of the service’s page leads to a heading of it', () => {
	const page = readFileSync(join(DOCS, 'service.md'), 'utf8');
	const headings = [...page.matchAll(/^##+ (.+)$/gm)].map(([, heading]) => heading);
	expect(cited.length).toBeGreaterThan(50);
	expect(cited.filter(({ heading }) => !headings.includes(heading))).toEqual([]);
});

const ROOMS = join(ROOT, 'nodes/BrowserAutomation');

it('the tree of the house has every folder of the node, and no other', () => {
	const [, tree = ''] =
		/```\n([^]*?)```/.exec(readFileSync(join(DOCS, 'develop/house.md'), 'utf8')) ?? [];
	const [, rooms = ''] = /^nodes\/BrowserAutomation\/\n((?: .*\n)+)/m.exec(tree) ?? [];
	const named = [...rooms.matchAll(/^ {2}(\w+)\/ /gm)].map(([, name]) => name);
	const folders = readdirSync(ROOMS, { withFileTypes: true }).filter((entry) =>
		entry.isDirectory(),
	);
	expect(named.sort()).toEqual(folders.map(({ name }) => name).sort());
});

it('the picture of the rooms shows the imports that ESLint allows', () => {
	const config = readFileSync(join(ROOT, 'eslint.config.mjs'), 'utf8');
	const [, stated = ''] = /const ROOMS = \{([^}]*)\}/.exec(config) ?? [];
	const allowed = [...stated.matchAll(/(\w+): \[([^\]]*)\]/g)].map(([, room = '', open = '']) => [
		room,
		(open.match(/\w+/g) ?? []).sort(),
	]);

	const page = readFileSync(join(DOCS, 'develop/house.md'), 'utf8');
	const arrows = [...page.matchAll(/^ {4}([\w &]+) --> ([\w &]+)$/gm)].flatMap(
		([, from = '', to = '']) =>
			from.split(' & ').flatMap((room) => to.split(' & ').map((next) => [room, next] as const)),
	);
	const below = (room: string): string[] =>
		arrows.filter(([from]) => from === room).flatMap(([, to]) => [to, ...below(to)]);
	const shown = allowed.map(([room]) => [room, [...new Set(below(String(room)))].sort()]);

	expect(allowed.length).toBeGreaterThan(5);
	expect(shown).toEqual(allowed);
});
