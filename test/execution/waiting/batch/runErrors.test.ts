import {
	refusedError,
	runFailure,
	uncertainRefusal,
	waitLimitError,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/runErrors';
import type {
	Entry,
	StartedEntry,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { ServiceError } from '../../../../nodes/BrowserAutomation/service/errors';
import type { JsonObject } from '../../../../nodes/BrowserAutomation/service/json/json';
import { refusal, running } from '../ledgerOf';

const LOG = 'https://logs.example/1';
const failed: Entry = { taskId: '1', status: 'failed' };
const [FAILED, CORRECT] = ['Run 1 failed', /correct its input or the bot\.$/];

it.each<[Entry, JsonObject]>([
	[failed, {}],
	[failed, { task_failure_info: 'none' }],
	[failed, { task_failure_info: {} }],
	[{ ...failed, cancelReason: 'age' }, {}],
])('a run that stands at %j, of which the service tells %j, has failed, no more', (entry, run) => {
	const error = { message: FAILED, advice: expect.stringMatching(CORRECT), page: undefined };
	expect(runFailure(entry, run, 90_000)).toMatchObject(error);
});

it.each<[Partial<StartedEntry>, string, RegExp]>([
	[{}, 'Run 1 was cancelled', /^Start it again if you still need its result\./],
	[
		{ cancelReason: 'failedStart' },
		'Run 1 was cancelled, because another run could not be started',
		/^'Cancel Unfinished Runs When' says so\./,
	],
])('a run that was canceled with %j says so: %s', (more, message, advice) => {
	const canceled: StartedEntry = { taskId: '1', status: 'canceled', ...more };
	expect(runFailure(canceled, { log_detail_url: LOG }, 90_000)).toMatchObject({
		message,
		advice: expect.stringMatching(advice),
		page: LOG,
	});
});

it.each<[[entry?: Entry, log?: string, said?: string], RegExp]>([
	[[{ taskId: '1' }], /^It may go on in .* under 'Waiting'\.$/],
	[[running(), LOG, 'Busy.'], / the service said: Busy\. Its log: \S+1$/],
	[[running(), LOG, 'It is 1.5 h late'], / said: It is 1\.5 h late\. Its log: \S+1$/],
	[[{ ...running(), cancelReason: 'limit' }], /^'Cancel Unfinished Runs When' says so, and /],
	[[], /^Nothing was started for this item, as no slot.*limit of .*\.$/],
])('at the wait limit %j is reported with advice', (given, advice) => {
	expect(waitLimitError(1_800_000, ...given)).toMatchObject({
		message: expect.stringContaining('the wait limit of 0.5 h was reached'),
		advice: expect.stringMatching(advice),
	});
});

it('where n8n lets the node wait no longer, that is said', () => {
	expect(waitLimitError(undefined)).toMatchObject({
		message: 'The run was not started before n8n let this node wait no longer',
		advice: expect.stringContaining(', wait for it in a workflow, or raise'),
	});
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
