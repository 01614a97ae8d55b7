import ts from 'typescript';

import { parametersOf } from '../package/shown';
import { filesIn, read } from './markdown';
import { PROPERTIES } from './ownTypes';

const parameters = PROPERTIES.flatMap((properties) => parametersOf(properties));

/** The names of parameters, also without their units; those of one word where a sentence says that they are one. */
const labels = parameters
	.filter(({ property }) => property.type !== 'notice')
	.map(({ property }) => property.displayName);
const names = labels
	.flatMap((label) => [label, label.replace(/ \(.*\)$/, '')])
	.map((name) => name.replace(/[()]/g, '\\$&'));
const several = [...new Set(names.filter((name) => name.includes(' ')))].join('|');
const single = [...new Set(names.filter((name) => !name.includes(' ')))].join('|');
const BARE = new RegExp(
	`(?<!['\\w]|> )(?:${several})(?!['\\w])|\\b(?:[Uu]nder|[Ss]et|[Rr]aise|[Cc]hange|option) (?:${single})\\b`,
);

/** The sentences that a file has as texts, not its titles: with two words in lower case. */
function sentencesIn(file: string): string[] {
	const found: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isStringLiteral(node) || ts.isTemplateLiteral(node))
			found.push(node.getText().slice(1, -1));
		ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true));
	return found.filter((text) => /\b[a-z]+ [a-z]+\b/.test(text));
}

it('texts have the names of parameters in single quotes, as n8n asks for', () => {
	const texts = ['nodes', 'credentials'].flatMap((folder) =>
		filesIn(folder, '.ts').flatMap(sentencesIn),
	);
	expect(parameters.length).toBeGreaterThan(300);
	expect(texts.length).toBeGreaterThan(300);
	expect(texts.filter((text) => BARE.test(text) && !labels.includes(text))).toEqual([]);
});

it('every switch is off at first, as n8n asks for', () => {
	const switches = parameters.filter(({ property }) => property.type === 'boolean');
	expect(switches.length).toBeGreaterThan(10);
	expect(switches.filter(({ property }) => property.default !== false)).toEqual([]);
});
