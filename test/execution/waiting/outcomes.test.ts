import { identityOf } from '../../../nodes/BrowserAutomation/execution/waiting/outcomes';

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
