import Table from 'cli-table3';

/** Middle, smallest and largest of some figures as text: "median (min to max)"; a dash where there is none. */
export function shown(figures: number[]): string {
	const sorted = figures.filter((figure) => !Number.isNaN(figure)).sort((a, b) => a - b);
	const [min] = sorted;
	if (min === undefined) return '–';
	const texts = [medianOf(sorted), min, sorted.at(-1) ?? min].map(roundly);
	return sorted.length === 1 ? (texts[0] ?? '') : `${texts[0]} (${texts[1]} to ${texts[2]})`;
}

/** The middle of figures, the upper one of two; not a number where there is none. */
export function medianOf(figures: number[]): number {
	return [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? NaN;
}

/** Three digits are enough. */
function roundly(figure: number): string {
	const digits = Math.abs(figure) < 10 ? 2 : Math.abs(figure) < 100 ? 1 : 0;
	return figure.toFixed(digits);
}

/** Something that is measured again and again, by its name. */
export type Candidates<Measure> = Record<string, () => Promise<Measure>>;

/**
 * Measures all candidates in turn, round after round, so that a machine that drifts drifts for all of them alike. A first
 * round warms up and does not count. Prints a row for each: its figures, and the first candidate's beside its own, as ratios
 * round by round: what is below 1 is better than that row.
 *
 * @param figures what is taken of a measure; those whose names end with `*` are compared
 */
export async function compare<Measure>(
	title: string,
	rounds: number,
	candidates: Candidates<Measure>,
	figures: Record<string, (measure: Measure) => number>,
): Promise<void> {
	const all = Object.keys(candidates).map((name) => ({ name, measures: new Array<Measure>() }));
	for (let round = 0; round <= rounds; round++) {
		for (const { name, measures } of all) {
			const measure = await candidates[name]?.();
			if (round > 0 && measure !== undefined) measures.push(measure);
		}
	}
	const ours = all[0]?.measures ?? [];
	const columns = Object.entries(figures);
	const compared = columns.filter(([name]) => name.endsWith('*'));
	printTable(
		[title, ...columns.map(([name]) => name), ...compared.map(([name]) => `ours / it: ${name}`)],
		all.map(({ name, measures }, index) => [
			name,
			...columns.map(([, figureOf]) => shown(measures.map(figureOf))),
			...compared.map(([, figureOf]) => {
				const own = ours.map(figureOf);
				return index === 0 ? '' : shown(measures.map((it, at) => (own[at] ?? NaN) / figureOf(it)));
			}),
		]),
	);
}

/** No colours: what is printed is kept in files, too. */
export function printTable(head: string[], rows: string[][]): void {
	const table = new Table({ head, style: { head: [], border: [], compact: true } });
	table.push(...rows);
	console.log(`\n${table.toString()}`);
}
