import type { ITriggerFunctions, ITriggerResponse, IWebhookFunctions } from 'n8n-workflow';

import { failureText } from '../execution/failures';
import { isProduction } from '../execution/mode';
import { completedUrlOf } from '../fields/triggersOfWorkflow';
import { TtlCache } from '../service/ttlCache';
import { nodeKey } from '../transport/nodeKey';
import { callOwnAddress, ownCallerOf, type OwnCaller } from '../transport/ownAddress';
import { Semaphore } from '../transport/semaphore';
import { MOST_TRIGGERS } from './memory';

/** The query parameter by which a trigger calls itself: the run to look at, or empty for all open ones. */
export const LOOK_KEY = 'look';

/** The first pause before looking again, in milliseconds; each further one is twice as long, up to the longest. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;

/** How many calls of its own a process makes at once, and how many runs wait for one. */
const CALLS_AT_ONCE = 20;
const MOST_WAITING = 10_000;

const OWN_ANSWER_MS = 30_000;

/** Runs that are to be looked at again, each by its trigger. */
const waiting = new Set<string>();

const calls = new Semaphore(CALLS_AT_ONCE);

/** What calls n8n for each trigger: one context, however many runs wait. */
const callers = new TtlCache<OwnCaller>(MOST_TRIGGERS);

/**
 * Has a trigger look at a run again in a while, and again while it cannot. It calls itself as the
 * service would: so whatever starts the workflow comes through the same door, and is known there.
 *
 * @param afterMs the pause before, in milliseconds
 */
export function lookLater(
	context: IWebhookFunctions,
	taskId: string,
	afterMs = FIRST_PAUSE_MS,
): void {
	const url = context.getNodeWebhookUrl('default');
	const key = `${nodeKey(context)}/${taskId}`;
	if (!isProduction(context) || url === undefined) return;
	if (waiting.has(key) || waiting.size >= MOST_WAITING) return;
	waiting.add(key);
	const caller = callers.getOrMake(nodeKey(context), () => ownCallerOf(context), Infinity);
	const isOver = (status: number): boolean => status < 500;
	void look(caller, lookUrl(url, taskId), isOver, { afterMs }).then(() => waiting.delete(key));
}

/**
 * Has a published trigger look at its open runs every few minutes, and soon after n8n was started or the
 * workflow published: callbacks may have been lost meanwhile. n8n calls this in one process alone, the
 * leader, and ends it there; the look is done by whichever process takes the call.
 */
export function keepLooking(context: ITriggerFunctions): ITriggerResponse {
	const stop = new AbortController();
	const url = completedUrlOf(context);
	if (isProduction(context) && url !== undefined) {
		void lookUntilStopped(context, lookUrl(url, ''), stop.signal);
	}
	return { closeFunction: async () => stop.abort() };
}

async function lookUntilStopped(
	context: ITriggerFunctions,
	url: string,
	stop: AbortSignal,
): Promise<void> {
	const isDone = (status: number): boolean => status < 300;
	for (let isTold = false; !stop.aborted; await rest(LONGEST_PAUSE_MS)) {
		const isReached = await look(context, url, isDone, { stop });
		if (!isReached && !isTold) {
			context.logger.warn(
				`The trigger "${failureText(context.getNode(), context.getNode().name)}" cannot reach its own address ${new URL(url).origin}: it will miss runs whose callbacks get lost, e.g. while n8n is down. Let n8n reach its public address.`,
			);
		}
		isTold = !isReached;
	}
}

/**
 * Calls an address of the trigger after a pause, and again after longer ones, until an answer will do.
 *
 * @returns whether n8n answered at all the last time
 */
async function look(
	caller: OwnCaller,
	url: string,
	willDo: (status: number) => boolean,
	{ afterMs = FIRST_PAUSE_MS, stop }: { afterMs?: number; stop?: AbortSignal },
): Promise<boolean> {
	const never = new AbortController().signal;
	let isReached = true;
	for (let gap = afterMs; gap <= LONGEST_PAUSE_MS; gap = Math.max(FIRST_PAUSE_MS, gap * 2)) {
		await rest(gap);
		if (stop?.aborted) return true;
		const answer = await calls.inTurn(
			never,
			async () => await callOwnAddress(caller, 'POST', url, OWN_ANSWER_MS),
		);
		isReached = answer !== undefined;
		if (answer !== undefined && willDo(answer.status)) break;
	}
	return isReached;
}

function lookUrl(url: string, taskId: string): string {
	const look = new URL(url);
	look.searchParams.set(LOOK_KEY, taskId);
	return look.toString();
}

/** Waits without keeping n8n from ending. */
async function rest(milliseconds: number): Promise<void> {
	await new Promise<void>((resolve) => {
		AbortSignal.timeout(milliseconds).addEventListener('abort', () => resolve(), { once: true });
	});
}
