/** Middle, smallest and largest of some figures. */
export interface Spread {
	median: number;
	min: number;
	max: number;
}

/** The spread of figures. @throws RangeError without any */
export function spreadOf(figures: number[]): Spread {
	const sorted = [...figures].sort((a, b) => a - b);
	const middle = sorted[Math.floor(sorted.length / 2)];
	const [min] = sorted;
	const max = sorted.at(-1);
	if (middle === undefined || min === undefined || max === undefined) {
		throw new RangeError('There are no figures');
	}
	return { median: middle, min, max };
}

/** A spread as text: "median (min to max)", a dash for what was not measured. */
export function shown({ median, min, max }: Spread, digits = 0, unit = ''): string {
	if (Number.isNaN(median)) return '–';
	const [middle, low, high] = [median, min, max].map((figure) => figure.toFixed(digits));
	return `${middle}${unit} (${low} to ${high})`;
}

/**
 * Measures all candidates in turn, round after round, so that a machine that drifts drifts for all
 * of them alike. A first round warms up and does not count.
 *
 * @returns the measures of each candidate, in the order of the rounds
 */
export async function inTurn<Measure>(
	rounds: number,
	candidates: Record<string, () => Promise<Measure>>,
): Promise<Record<string, Measure[]>> {
	const names = Object.keys(candidates);
	const measures: Record<string, Measure[]> = Object.fromEntries(names.map((name) => [name, []]));
	for (let round = 0; round <= rounds; round++) {
		for (const [name, measure] of Object.entries(candidates)) {
			const found = await measure();
			if (round > 0) measures[name]?.push(found);
		}
	}
	return measures;
}

/** The ratios of two candidates, round by round. */
export function ratios(ours: number[], theirs: number[]): number[] {
	return ours.map((figure, round) => figure / (theirs[round] ?? NaN));
}

/** The times of measures. */
export function timesOf(measures: Array<{ time: number }>): number[] {
	return measures.map(({ time }) => time);
}

/** The CPU times of measures. */
export function cpusOf(measures: Array<{ cpu: number }>): number[] {
	return measures.map(({ cpu }) => cpu);
}
