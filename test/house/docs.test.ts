import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { filesIn, read, ROOT } from './markdown';

const LINK = /\[[^\]]+\]\((?:\.\.\/)+(test\/[^)]+)\):((?:,? "[^"]+")+)/g;

/** The tests that a page names, as `[file](path): "title", "title"`. */
function testsNamedIn(page: string): Array<{ page: string; place: string; title: string }> {
	return [...read(page).matchAll(LINK)].flatMap(([, place = '', titles = '']) =>
		[...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ page, place, title })),
	);
}

/** The tests that the page about waiting names: `` `file`: title; title ``, the beginnings of titles in a file or folder. */
const ofWaiting = [
	...read('docs/develop/waiting.md').matchAll(/\| `([^`|]+)`: ([^|]+?) *\|$/gm),
].flatMap(([, file = '', titles = '']) => {
	const place = file.startsWith('test/') ? file : join('test/execution/waiting', file);
	return titles.split('; ').map((title) => ({ page: 'docs/develop/waiting.md', place, title }));
});

const named = [
	...['docs/develop/promises.md', 'docs/develop/security.md'].flatMap(testsNamedIn),
	...ofWaiting,
];

it.each(named)('$page names a test of $place: $title', ({ place, title }) => {
	const text = filesIn(place, '.ts').map(read).join('\n');
	expect(text.replaceAll('’', "'")).toContain(title.replaceAll('’', "'"));
});

it.each([
	['security', /^\| They try/, /\.test\.ts\): "/],
	['waiting', /^\| What +\| Then +\| Test /, /\| `[^`]+`: [^|]+\|$/],
])('every line about what goes wrong in %s.md names one', (page, head, test) => {
	const parts = read(`docs/develop/${page}.md`).split('\n\n');
	const tables = parts.filter((part) => head.test(part));
	const claims = tables.flatMap((table) => table.trim().split('\n').slice(2));
	expect(claims.length).toBeGreaterThan(20);
	expect(claims.filter((line) => !test.test(line))).toEqual([]);
});

/** The headings of docs/service.md that comments cite, as `docs/service.md: Limits` or `…: Errors, rule 3`. */
const cited = ['nodes', 'sandbox'].flatMap((folder) =>
	filesIn(folder, '.ts').flatMap((path) => {
		const text = read(path).replace(/\n\s*(?:\*|\/\/)\s/g, ' ');
		return [...text.matchAll(/docs\/service\.md: ([^)]+)\)/g)].flatMap(([, headings = '']) =>
			headings.split('; ').map((heading) => ({
				path,
				heading: heading.replace(/, rule \d$/, ''),
			})),
		);
	}),
);

it('every citation of the service’s page leads to a heading of it', () => {
	const found = read('docs/service.md').matchAll(/^##+ (.+)$/gm);
	const headings = [...found].map(([, heading]) => heading);
	expect(cited.length).toBeGreaterThan(50);
	expect(cited.filter(({ heading }) => !headings.includes(heading))).toEqual([]);
});

it('the tree of the house has every folder of the node, and no other', () => {
	const [, tree = ''] = /```\n([^]*?)```/.exec(read('docs/develop/house.md')) ?? [];
	const [, rooms = ''] = /^nodes\/BrowserAutomation\/\n((?: .*\n)+)/m.exec(tree) ?? [];
	const drawn = [...rooms.matchAll(/^ {2}(\w+)\/ /gm)].map(([, name]) => name);
	const there = readdirSync(join(ROOT, 'nodes/BrowserAutomation'), { withFileTypes: true });
	const folders = there.filter((entry) => entry.isDirectory()).map(({ name }) => name);
	expect(drawn.sort()).toEqual(folders.sort());
});

it('the picture of the rooms shows the imports that ESLint allows', () => {
	const [, stated = ''] = /const ROOMS = \{([^}]*)\}/.exec(read('eslint.config.mjs')) ?? [];
	const allowed = [...stated.matchAll(/(\w+): \[([^\]]*)\]/g)].map(([, room = '', open = '']) => [
		room,
		(open.match(/\w+/g) ?? []).sort(),
	]);

	const drawn = [...read('docs/develop/house.md').matchAll(/^ {4}([\w &]+) --> ([\w &]+)$/gm)];
	const arrows = drawn.flatMap(([, from = '', to = '']) =>
		from.split(' & ').flatMap((room) => to.split(' & ').map((next) => [room, next] as const)),
	);
	const below = (room: string): string[] =>
		arrows.filter(([from]) => from === room).flatMap(([, to]) => [to, ...below(to)]);
	const shown = allowed.map(([room]) => [room, [...new Set(below(String(room)))].sort()]);

	expect(allowed.length).toBeGreaterThan(5);
	expect(shown).toEqual(allowed);
});
