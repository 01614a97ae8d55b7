import {
	isTerminal,
	isUnsuccessful,
	RUN_STATUSES,
	toRunStatus,
} from '../../../nodes/BrowserAutomation/service/runs/runApi';

it('a status of the interface is read as it is, any other is unknown', () => {
	expect(RUN_STATUSES.map(toRunStatus)).toEqual(RUN_STATUSES);
	for (const other of ['hibernating', '', null, 7, undefined]) {
		expect(toRunStatus(other)).toBe('unknown');
	}
});

it('a run has ended when it finished, failed or was canceled', () => {
	expect(RUN_STATUSES.filter(isTerminal)).toEqual(['finished', 'canceled', 'failed']);
	expect(RUN_STATUSES.filter(isUnsuccessful)).toEqual(['canceled', 'failed']);
	expect([isTerminal('unknown'), isUnsuccessful('unknown')]).toEqual([false, false]);
});
