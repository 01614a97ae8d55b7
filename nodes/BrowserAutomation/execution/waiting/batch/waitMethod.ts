import type { IExecuteFunctions } from 'n8n-workflow';

import { callbackObstacle } from '../../../service/events/callback';
import type { Caller } from '../../caller';
import { giveHint } from '../../hints';
import type { WaitMode } from '../../preparation';
import { RESUME_PATH, resumeUrlAt } from '../platform';
import { AWAKE_FOR_CALLER_MS } from '../schedule';
import { callbackTokenOf } from '../secret';
import { awaitedRuns, type Ledger, type WaitMethod } from './ledger';

/**
 * Chooses how to wait.
 *
 * @param resumeUrl where n8n resumes this execution; undefined where it cannot
 * @param callbackUrl the longest address that a run would call back; undefined where none is to
 * @returns also what the user should know where nothing watches the runs of a suspended execution
 */
export function chooseWaitMethod(
	mode: WaitMode,
	serviceUrl: string,
	resumeUrl: string | undefined,
	callbackUrl: string | undefined,
): { waitMethod: WaitMethod; hint?: string } {
	if (mode === 'none') return { waitMethod: mode };
	if (mode === 'poll' || resumeUrl === undefined) return { waitMethod: 'inPlace' };
	if (callbackUrl === undefined) return { waitMethod: 'noCallbacks' };
	const obstacle = callbackObstacle(callbackUrl, serviceUrl);
	if (obstacle === undefined) return { waitMethod: 'callback' };
	const { origin } = new URL(resumeUrl);
	return {
		waitMethod: 'noCallbacks',
		hint: `n8n checks the runs every few minutes: the service cannot call it back, because n8n’s webhook address ${origin} ${obstacle}, and n8n does not reach that address itself. Set N8N_WEBHOOK_URL (WEBHOOK_URL in n8n 1) to the public address of this n8n.`,
	};
}

/** The address that the service calls when the run of one item ends. */
export function callbackUrlFor(resumeUrl: string, itemIndex: number, callbackKey: string): string {
	const url = resumeUrlAt(RESUME_PATH, resumeUrl);
	url.searchParams.set('item', String(itemIndex));
	url.searchParams.set('token', callbackTokenOf(callbackKey, itemIndex));
	return url.toString();
}

/** The largest batch that registers callbacks. Above it, polling the list is faster. */
const MAX_CALLBACKS = 10;

/** Whether runs that are started now are to call the execution back: those of a small batch, or all if nothing else watches them. */
export function sendsCallbackUrl({ waitMethod, entries }: Ledger, canWatch: boolean): boolean {
	return waitMethod === 'callback' && (!canWatch || entries.length <= MAX_CALLBACKS);
}

/** Whether every run it awaits calls back if it is suspended now; false without any. */
export function expectsCallbacks(ledger: Ledger): boolean {
	return ledger.waitMethod === 'callback' && awaitedRuns(ledger).length > 0;
}

/**
 * Whether an execution that waits like this may be suspended. With Stay Awake it never is, not even to be stored before
 * its starts: n8n does not tell a suspended execution that it is stopped, so its runs would not be canceled.
 */
export function maySuspend(waitMethod: WaitMethod): boolean {
	return waitMethod === 'callback' || waitMethod === 'noCallbacks';
}

/** Until when the execution stays awake because a caller waits for its results, in milliseconds since 1970; -Infinity without one. */
export function callerWaitsUntil(caller: Caller | undefined): number {
	return (caller?.since ?? -Infinity) + AWAKE_FOR_CALLER_MS;
}

/** Gives a hint if a caller waited for the results of an execution that was suspended: what it was answered instead. */
export function hintIfCallerWaited(context: IExecuteFunctions, caller: Caller | undefined): void {
	if (caller === undefined) return;
	const tooLong = `took longer than ${AWAKE_FOR_CALLER_MS / 60_000} minutes`;
	giveHint(
		context,
		caller.kind === 'workflow'
			? `The results ${tooLong}, so this sub-workflow slept. If the workflow that calls it runs it once for each item, n8n hands over the results of one item only: run it once with all items.`
			: `Whoever called this workflow was answered without the results: they ${tooLong}. To answer with the results however long they take, choose 'Stay Awake' under 'Wait for Completion' or, where n8n does not run in queue mode, have the trigger respond with a Respond to Webhook node.`,
	);
}
