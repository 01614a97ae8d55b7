import type { ITriggerFunctions, ITriggerResponse, IWebhookFunctions } from 'n8n-workflow';

import { failureText } from '../execution/failures';
import { isProduction } from '../execution/workflow';
import { addressesOf, recheckUrl } from '../fields/triggersOfWorkflow';
import type { RunApi } from '../service/runs/runApi';
import { callUntil } from '../transport/callUntil';
import { delay } from '../transport/cancellation';
import type { OwnAnswer, OwnCaller } from '../transport/ownAddress';
import { Semaphore } from '../transport/semaphore';

/** Before the first check, in milliseconds; each further pause is twice as long, up to the longest. */
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 300_000;

/** How often one run is checked by itself, in about five minutes: then it is one of those that are checked every five. */
const MAX_TRIES = 6;

/** How many calls of its own a process makes at once, and how many runs wait for one. */
const CALLS_AT_ONCE = 20;
const MAX_WAITING = 10_000;

/** The addresses that are to be called, each for a trigger and a run. */
const waiting = new Set<string>();

/** What all calls have in common. */
const CALLS = {
	timeoutMs: 30_000,
	slots: new Semaphore(CALLS_AT_ONCE),
	wait: delay,
	pauses: { before: FIRST_PAUSE_MS, first: 2 * FIRST_PAUSE_MS, maxDelay: MAX_PAUSE_MS },
};

function isOk(answer: OwnAnswer | undefined): boolean {
	return answer !== undefined && answer.status < 300;
}

/**
 * Has a trigger check a run later, and again until it can. It calls itself as the service would, so whatever starts the
 * workflow takes the same path and is deduplicated there. News that comes while a call is under way may be too late
 * for it: then a new check follows.
 *
 * @param before the pause before, in milliseconds
 */
export function recheckLater(
	context: IWebhookFunctions,
	caller: OwnCaller,
	{ taskId, api }: { taskId: string; api: RunApi },
	before = FIRST_PAUSE_MS,
): void {
	const address = context.getNodeWebhookUrl('default');
	if (!isProduction(context) || address === undefined || waiting.size >= MAX_WAITING) return;
	const url = recheckUrl(address, { [api.idName]: taskId });
	if (waiting.has(url)) return;
	waiting.add(url);
	let tries = 0;
	void callUntil({
		...CALLS,
		url,
		pauses: { ...CALLS.pauses, before },
		isOver: () => false,
		callerOf: () => {
			waiting.delete(url);
			return caller;
		},
		isSettled: (answer) => {
			tries += 1;
			if (isOk(answer) || waiting.has(url) || tries === MAX_TRIES) return true;
			waiting.add(url);
			return false;
		},
	});
}

/**
 * Has a published trigger check its open runs every few minutes, and soon after n8n was started or the
 * workflow published: callbacks may have been lost meanwhile. n8n calls this in one process alone, the
 * leader, and ends it there; the check is done by whichever process takes the call.
 */
export function keepChecking(context: ITriggerFunctions): ITriggerResponse {
	const stop = new AbortController();
	const address = addressesOf(context, context.getNode())?.completed;
	const recheck = async (url: string): Promise<void> => {
		for (let unreached = 0; !stop.signal.aborted; await delay(MAX_PAUSE_MS)) {
			await callUntil({
				...CALLS,
				url,
				callerOf: () => context,
				isOver: () => stop.signal.aborted,
				isSettled: (answer) => {
					unreached = answer === undefined ? unreached + 1 : 0;
					if (unreached === MAX_TRIES) warnUnreached(context, url);
					return isOk(answer);
				},
			});
		}
	};
	if (isProduction(context) && address !== undefined) void recheck(recheckUrl(address));
	return { closeFunction: async () => stop.abort() };
}

function warnUnreached(context: ITriggerFunctions, url: string): void {
	const node = context.getNode();
	context.logger.warn(
		`The trigger "${failureText(node, node.name)}" cannot reach its own address ${new URL(url).origin}: it will miss runs whose callbacks get lost, e.g. while n8n is down. Let n8n reach its public address.`,
	);
}
