import fc from 'fast-check';

import { attempts } from '../../../randomValues';
import { complaintsAbout } from './invariants';
import { play } from './play';
import { stories, widerStories, type Story } from './story';

async function check(story: Story): Promise<void> {
	const ending = await play(story);
	const complaints = complaintsAbout(ending);
	if (complaints.length === 0) return;
	throw new Error([...complaints, '', ...ending.trace].join('\n'));
}

it('whatever happens, every item has one run, every run is reported, and nothing happens twice', async () => {
	await fc.assert(fc.asyncProperty(stories, check), attempts(30));
}, 3_600_000);

it('so it is in a wider world: with a limit of executions, several at once, runs that pause, a database that fails, a clock that is moved', async () => {
	await fc.assert(fc.asyncProperty(widerStories, check), attempts(30));
}, 3_600_000);
