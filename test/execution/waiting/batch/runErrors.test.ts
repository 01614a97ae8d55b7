import {
	refusedError,
	runFailure,
	uncertainRefusal,
	waitLimitError,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/runErrors';
import { ServiceError } from '../../../../nodes/BrowserAutomation/service/errors';
import { refusal, running, type Entry, type StartedEntry } from '../ledgerOf';

const LOG = 'https://logs.example/1';
const failed: Entry = { taskId: '1', status: 'failed' };
const [FAILED, CORRECT] = ['Run 1 failed', /correct its input or the bot\.$/];
const NOT_STARTED = 'Run 1 was cancelled, because another run could not be started';
const SAYS_SO = /^'Cancel Unfinished Runs When' says so\./;

it.each<Entry>([failed, { ...failed, cancelReason: 'age' }])('%j has failed, no more', (entry) => {
	const error = { message: FAILED, advice: expect.stringMatching(CORRECT), page: undefined };
	expect(runFailure(entry, {}, 90_000)).toMatchObject(error);
});

it.each<[Partial<StartedEntry>, string, RegExp]>([
	[{}, 'Run 1 was cancelled', /^Start it again if you still need its result\./],
	[{ cancelReason: 'failedStart' }, NOT_STARTED, SAYS_SO],
])('a run that was canceled with %j says so: %s', (more, message, advice) => {
	const canceled: StartedEntry = { taskId: '1', status: 'canceled', ...more };
	const error = { message, advice: expect.stringMatching(advice), page: LOG };
	expect(runFailure(canceled, { log_detail_url: LOG }, 90_000)).toMatchObject(error);
});

it.each<[[entry?: Entry, log?: string, said?: string], RegExp]>([
	[[{ taskId: '1' }], /^It may go on in .* under 'Waiting'\.$/],
	[[running(), LOG, 'Busy.'], / the service said: Busy\. Its log: \S+1$/],
	[[running(), LOG, 'It is 1.5 h late'], / said: It is 1\.5 h late\. Its log: \S+1$/],
	[[{ ...running(), cancelReason: 'limit' }], /^'Cancel Unfinished Runs When' says so, and /],
	[[], /^Nothing was started for this item, as no slot.*limit of .*\.$/],
])('at the wait limit %j is reported with advice', (given, advice) => {
	const message = expect.stringContaining('the wait limit of 0.5 h was reached');
	const error = { message, advice: expect.stringMatching(advice) };
	expect(waitLimitError(1_800_000, ...given)).toMatchObject(error);
});

it('where n8n lets the node wait no longer, that is said', () => {
	const message = 'The run was not started before n8n let this node wait no longer';
	const advice = expect.stringContaining(', wait for it in a workflow, or raise');
	expect(waitLimitError(undefined)).toMatchObject({ message, advice });
});

it('an item without a run is reported in the words of the refusal, with the service’s code', () => {
	const ofService = { ...refusal, facts: { code: 5 } };
	expect(refusedError(ofService)).toMatchObject(ofService);
	expect(refusedError(refusal)).not.toBeInstanceOf(ServiceError);
});

it('of a start that may have begun a run it is said that this is not known, and what to do; the service’s code and trace are kept', () => {
	const facts = { code: 5, msg: 'late', traceId: 'trace' };
	expect(uncertainRefusal(new ServiceError('what', 'advice', facts))).toEqual({
		message: 'what. Whether the run was started is not known',
		advice: 'Look for it with Run > Get Many before you start it again.',
		facts,
		isUncertain: true,
	});
});
