/**
 * How many random stories fast-check plays; `MODEL_RUNS` plays more. What it prints of a failure
 * repeats it: `MODEL_SEED` and `MODEL_PATH`; with `MODEL_SHRINK` it looks for a shorter story that fails as
 * well.
 *
 * @param usual how many stories are played otherwise
 */
export function storySettings(usual: number) {
	const {
		MODEL_RUNS: runs,
		MODEL_SEED: seed,
		MODEL_PATH: path,
		MODEL_SHRINK: shrink,
	} = process.env;
	return {
		numRuns: Number(runs ?? usual),
		endOnFailure: shrink === undefined,
		...(seed !== undefined && { seed: Number(seed) }),
		...(path !== undefined && { path }),
	};
}
