import { HelpfulError, ServiceError } from '../../../service/errors';
import { isJsonObject, textAt, type JsonObject } from '../../../service/json/json';
import { isUnsuccessful, type RunStatus } from '../../../service/runs/runStatus';
import type { WaitSettings } from '../../../fields/waiting';
import { sentences } from '../../failures';
import type { Refusal } from './ledger';
import type { StartedEntry } from './progress';

const IDS_SHOWN = 20;
const MS_PER_MINUTE = 60_000;
const MS_PER_HOUR = 60 * MS_PER_MINUTE;

/** What is to be known about an error after the execution has slept. */
export function toRefusal(error: unknown): Refusal {
	return {
		message: error instanceof Error ? error.message : String(error),
		advice: error instanceof HelpfulError ? error.advice : '',
		facts: error instanceof ServiceError ? error.facts : {},
	};
}

/** The refusal of a start that may have begun a run all the same. */
export function uncertainRefusal(error: unknown): Refusal {
	const { message, facts } = toRefusal(error);
	return {
		message: `${message}. Whether the run was started is not known`,
		advice: 'Look for it with Run > Get Many before you start it again.',
		facts,
		isUncertain: true,
	};
}

/** The error that was refused with. */
export function refusedError({ message, advice, facts }: Refusal): HelpfulError {
	const isOfService = Object.keys(facts).length > 0;
	return isOfService ? new ServiceError(message, advice, facts) : new HelpfulError(message, advice);
}

/** Names runs in a sentence: all of them, or the first and how many more. */
export function namedRuns(taskIds: string[]): string {
	const shown = taskIds.slice(0, IDS_SHOWN).join(', ');
	const more = taskIds.length - IDS_SHOWN;
	return more > 0 ? `${shown} and ${more} more` : shown;
}

/** The error of a run that failed or was canceled; undefined when it did neither. */
export function runFailure(
	{
		taskId,
		status = 'unknown',
		canceledAt,
	}: Pick<StartedEntry, 'taskId' | 'status' | 'canceledAt'>,
	run: JsonObject,
	{ cancelAfterMs = 0 }: Pick<WaitSettings, 'cancelAfterMs'>,
): HelpfulError | undefined {
	if (!isUnsuccessful(status)) return undefined;
	const log = textAt(run, 'log_detail_url');
	const failure = (message: string, advice: string): HelpfulError =>
		new HelpfulError(message, sentences(advice, logSentence(log)), log);
	if (status === 'canceled' && canceledAt === 'age') {
		return failure(
			`Run ${taskId} was cancelled, because it had not ended after ${rounded(cancelAfterMs / MS_PER_MINUTE)} min`,
			'That is the option Cancel a Run After: raise it to give runs more time.',
		);
	}
	if (status === 'canceled') {
		return failure(`Run ${taskId} was cancelled`, 'Start it again if it was cancelled by mistake.');
	}
	const info = isJsonObject(run.task_failure_info) ? run.task_failure_info : {};
	const reason = textAt(info, 'message');
	const code = textAt(info, 'code');
	return failure(
		`Run ${taskId} failed${reason === undefined ? '' : `: ${reason}`}${code === undefined ? '' : ` (code ${code})`}`,
		'Look at the run’s steps to see where it got stuck, then correct its input or the bot.',
	);
}

function rounded(amount: number): number {
	return Number(amount.toFixed(4));
}

function logSentence(log: string | undefined): string | undefined {
	return log === undefined ? undefined : `Its log: ${log}`;
}

/**
 * The error at the limit of waiting, for a run that had not ended, or had not even begun.
 *
 * @param log where the run's log is, if known
 * @param refusal why the service did not tell of the run when it was last asked, if it did not
 */
export function waitLimitError(
	limitMs: number,
	run?: { taskId: string; status?: RunStatus },
	log?: string,
	refusal?: string,
): HelpfulError {
	const limit = `the wait limit of ${rounded(limitMs / MS_PER_HOUR)} h was reached`;
	if (run === undefined) {
		return new HelpfulError(
			`No slot was free to start the run before ${limit}`,
			'Nothing was started for this item. Raise Wait Limit under Options, or the plan’s limit of running tasks.',
		);
	}
	const isCanceled = run.status === 'canceled';
	const state = isCanceled ? 'cancelled' : `still ${run.status ?? 'created'}`;
	const advice = isCanceled
		? 'Cancel Runs When says so. Raise Wait Limit under Options to give runs more time.'
		: 'It may go on in the service: read it later with Run > Wait for Completion, or raise Wait Limit under Options.';
	const said =
		isCanceled || refusal === undefined
			? undefined
			: `When it was last asked, the service said: ${refusal.replace(/\.$/, '')}.`;
	return new HelpfulError(
		`Run ${run.taskId} was ${state} when ${limit}`,
		sentences(advice, said, logSentence(log)),
		log,
	);
}
