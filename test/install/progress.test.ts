import { describeProgress } from '../../dev/n8n/progress';

it('of a download says from the beginning that it goes on', () => {
	const task = 'Downloading n8n 2.41';
	expect([
		describeProgress({ task, done: 0, total: 1_824 }, 90),
		describeProgress({ task, done: 812, total: 1_824 }, 95),
		describeProgress({ task: 'Compiling the database module' }, 12),
	]).toEqual([
		'Downloading n8n 2.41: none of 1824 packages yet, the first may take two minutes, 90 s',
		'Downloading n8n 2.41: 812 of 1824 packages, 95 s',
		'Compiling the database module: 12 s',
	]);
});
