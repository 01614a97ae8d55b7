import { BOUNDS, memoryOf } from '../../nodes/BrowserAutomation/service/processMemory';
import { filesIn, read } from './markdown';

const NODES = 'nodes/BrowserAutomation';

const [, kept = ''] = /\n## Memory kept\n([^]*?)\n## /.exec(read('docs/develop/security.md')) ?? [];
const rows = [...kept.matchAll(/^\| `(\w+)` +\| `([^`]+)` .* ([\d,]+) +\|$/gm)];

it('what a process remembers stands in the page for maintainers, with its bounds', () => {
	const told = rows.map(([, kind = '', , max = '']) => [kind, Number(max.replaceAll(',', ''))]);
	expect(told).toEqual(Object.entries(BOUNDS));
});

it('a memory keeps as many as the bound of its kind says', () => {
	const memory = memoryOf<number>('ownAddresses');
	for (let count = 0; count < 20; count++) memory.set(String(count), count, Infinity);
	expect(memory.values()).toHaveLength(BOUNDS.ownAddresses);
});

it.each(rows.map(([, kind = '', file = '']) => [kind, file]))('%s are in %s', (kind, file) => {
	expect(read(`${NODES}/${file}`)).toMatch(
		new RegExp(`memoryOf<[^]*?>\\('${kind}'\\)|BOUNDS\\.${kind}`),
	);
});

/** What a module makes when it is loaded, to put something into it later. */
const EMPTY = /^(?:export )?(?:const|let) (\w+) = new (?:TtlCache|Map|Set)\b.*\((?:\w*)\);$/gm;

it('nothing else is remembered, but what goes on at the moment', () => {
	const found = filesIn(NODES, '.ts').flatMap((file) =>
		[...read(file).matchAll(EMPTY)].map(([, name]) => name),
	);
	expect(found.sort()).toEqual(['polling', 'registering', 'watchers']);
});
