import {
	costNote,
	identityOf,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/outcomes';

it.each([
	[
		'a run that was started in a browser profile',
		{ taskId: '7', profileId: 'p' },
		{ task_id: '7', profile_id: 'p' },
	],
	[
		'a run whose status is known',
		{ taskId: '7', status: 'paused' },
		{ task_id: '7', status: 'paused' },
	],
	['what was never started', {}, {}],
] as const)('%s is named by what is known of it', (_, entry, identity) => {
	expect(identityOf(entry)).toEqual(identity);
});

it.each<[number[], string | undefined]>([
	[[], undefined],
	[[8], undefined],
	[[NaN, NaN], undefined],
	[[8, 2.5], '2 runs, 10.5 credits'],
	[[0.1, 0.2], '2 runs, 0.3 credits'],
	[[0, 0, 0], '3 runs, 0 credits'],
	[[8, NaN, 2], '3 runs, 10 credits, not counting 1 of which the service does not tell'],
])('runs that cost %j are told to cost together: %s', (credits, note) => {
	expect(costNote(credits)).toBe(note);
});
