import {
	refusedError,
	runFailure,
	uncertainRefusal,
	waitLimitError,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/runErrors';
import { toRefusal } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { InputError, ServiceError } from '../../../../nodes/BrowserAutomation/service/errors';

const LOG = 'https://logs.example/1';

describe('a run that failed', () => {
	it('is told with the service’s reason, its code and the run’s log', () => {
		const run = { task_failure_info: { message: 'no such button', code: 7 }, log_detail_url: LOG };
		const failure = runFailure({ taskId: '1', status: 'failed' }, run);

		expect(failure?.message).toBe('Run 1 failed: no such button (code 7)');
		expect(failure?.advice).toMatch(/correct its input or the bot\. Its log: https:\/\/logs/);
		expect(failure?.page).toBe(LOG);
	});

	it('is told where the service gives no reason', () => {
		for (const run of [{}, { task_failure_info: 'none' }, { task_failure_info: {} }]) {
			const failure = runFailure({ taskId: '1', status: 'failed' }, run);
			expect(failure?.message).toBe('Run 1 failed');
			expect(failure?.advice).toMatch(/correct its input or the bot\.$/);
		}
	});

	it('is told apart from one that was cancelled', () => {
		const failure = runFailure({ taskId: '1', status: 'canceled' }, { log_detail_url: LOG });
		expect(failure?.message).toBe('Run 1 was cancelled');
		expect(failure?.advice).toBe(`Start it again if it was cancelled by mistake. Its log: ${LOG}`);
	});

	it('is told apart from one that the node has canceled, because it went on for too long', () => {
		const run = { taskId: '1', status: 'canceled', canceledAt: 'age' } as const;
		const failure = runFailure(run, { log_detail_url: LOG }, 90_000);
		expect(failure?.message).toBe('Run 1 was cancelled, because it had not ended after 1.5 min');
		expect(failure?.advice).toMatch(
			/^That is the option Cancel a Run After.* Its log: https:\/\/logs/,
		);
		expect(runFailure({ ...run, status: 'failed' }, {})?.message).toBe('Run 1 failed');
	});

	it.each(['finished', 'running', 'paused'] as const)('is not one that is %s', (status) => {
		expect(runFailure({ taskId: '1', status }, {})).toBeUndefined();
	});
});

describe('at the wait limit', () => {
	const HOUR = 3_600_000;

	it('a run is told by its ID, its last status and the limit', () => {
		const run = { taskId: '1', status: 'running' } as const;
		expect(waitLimitError(HOUR / 2, run).message).toBe(
			'Run 1 was still running when the wait limit of 0.5 h was reached',
		);
		expect(waitLimitError(HOUR, { taskId: '1' }).message).toMatch(/^Run 1 was still created when/);
	});

	it('the log of a run is named where it is known', () => {
		const run = { taskId: '1' };
		expect(waitLimitError(HOUR, run, LOG)).toMatchObject({
			advice: expect.stringMatching(/ Its log: https:\/\/logs/),
			page: LOG,
		});
		expect(waitLimitError(HOUR, run).advice).not.toContain('log');
	});

	it('a run that the node has canceled then is told so', () => {
		const error = waitLimitError(HOUR, { taskId: '1', status: 'canceled' }, LOG);
		expect(error.message).toBe('Run 1 was cancelled when the wait limit of 1 h was reached');
		expect(error.advice).toMatch(/^Cancel Runs When says so\..* Its log: https:\/\/logs/);
	});

	it('what the service said when it was last asked is told where it did not tell of the run', () => {
		const advice = (refusal?: string) => waitLimitError(HOUR, { taskId: '1' }, LOG, refusal).advice;
		expect(advice('It is busy.')).toMatch(/ the service said: It is busy\. Its log: /);
		expect(advice('It is 1.5 h late')).toMatch(/ the service said: It is 1\.5 h late\. Its log: /);
		expect(advice()).not.toContain('said');
	});

	it('an item that nothing was started for is told so', () => {
		const error = waitLimitError(HOUR);
		expect(error.message).toBe('The run was not started before the wait limit of 1 h was reached');
		expect(error.advice).toMatch(/^Nothing was started for this item, as no slot/);
	});
});

it('an item without a run is told in the words of the refusal, with the service’s code', () => {
	const refusal = { message: 'no such bot', advice: 'choose another', facts: { code: 5 } };
	expect(refusedError(refusal)).toMatchObject(refusal);
	expect(refusedError({ ...refusal, facts: {} })).not.toBeInstanceOf(ServiceError);
});

it('a start that n8n may have been sending when it stopped is told like one without an answer', () => {
	expect(uncertainRefusal('n8n stopped during the start')).toEqual({
		message: 'n8n stopped during the start. Whether the run was started is not known',
		advice: 'Look for it with Run > Get Many before you start it again.',
		facts: {},
		isUncertain: true,
	});
});

it('what was refused is kept in words', () => {
	expect(toRefusal(new InputError('what', 'advice'))).toEqual({
		message: 'what',
		advice: 'advice',
		facts: {},
	});
	expect(toRefusal('a text')).toEqual({ message: 'a text', advice: '', facts: {} });
});
