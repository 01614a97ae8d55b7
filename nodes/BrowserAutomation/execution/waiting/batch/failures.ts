import { HelpfulError, ServiceError } from '../../../service/errors';
import { isJsonObject, textAt, type JsonObject } from '../../../service/json/json';
import { isUnsuccessful, type RunStatus } from '../../../service/runs/runStatus';
import type { Refusal } from './ledger';

const IDS_SHOWN = 20;
const MS_PER_HOUR = 3_600_000;

/** A run ended without doing its work. */
export class RunFailedError extends HelpfulError {}

/** An item has no run, because its start was refused. */
export class NotStartedError extends ServiceError {
	constructor({ message, advice, facts }: Refusal) {
		super(message, advice, facts);
	}
}

/** Runs had not ended when the limit of waiting was reached. */
export class WaitLimitError extends HelpfulError {}

/** Names runs in a sentence: all of them, or the first and how many more. */
export function namedRuns(taskIds: string[]): string {
	const shown = taskIds.slice(0, IDS_SHOWN).join(', ');
	const more = taskIds.length - IDS_SHOWN;
	return more > 0 ? `${shown} and ${more} more` : shown;
}

/** The error of a run that failed or was canceled; undefined when it did neither. */
export function runFailure(
	taskId: string,
	status: RunStatus,
	run: JsonObject,
): RunFailedError | undefined {
	if (!isUnsuccessful(status)) return undefined;
	const log = textAt(run, 'log_detail_url');
	const seeLog = logSentence(log);
	if (status === 'canceled') {
		return new RunFailedError(
			`Run ${taskId} was cancelled`,
			`Start it again if it was cancelled by mistake.${seeLog}`,
			log,
		);
	}
	const info = isJsonObject(run.task_failure_info) ? run.task_failure_info : {};
	const reason = textAt(info, 'message');
	const code = textAt(info, 'code');
	return new RunFailedError(
		`Run ${taskId} failed${reason === undefined ? '' : `: ${reason}`}${code === undefined ? '' : ` (code ${code})`}`,
		`Look at the run’s steps to see where it got stuck, then correct its input or the bot.${seeLog}`,
		log,
	);
}

function refusalSentence(refusal: string | undefined): string {
	return refusal === undefined
		? ''
		: ` When it was last asked, the service said: ${refusal.replace(/\.$/, '')}.`;
}

function logSentence(log: string | undefined): string {
	return log === undefined ? '' : ` Its log: ${log}`;
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
): WaitLimitError {
	const limit = `the wait limit of ${Number((limitMs / MS_PER_HOUR).toFixed(4))} h was reached`;
	if (run === undefined) {
		return new WaitLimitError(
			`No slot was free to start the run before ${limit}`,
			'Nothing was started for this item. Raise Wait Limit under Options, or the plan’s limit of running tasks.',
		);
	}
	if (run.status === 'canceled') {
		return new WaitLimitError(
			`Run ${run.taskId} was cancelled when ${limit}`,
			`Cancel Runs When says so. Raise Wait Limit under Options to give runs more time.${logSentence(log)}`,
			log,
		);
	}
	return new WaitLimitError(
		`Run ${run.taskId} was still ${run.status ?? 'created'} when ${limit}`,
		`It may go on in the service: read it later with Run > Wait for Completion, or raise Wait Limit under Options.${refusalSentence(refusal)}${logSentence(log)}`,
		log,
	);
}
