import { HelpfulError, ServiceError } from '../../../service/errors';
import { textAt, type JsonObject } from '../../../service/json/json';
import { isUnsuccessful } from '../../../service/runs/runs';
import { sentences } from '../../failures';
import { toRefusal, type Entry, type Refusal } from './ledger';

const MS_PER_MINUTE = 60_000;
const MS_PER_HOUR = 60 * MS_PER_MINUTE;

/** The refusal of a start after a person has canceled all runs. */
export const CANCELED_ON_PAGE: Refusal = {
	message: 'No run was started: all were canceled on the status page',
	advice: 'Execute the workflow again if you still need the results.',
	facts: {},
};

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

/** The error of a refusal. */
export function refusedError({ message, advice, facts }: Refusal): HelpfulError {
	const isOfService = Object.keys(facts).length > 0;
	return isOfService ? new ServiceError(message, advice, facts) : new HelpfulError(message, advice);
}

/** The error of a run that failed or was canceled; undefined when it did neither. */
export function runFailure(entry: Entry, run: JsonObject, cancelAfterMs = 0) {
	const { taskId, status = 'unknown', cancelReason } = entry;
	if (!isUnsuccessful(status)) return undefined;
	const log = textAt(run, 'log_detail_url');
	if (status === 'canceled') {
		const [why, advice] = whyCanceled(cancelReason, cancelAfterMs);
		return withLog(`Run ${taskId} was cancelled${why}`, advice, log);
	}
	const info = run.task_failure_info;
	const [reason, code] = [textAt(info, 'message'), textAt(info, 'code')];
	return withLog(
		`Run ${taskId} failed${reason === undefined ? '' : `: ${reason}`}${code === undefined ? '' : ` (code ${code})`}`,
		'Look at the run’s steps to see where it got stuck, then correct its input or the bot.',
		log,
	);
}

function whyCanceled(cancelReason: Entry['cancelReason'], cancelAfterMs: number): [string, string] {
	if (cancelReason === 'age') {
		return [
			`, because it had not ended after ${rounded(cancelAfterMs / MS_PER_MINUTE)} min`,
			"That is the option 'Cancel a Run After': raise it to give runs more time.",
		];
	}
	if (cancelReason === 'failedStart') {
		return [
			', because another run could not be started',
			"'Cancel Unfinished Runs When' says so. Correct the input that was refused, and run again.",
		];
	}
	return ['', 'Start it again if you still need its result.'];
}

function withLog(message: string, advice: string, log: string | undefined): HelpfulError {
	return new HelpfulError(message, sentences(advice, log && `Its log: ${log}`), log);
}

function rounded(amount: number): number {
	return Number(amount.toFixed(4));
}

/**
 * The error at the limit of waiting (no `limitMs`: n8n's), for a run that had not ended, or had not even begun: with the
 * address of its log, and why the service did not tell of it when it was last asked, if it did not.
 */
export function waitLimitError(
	limitMs: number | undefined,
	run?: Entry,
	log?: string,
	lastError?: string,
) {
	const isN8nsLimit = limitMs === undefined;
	const limit = isN8nsLimit
		? 'n8n let this node wait no longer'
		: `the wait limit of ${rounded(limitMs / MS_PER_HOUR)} h was reached`;
	const raise = isN8nsLimit ? 'wait for it in a workflow' : "raise 'Wait Limit' under 'Waiting'";
	if (run === undefined) {
		return new HelpfulError(
			`The run was not started before ${limit}`,
			`Nothing was started for this item, as no slot of the plan was free, the service asked to slow down, or n8n was too busy. Try it again later, ${raise}, or raise the plan’s limit of running tasks. To fail at once instead, turn on 'Fail at the Plan’s Run Limit'.`,
		);
	}
	const { taskId, status = 'unknown', cancelReason } = run;
	if (status === 'canceled') {
		return withLog(
			`Run ${taskId} was cancelled when ${limit}`,
			`'Cancel Unfinished Runs When' says so. To give runs more time, ${raise}.`,
			log,
		);
	}
	const advice =
		cancelReason === 'limit'
			? `'Cancel Unfinished Runs When' says so, and the service has accepted to cancel it. To give runs more time, ${raise}.`
			: `It may go on in the service: read it later with Run > Wait for Completion, or ${raise}.`;
	const said =
		lastError && `When it was last asked, the service said: ${lastError.replace(/\.$/, '')}.`;
	const stood = status === 'unknown' ? 'had not ended, as far as is known,' : `was still ${status}`;
	return withLog(`Run ${taskId} ${stood} when ${limit}`, sentences(advice, said), log);
}
