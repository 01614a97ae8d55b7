/**
 * The order of two English texts, by letters in upper or lower case. For what is sorted while n8n
 * loads the package: the first `localeCompare` of a process takes longer than all the rest of the
 * loading code.
 */
export function byAlphabet(a: string, b: string): number {
	const [first, second] = [a.toLowerCase(), b.toLowerCase()];
	if (first === second) return 0;
	return first < second ? -1 : 1;
}
