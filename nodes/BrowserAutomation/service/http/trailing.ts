/**
 * A text without a character at its end, however often it stands there. A regular expression takes
 * quadratic time for a text in which that character stands often, and not at the end.
 */
export function withoutTrailing(text: string, character: string): string {
	let end = text.length;
	while (end > 0 && text.charAt(end - 1) === character) end--;
	return text.slice(0, end);
}
