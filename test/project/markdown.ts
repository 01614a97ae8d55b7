import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export const ROOT = join(__dirname, '../..');

/** The Markdown pages that people read, from the top of the repository. */
export const PAGES = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], {
	cwd: ROOT,
	encoding: 'utf8',
})
	.trim()
	.split('\n')
	.filter((file) => /^(?:docs\/|[A-Z]+\.md$)/.test(file) && existsSync(join(ROOT, file)));

export function read(file: string): string {
	return readFileSync(join(ROOT, file), 'utf8');
}

/** The files with such an ending that a path leads to: itself, or those in the folder and below. */
export function filesIn(path: string, ending: string): string[] {
	if (!existsSync(join(ROOT, path))) return [];
	if (!statSync(join(ROOT, path)).isDirectory()) return [path];
	return readdirSync(join(ROOT, path), { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith(ending))
		.map((name) => join(path, name));
}

export interface CodeBlock {
	page: string;
	language: string;
	code: string;
}

const FENCED = /^(\s*)```(\w*)\n([^]*?)\n\1```$/gm;

export function codeBlocksOf(page: string): CodeBlock[] {
	return [...read(page).matchAll(FENCED)].map(([, , language = '', code = '']) => ({
		page,
		language,
		code,
	}));
}

function proseOf(page: string): string {
	return read(page)
		.replace(FENCED, '')
		.replace(/`[^`\n]+`/g, '');
}

/** What stands between single backticks, but for texts of links, which say themselves where they lead. */
export function inlineCodeOf(page: string): string[] {
	const text = read(page)
		.replace(FENCED, '')
		.replace(/\[`[^`\n]+`\]\(/g, '');
	return [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
}

/** Where links and pictures of a page lead, as they are written. */
export function linksOf(page: string): string[] {
	const found = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)|(?:src|href|srcset)="([^"]+)"/g)];
	return found.map(([, link, attribute]) => link ?? attribute ?? '');
}

/** What a heading is called in a link to it, as GitHub does it. */
function anchorOf(heading: string): string {
	return heading
		.toLowerCase()
		.replace(/[^\p{L}\p{N}_ -]/gu, '')
		.replaceAll(' ', '-');
}

/** What a link of a page can lead to: the headings of a text, as GitHub calls them. */
function anchorsOf(text: string): string[] {
	const seen = new Map<string, number>();
	return [...text.replace(FENCED, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
		const anchor = anchorOf(heading.replace(/[*`]|\]\([^)]*\)/g, ''));
		const before = seen.get(anchor) ?? 0;
		seen.set(anchor, before + 1);
		return before === 0 ? anchor : `${anchor}-${before}`;
	});
}

/**
 * Whether a file of the repository is there, and its heading if the address names one.
 *
 * @param address with an anchor or without
 * @param page on which the link stands, from the top of the repository
 */
export function isThere(address: string, page = 'README.md'): boolean {
	const [file = '', anchor] = address.split('#');
	const place = file === '' ? page : normalize(join(dirname(page), file));
	if (!existsSync(join(ROOT, place))) return false;
	return anchor === undefined || anchorsOf(read(place)).includes(anchor);
}
