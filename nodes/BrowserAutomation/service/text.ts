/** The beginning of a text, at most so many characters as JavaScript counts them; it ends between two that people see. */
export function startOf(text: string, max: number): string {
	if (text.length <= max) return text;
	const segments = new Intl.Segmenter().segment(text.slice(0, max + 2));
	// Marks without an end on a single letter may take all the room.
	const end = segments.containing(max)?.index || max;
	return text.slice(0, end).replace(/[\ud800-\udbff]$/, '');
}

/** Text up to a length, with a mark where it was cut. */
export function shorten(text: string, max: number): string {
	return text.length > max ? `${startOf(text, max)}…` : text;
}

/** A text as searches compare it: in capitals, without accents, and with compatible letters as the usual ones. */
export function searchForm(text: string): string {
	return text
		.normalize('NFKD')
		.replace(/[\u0300-\u036f]/g, '')
		.toUpperCase();
}
