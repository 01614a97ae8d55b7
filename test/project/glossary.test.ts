import { extname } from 'node:path';
import ts from 'typescript';

import { filesIn, PAGES, read } from './markdown';

/** The words that the page of the architecture names as those that are not used here. */
const [, list = ''] = /^Not here, .*: ([^]*?)\.$/m.exec(read('docs/develop/architecture.md')) ?? [];
const unwanted = new Set(list.split(/,\s+/));

/** The words of an identifier, `nextPageAt` or `MAX_PAGES`, as they are and in lower case: some are unwanted in constants alone. */
function wordsOf(identifier: string): string[] {
	const parts = identifier.split(/_|(?<=[a-z0-9])(?=[A-Z])/);
	return [...parts, ...parts.map((part) => part.toLowerCase())];
}

/** The identifiers of a file, without what stands in comments and texts. */
function identifiersIn(file: string): string[] {
	const found: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isIdentifier(node)) found.push(node.text);
		ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest));
	return found;
}

const folders = ['nodes', 'credentials', 'test', 'tools', 'dev/sandbox', 'dev/demo'];
const sources = folders.flatMap((folder) => filesIn(folder, 's'));

it('no identifier has a word that the glossary calls unwanted', () => {
	const files = sources.filter((file) => ['.ts', '.mjs', '.js'].includes(extname(file)));
	expect(unwanted.size).toBeGreaterThan(10);
	expect(files.length).toBeGreaterThan(300);
	const found = files.flatMap((file) =>
		[...new Set(identifiersIn(file))]
			.filter((name) => wordsOf(name).some((word) => unwanted.has(word)))
			.map((name) => `${file}: ${name}`),
	);
	expect(found).toEqual([]);
});

it.each(PAGES.filter((page) => page.startsWith('docs/develop/')))('nor has %s', (page) => {
	const text = read(page).replace(/^Not here, [^]*?\.$/m, '');
	const used = text.toLowerCase().match(/[a-z]+/g) ?? [];
	expect([...new Set(used)].filter((word) => unwanted.has(word))).toEqual([]);
});
