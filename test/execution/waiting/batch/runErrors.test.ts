import {
	refusedError,
	runFailure,
	uncertainRefusal,
	waitLimitError,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/runErrors';
import {
	toRefusal,
	type Entry,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { InputError, ServiceError } from '../../../../nodes/BrowserAutomation/service/errors';
import type { JsonObject } from '../../../../nodes/BrowserAutomation/service/json/json';
import { refusal, running } from '../ledgerOf';

const HOUR = 3_600_000;
const LOG = 'https://logs.example/1';
const logged = { log_detail_url: LOG };
const failed: Entry = { taskId: '1', status: 'failed' };
const canceled: Entry = { taskId: '1', status: 'canceled' };
const info = (given: JsonObject) => ({ task_failure_info: given });

/** An error of a run: what is said, and advised; with the address of its log, or without. */
function expected(message: string, advice: RegExp, log = '') {
	const ending = log === '' ? '$' : ` Its log: ${log}$`;
	const page = log === '' ? undefined : log;
	return { message, advice: expect.stringMatching(advice.source + ending), page };
}

const NO_BUTTON = { message: 'no button', code: 7 };
const FAILED = 'Run 1 failed';
const AGAIN = /^Start it again if you still need its result\./;
const CORRECT = /correct its input or the bot\./;
const OVERDUE = 'Run 1 was cancelled, because it had not ended after 1.5 min';

it.each<[Entry, JsonObject, ReturnType<typeof expected>]>([
	[
		failed,
		{ ...info(NO_BUTTON), ...logged },
		expected(`${FAILED}: no button (code 7)`, CORRECT, LOG),
	],
	[failed, {}, expected(FAILED, CORRECT)],
	[failed, { task_failure_info: 'none' }, expected(FAILED, CORRECT)],
	[failed, info({}), expected(FAILED, CORRECT)],
	[canceled, logged, expected('Run 1 was cancelled', AGAIN, LOG)],
	[{ ...canceled, cancelReason: 'age' }, logged, expected(OVERDUE, /^That is .* more time\./, LOG)],
	[{ ...failed, cancelReason: 'age' }, {}, expected(FAILED, CORRECT)],
])('a run that stands at %j, of which the service tells %j, has failed', (entry, run, error) => {
	expect(runFailure(entry, run, 90_000)).toMatchObject(error);
});

it.each(['finished', 'running', 'paused'] as const)('a run that is %s has not', (status) => {
	expect(runFailure({ taskId: '1', status }, {})).toBeUndefined();
});

const STILL = 'Run 1 was still running when the wait limit of 0.5 h was reached';
const AT_LIMIT = 'Run 1 was cancelled when the wait limit of 0.5 h was reached';
const UNSTARTED = 'The run was not started before the wait limit of 0.5 h was reached';
const READ_LATER = /^It may go on in .* under 'Waiting'\./;

const WANTED = /^'Cancel Unfinished Runs When' says so\..* raise 'Wait .* 'Waiting'\./;

it.each<[[entry?: Entry, log?: string, said?: string], ReturnType<typeof expected>]>([
	[[running()], expected(STILL, READ_LATER)],
	[[running(), LOG], expected(STILL, READ_LATER, LOG)],
	[[{ taskId: '1' }], expected(STILL.replace('running', 'created'), READ_LATER)],
	[[canceled, LOG], expected(AT_LIMIT, WANTED, LOG)],
	[[running(), LOG, 'Busy.'], expected(STILL, / the service said: Busy\./, LOG)],
	[[running(), LOG, 'It is 1.5 h late'], expected(STILL, / said: It is 1\.5 h late\./, LOG)],
	[[], expected(UNSTARTED, /^Nothing was started for this item, as no slot.*limit of .*\./)],
])('at the wait limit %j is reported', (given, error) => {
	expect(waitLimitError(HOUR / 2, ...given)).toMatchObject(error);
});

it('where n8n lets the node wait no longer, that is said', () => {
	const message = UNSTARTED.replace(/the wait limit.*/, 'n8n let this node wait no longer');
	const advice = /, wait for it in a workflow, or raise the plan’s limit of running tasks\./;
	expect(waitLimitError(undefined)).toMatchObject(expected(message, advice));
});

it('an item without a run is reported in the words of the refusal, with the service’s code', () => {
	const ofService = { ...refusal, facts: { code: 5 } };
	expect(refusedError(ofService)).toMatchObject(ofService);
	expect(refusedError(refusal)).not.toBeInstanceOf(ServiceError);
});

it('what was refused is kept in words, also where a run may have been started', () => {
	const kept = { message: 'what', advice: 'advice', facts: {} };
	expect(toRefusal(new InputError('what', 'advice'))).toEqual(kept);
	expect(toRefusal('what')).toEqual({ ...kept, advice: '' });
	expect(uncertainRefusal('what')).toEqual({
		message: 'what. Whether the run was started is not known',
		advice: 'Look for it with Run > Get Many before you start it again.',
		facts: {},
		isUncertain: true,
	});
});
