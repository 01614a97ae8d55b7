import {
	costNote,
	identityOf,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/outcomes';

it('a run is named by what is known of it', () => {
	const named = { task_id: '7', status: 'paused', profile_id: 'p' };
	expect(identityOf({ taskId: '7', status: 'paused', profileId: 'p' })).toEqual(named);
	expect(identityOf({})).toStrictEqual({});
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
