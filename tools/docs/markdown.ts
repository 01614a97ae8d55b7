import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The top of the repository. */
export const PROJECT = path.join(__dirname, '../..');

/** A Markdown table. Cells are Markdown without line breaks. */
export function tableOf(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
	return [head, head.map(() => '---'), ...rows]
		.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
		.join('\n');
}

/** A text of the editor as Markdown: its links stay, other HTML goes. */
export function markdownOf(text: string): string {
	return text
		.replace(/<a [^>]*href="([^"]+)"[^>]*>(.*?)<\/a>/g, '[$2]($1)')
		.replace(/<br\s*\/?>/g, ' ')
		.replace(/<\/?\w+[^>]*>/g, '');
}

/** What a heading is called in a link to it, as GitHub does it. */
export function anchorOf(heading: string): string {
	return heading
		.toLowerCase()
		.replace(/[^\p{L}\p{N}_ -]/gu, '')
		.replaceAll(' ', '-');
}

/**
 * A page with another text between its two marks, `<!-- name -->` and `<!-- end of name -->`.
 *
 * @param file from the top of the repository
 * @throws Error when the page has no such marks
 */
export function withPart(file: string, name: string, text: string): string {
	const page = readFileSync(path.join(PROJECT, file), 'utf8');
	const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
	if (!page.includes(begin) || !page.includes(end)) throw new Error(`${file} has no ${begin}.`);
	const before = page.slice(0, page.indexOf(begin) + begin.length);
	return `${before}\n\n${text}\n\n${page.slice(page.indexOf(end))}`;
}
