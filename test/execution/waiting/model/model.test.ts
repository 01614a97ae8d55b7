import fc from 'fast-check';

import { complaintsAbout } from './invariants';
import { play } from './play';
import { stories, type Story } from './story';

async function check(story: Story): Promise<void> {
	const ending = await play(story);
	const complaints = complaintsAbout(ending);
	if (complaints.length === 0) return;
	throw new Error([...complaints, '', ...ending.trace].join('\n'));
}

/**
 * `MODEL_RUNS` plays more stories. What fast-check prints of a failure repeats it: `MODEL_SEED` and
 * `MODEL_PATH`; with `MODEL_SHRINK` it looks for a shorter story that fails as well.
 */
const { MODEL_RUNS: runs, MODEL_SEED: seed, MODEL_PATH: path, MODEL_SHRINK: shrink } = process.env;

it('whatever happens, every item has one run, every run is told, and nothing happens twice', async () => {
	await fc.assert(fc.asyncProperty(stories, check), {
		numRuns: Number(runs ?? 50),
		endOnFailure: shrink === undefined,
		...(seed !== undefined && { seed: Number(seed) }),
		...(path !== undefined && { path }),
	});
}, 3_600_000);
