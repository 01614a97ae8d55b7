import type { IExecuteFunctions } from 'n8n-workflow';

import type { WaitMode } from '../../../fields/waiting';
import { callbackObstacle } from '../../../service/events/callback';
import { giveHint } from '../../notes';
import { isUsedAsTool } from '../../toolUse';
import { calledAt, claimsExecutions } from '../platform';
import { ANSWER_WITHIN } from '../sleep/schedule';
import type { Ledger } from './ledger';
import { startedTaskIds, unstarted } from './progress';

/**
 * How to wait: asleep, with callbacks (`callback`) or where none can come without (`clock`); where n8n
 * cannot wake the execution, asking in place; or not at all.
 */
export type Way = 'callback' | 'clock' | 'inPlace' | 'none';

/**
 * Chooses how to wait.
 *
 * @param resumeUrl where n8n wakes this execution; undefined where it cannot
 * @param callbackUrl the longest address that a run would call back; undefined where none is to
 * @returns also what the user should know where nothing watches the runs of a sleeping execution
 */
export function planWaiting(
	mode: WaitMode,
	serviceUrl: string,
	resumeUrl: string | undefined,
	callbackUrl: string | undefined,
): { way: Way; hint?: string } {
	if (mode === 'none') return { way: mode };
	if (mode === 'poll' || resumeUrl === undefined) return { way: 'inPlace' };
	if (callbackUrl === undefined) return { way: 'clock' };
	const obstacle = callbackObstacle(callbackUrl, serviceUrl);
	if (obstacle === undefined) return { way: 'callback' };
	const { origin } = new URL(resumeUrl);
	return {
		way: 'clock',
		hint: `n8n checks the runs every few minutes: the service cannot call it back, because n8n’s webhook address ${origin} ${obstacle}, and n8n does not reach that address itself. Set N8N_WEBHOOK_URL (WEBHOOK_URL in n8n 1) to the public address of this n8n.`,
	};
}

/** Whether the execution sleeps until its runs have ended, rather than only for its starts to be stored. */
export function sleepsForRuns(way: Way): boolean {
	return way === 'callback' || way === 'clock';
}

/** The modes of n8n's in which nobody waits for the end of an execution that no caller began. */
const UNATTENDED: readonly string[] = ['error', 'manual', 'retry', 'trigger', 'webhook'];

/**
 * Whether the execution may sleep now. One that is to keep running does so only once, for its starts to be
 * stored: while none of its runs goes on, which would not be canceled if it was stopped; where nobody waits for
 * its end; and where n8n tells an execution that is awake from one that sleeps.
 */
export function maySleepNow(
	context: IExecuteFunctions,
	ledger: Ledger,
	resumeUrl: string,
): boolean {
	if (sleepsForRuns(ledger.way)) return Date.now() >= answerBy(context);
	const isBeforeStarts = unstarted(ledger).length > 1 && startedTaskIds(ledger).length === 0;
	if (ledger.way === 'none' || !isBeforeStarts || ledger.sleep !== undefined) return false;
	const isUnattended = UNATTENDED.includes(context.getMode()) && calledAt(context) === undefined;
	return isUnattended && !isUsedAsTool(context) && claimsExecutions(resumeUrl);
}

/**
 * Until when the execution does not sleep, in milliseconds since 1970, because whoever called it is
 * answered with the results of its last node; long over where nobody is.
 */
export function answerBy(context: IExecuteFunctions): number {
	return (calledAt(context) ?? -Infinity) + ANSWER_WITHIN;
}

/** Says, where the execution slept for all that, what its caller was answered. */
export function noteAnswered(context: IExecuteFunctions): void {
	if (calledAt(context) === undefined) return;
	const tooLong = `took longer than ${ANSWER_WITHIN / 60_000} minutes`;
	giveHint(
		context,
		context.getMode() === 'integrated'
			? `The results ${tooLong}, so this sub-workflow slept. If the workflow that calls it runs it once for each item, n8n hands over the results of one item only: run it once with all items.`
			: `Whoever called this workflow was answered with the runs’ IDs: the results ${tooLong}. To answer with the results however long they take, have the trigger respond with a Respond to Webhook node, or choose Keep Running under Wait for Completion.`,
	);
}
