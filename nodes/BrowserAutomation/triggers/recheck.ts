import type { ITriggerFunctions, ITriggerResponse, IWebhookFunctions } from 'n8n-workflow';

import { failureText } from '../execution/failures';
import { isProduction } from '../execution/workflow';
import { addressesOf, recheckUrl } from '../fields/triggersOfWorkflow';
import type { RunApi } from '../service/runs/runApi';
import { BOUNDS } from '../service/processMemory';
import { callUntil } from '../transport/callUntil';
import { delay } from '../transport/cancellation';
import type { OwnAnswer, OwnCaller } from '../transport/ownAddress';
import { Semaphore } from '../transport/semaphore';

/** The pause before the first check, in milliseconds. It doubles for each further one, up to the longest. */
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 300_000;

/** How often one run is checked, over about five minutes. After that it is checked with all open runs only. */
const MAX_TRIES = 6;

/** How many calls of its own a process makes at once. */
const CALLS_AT_ONCE = 20;

/** The addresses whose next call has not begun yet, each for a trigger and a run. */
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
 * Has a trigger check a run later, and again until that succeeds. The trigger calls its own address, as the
 * service does, so that each event takes the same path and is deduplicated there. If it is asked again during a
 * call, a new series of calls takes over.
 *
 * @param before the pause before the first call, in milliseconds
 */
export function recheckLater(
	context: IWebhookFunctions,
	caller: OwnCaller,
	{ taskId, api }: { taskId: string; api: RunApi },
	before = FIRST_PAUSE_MS,
): void {
	const address = context.getNodeWebhookUrl('default');
	if (!isProduction(context) || address === undefined || waiting.size >= BOUNDS.rechecks) return;
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
			// The call begins now: whoever asks from here on needs a new one.
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
 * Has a published trigger check its open runs every five minutes, and soon after n8n starts or the workflow
 * is published: callbacks may have been lost. n8n calls this in the leader process only, and ends it there.
 * The process that takes the call does the check.
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
