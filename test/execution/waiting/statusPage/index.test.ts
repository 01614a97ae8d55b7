import {
	press,
	statusPageUrlFor,
} from '../../../../nodes/BrowserAutomation/execution/waiting/statusPage';
import type { Entry } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { ServiceError } from '../../../../nodes/BrowserAutomation/service/errors';
import { runsOf } from '../../../../nodes/BrowserAutomation/service/runs/runs';
import { asleepWith, ledgerOf, node, request, RESUME_URL, running } from '../ledgerOf';

const ended: Entry = { taskId: '2', status: 'finished' };

it('the page has its own address below that of the execution', () => {
	const url = statusPageUrlFor(RESUME_URL.replace('?', '/?'), ledgerOf([running()]));
	expect(url).toBe('https://n8n.example.com/webhook-waiting/1/watch?signature=a&key=key');
});

/** Three open runs, one that has ended, and an item whose start is still to be sent. */
const asleep = () =>
	asleepWith([running('1'), running('2'), { ...ended, taskId: '3' }, { request }, running('5')]);
// The service refuses what is asked about run 2, and run 5 has ended.
it.each<[object, string, ...string[]]>([
	[{ cancel: '1' }, 'Run 1 was canceled.', 'cancel 1'],
	[{ resume: '1' }, 'Run 1 was resumed.', 'resume 1'],
	[{ cancel: '2' }, 'Run 2 was not canceled. Run 2 is busy', 'cancel 2'],
	[{ cancel: '5' }, 'Run 5 had ended already.', 'cancel 5'],
	[{ cancel: '3' }, 'Run 3 is not one of the open runs.'],
	[{ action: 'check' }, ''],
	[{ action: 'cancelAll' }, ''],
])('the button %j does so with the run that is open, and says: %s', async (form, ...expected) => {
	const asked: string[] = [];
	const send = async ({ path }: { path: string }) => {
		const [taskId = '', what = ''] = path.split('/').slice(-2);
		asked.push(`${what} ${taskId}`);
		if (taskId === '2') throw new Error('Run 2 is busy');
		if (taskId === '5') throw new ServiceError('Completed', '', { code: 10121 });
		return {};
	};
	const ledger = asleep();
	const notice = await press(node, ledger, form, async () => runsOf({ baseUrl: '', send }, 'v3'));
	expect([notice, ...asked]).toEqual(expected);
	expect(ledger.entries).toEqual(asleep().entries);
});
