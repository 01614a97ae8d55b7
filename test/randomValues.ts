import fc from 'fast-check';

/*
 * Jest loads this before each test file: random values are the same ones each time, so that nothing fails by chance.
 * `npm run properties` plays others, by other seeds.
 */

const { MODEL_SEED, MODEL_RUNS, MODEL_PATH, MODEL_SHRINK } = process.env;

fc.configureGlobal({
	seed: Number(MODEL_SEED ?? 1),
	endOnFailure: MODEL_SHRINK === undefined,
	numRuns: attempts(100).numRuns,
});

/**
 * How many random values, or stories, a property is tried with; `MODEL_RUNS` tries so many in place of it. What fast-check prints
 * of a failure repeats it: `MODEL_SEED` and `MODEL_PATH`; with `MODEL_SHRINK` it looks for a simpler one that fails as well.
 *
 * @param usual how many are tried otherwise
 */
export function attempts(usual: number) {
	return {
		numRuns: Number(MODEL_RUNS ?? usual),
		...(MODEL_PATH !== undefined && { path: MODEL_PATH }),
	};
}

/** Any character. fast-check's own unit `binary` takes half a second to be made, in each test file. */
export const character = fc
	.integer({ min: 0, max: 0x10f7ff })
	.map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));
