import type { ITriggerFunctions, ITriggerResponse, IWebhookFunctions } from 'n8n-workflow';

import { failureText } from '../execution/failures';
import { isProduction } from '../execution/workflow';
import { addressesOf, lookUrl } from '../fields/triggersOfWorkflow';
import type { RunApi } from '../service/runs/runApi';
import { rest } from '../transport/cancellation';
import { callOwnAddress, type OwnCaller } from '../transport/ownAddress';
import { Semaphore } from '../transport/semaphore';

/** The first pause before looking again, in milliseconds; each further one is twice as long, up to the longest. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;

/** How many calls of its own a process makes at once, and how many runs wait for one. */
const CALLS_AT_ONCE = 20;
const MOST_WAITING = 10_000;

const OWN_ANSWER_MS = 30_000;

/** The addresses that are to be called, each for a trigger and a run. */
const waiting = new Set<string>();

const calls = new Semaphore(CALLS_AT_ONCE);

/**
 * Has a trigger look at a run again in a while, and again while it cannot. It calls itself as the
 * service would: so whatever starts the workflow comes through the same door, and is known there.
 *
 * @param afterMs the pause before, in milliseconds
 */
export function lookLater(
	context: IWebhookFunctions,
	caller: OwnCaller,
	{ taskId, api }: { taskId: string; api: RunApi },
	afterMs = FIRST_PAUSE_MS,
): void {
	const address = context.getNodeWebhookUrl('default');
	if (!isProduction(context) || address === undefined || waiting.size >= MOST_WAITING) return;
	void look(caller, lookUrl(address, { [api.idName]: taskId }), afterMs);
}

/**
 * Has a published trigger look at its open runs every few minutes, and soon after n8n was started or the
 * workflow published: callbacks may have been lost meanwhile. n8n calls this in one process alone, the
 * leader, and ends it there; the look is done by whichever process takes the call.
 */
export function keepLooking(context: ITriggerFunctions): ITriggerResponse {
	const stop = new AbortController();
	const address = addressesOf(context, context.getNode())?.completed;
	const lookOn = async (url: string): Promise<void> => {
		for (let wasReached = true; !stop.signal.aborted; await rest(LONGEST_PAUSE_MS)) {
			const isReached = await look(context, url, FIRST_PAUSE_MS, stop.signal);
			if (wasReached && !isReached) {
				context.logger.warn(
					`The trigger "${failureText(context.getNode(), context.getNode().name)}" cannot reach its own address ${new URL(url).origin}: it will miss runs whose callbacks get lost, e.g. while n8n is down. Let n8n reach its public address.`,
				);
			}
			wasReached = isReached;
		}
	};
	if (isProduction(context) && address !== undefined) void lookOn(lookUrl(address));
	return { closeFunction: async () => stop.abort() };
}

/**
 * Calls an address of the trigger after a pause, and again after longer ones, until it answers that it has looked.
 * What comes up while the call is under way may be too late for it: a new look takes over then.
 *
 * @param stop ends a look that stands for itself: no other one waits for it, or takes over
 * @returns whether n8n answered at all the last time
 */
async function look(caller: OwnCaller, url: string, afterMs: number, stop?: AbortSignal) {
	const places = stop === undefined ? waiting : new Set<string>();
	const call = async () => {
		places.delete(url);
		return await callOwnAddress(caller, 'POST', url, OWN_ANSWER_MS);
	};
	let isReached = true;
	for (let gap = afterMs; gap <= LONGEST_PAUSE_MS; gap = Math.max(FIRST_PAUSE_MS, gap * 2)) {
		if (places.has(url)) break;
		places.add(url);
		await rest(gap);
		if (stop?.aborted) return true;
		const answer = await calls.inTurn(undefined, call);
		isReached = answer !== undefined;
		if (answer !== undefined && answer.status < 300) break;
	}
	return isReached;
}
