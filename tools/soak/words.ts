/** The word by which a run is known, from its input. */
export function wordOf(input: Record<string, unknown>): string {
	return String(input.keyword ?? input.username);
}
