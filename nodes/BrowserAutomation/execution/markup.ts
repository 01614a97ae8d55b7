/** HTML that is safe to put into a page. Only `html` makes it. */
export class Markup {
	constructor(readonly text: string) {}
}

type Part = string | number | Markup | Part[] | undefined;

/** HTML from a template: text is escaped wherever it stands, HTML stays, and `undefined` is left out. */
export function html(fixed: TemplateStringsArray, ...parts: Part[]): Markup {
	return new Markup(fixed.map((piece, index) => piece + toHtml(parts[index])).join(''));
}

function toHtml(part: Part): string {
	if (part === undefined) return '';
	if (part instanceof Markup) return part.text;
	if (Array.isArray(part)) return part.map(toHtml).join('');
	return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
