import type { ITriggerFunctions, ITriggerResponse, IWebhookFunctions } from 'n8n-workflow';

import { failureText } from '../execution/failures';
import { isProduction } from '../execution/workflow';
import { addressesOf, checkUrl } from '../fields/notify';
import { textAt } from '../service/json/json';
import { attempt } from '../service/attempt';
import { RunList } from '../service/runs/runList';
import { delay } from '../transport/cancellation';
import { callOwnAddress, type OwnAnswer } from '../transport/ownAddress';
import { Semaphore } from '../transport/semaphore';
import { ownTaskIdOf, type TriggerState } from './triggerState';

/** How long after a check that the trigger has answered the next one is made, and how long after any other and before the first, in milliseconds. */
const EVERY_MS = 300_000;
const SOON_MS = 10_000;

/** After how many calls in a row without an answer n8n's log says so. */
const WARN_AFTER = 10;

/** How long a call may take, in milliseconds, and how many a process makes at once. */
const ANSWER_WITHIN_MS = 30_000;
const slots = new Semaphore(20);

/** The shortest pause between two checks, in milliseconds. */
const MIN_INTERVAL_MS = 2_000;

/**
 * Has a published trigger check its open runs regularly, as callbacks may get lost. n8n calls this in the leader process only,
 * and ends it there. The process that takes the trigger's call does the check.
 */
export function keepChecking(context: ITriggerFunctions): ITriggerResponse {
	const stop = new AbortController();
	const address = addressesOf(context, context.getNode())?.completed;
	if (isProduction(context) && address !== undefined) {
		void checkRegularly(context, checkUrl(address), stop.signal);
	}
	return { closeFunction: async () => stop.abort() };
}

async function checkRegularly(context: ITriggerFunctions, url: string, stop: AbortSignal) {
	let unreached = 0;
	for (let pause = SOON_MS; ;) {
		await delay(pause);
		if (stop.aborted) return;
		const answer = await callOwnAddress(context, 'POST', url, ANSWER_WITHIN_MS);
		// While n8n starts it answers with a page of its own, and so may a proxy.
		const isChecked = isOwnAnswer(answer);
		unreached = isChecked ? 0 : unreached + 1;
		pause = isChecked ? EVERY_MS : SOON_MS;
		if (unreached === WARN_AFTER) warnUnreached(context, url);
	}
}

/** Whether the trigger has answered (receive.ts), not n8n or what stands before it. */
function isOwnAnswer(answer: OwnAnswer | undefined): boolean {
	return [200, 503].includes(answer?.status ?? 0) && textAt(answer?.body, 'message') !== undefined;
}

function warnUnreached(context: ITriggerFunctions, url: string): void {
	const node = context.getNode();
	context.logger.warn(
		`The trigger "${failureText(node, node.name)}" cannot reach its own address ${new URL(url).origin}: it will miss runs whose callbacks get lost, e.g. while n8n is down. Let n8n reach its public address.`,
	);
}

/**
 * Calls a published trigger, as callbacks do, about each open run whose status has changed on the list, or that is not on it.
 * Does nothing while such calls are made.
 *
 * @throws ServiceError or ConnectionError where the list cannot be read
 */
export async function checkOpenRuns(context: IWebhookFunctions, state: TriggerState) {
	const { memory } = state;
	const address = context.getNodeWebhookUrl('default');
	const open = new Set(memory.taskIdsToCheck());
	const own = ownTaskIdOf(context);
	if (own !== undefined && !memory.knows(own)) open.add(own);
	if (address === undefined || !isProduction(context) || open.size === 0 || state.isChecking)
		return;
	state.isChecking = true;
	const reading = state.connect(context).then(async (client) => {
		for (const { taskId, status } of await new RunList(client).readOpen(open.size)) {
			// The trigger's own run counts as created at first.
			const known = memory.knows(taskId) ? memory.statusOf(taskId) : 'created';
			if (status === known) open.delete(taskId);
		}
	});
	const call = async (taskId: string): Promise<void> => {
		const url = checkUrl(address, { [memory.apiOf(taskId).idName]: taskId });
		await slots.inTurn(async () => await callOwnAddress(context, 'POST', url, ANSWER_WITHIN_MS));
	};
	void attempt(reading.then(async () => await Promise.all([...open].map(call))))
		.then(async () => await delay(MIN_INTERVAL_MS))
		.then(() => (state.isChecking = false));
	await reading;
}
