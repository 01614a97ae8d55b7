import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { attempt } from '../../service/attempt';
import type { ServiceClient } from '../../service/client';
import { textAt } from '../../service/json';
import { callOwnAddress, type OwnAnswer } from '../../transport/ownAddress';
import { noteLook } from './activity';
import type { Ledger } from './ledger';
import { isStarted, isWorthWaking, openTaskIds, refreshRuns } from './progress';
import { callbackUrlFor } from './start';

/** When n8n has stored the sleeping execution in all likelihood, in milliseconds after it was put to sleep. */
const AFTER_MS = 3_000;

/** How often n8n is called while it is still busy storing. */
const CALLS = 8;

/** The pause before the first call, in milliseconds; each further one is preceded by a pause twice as long. */
const FIRST_PAUSE_MS = 50;

const OWN_ANSWER_MS = 30_000;

/**
 * Looks once more when the execution is asleep. n8n refuses a callback that comes in the moment
 * before it has stored the execution, and the service does not repeat a refused one (docs/service.md:
 * Events). If there is something to go on with by then, the execution is woken as a callback would
 * wake it. Never throws: n8n's clock wakes the execution in any case.
 */
export async function lookAgain(
	context: IExecuteFunctions,
	client: ServiceClient,
	ledger: Ledger,
	resumeUrl: string,
): Promise<void> {
	const copy: Ledger = { ...ledger, entries: ledger.entries.map((entry) => ({ ...entry })) };
	await attempt(async () => {
		await sleep(AFTER_MS);
		const open = openTaskIds(copy);
		await refreshRuns(client, copy, open);
		noteLook(copy);
		const itemIndex = copy.entries.findIndex(isStarted);
		if (itemIndex < 0 || !isWorthWaking(copy, open)) return;
		await callUntilAsleep(context, callbackUrlFor(resumeUrl, itemIndex, copy));
	});
}

/** Wakes the execution as soon as n8n has stored it, for its next wave of starts. Never throws. */
export async function wakeForNextWave(
	context: IExecuteFunctions,
	sleepId: string,
	resumeUrl: string,
): Promise<void> {
	const url = new URL(resumeUrl);
	url.searchParams.set(WAVE_KEY, sleepId);
	await callUntilAsleep(context, url.toString());
}

/** The query parameter by which the node wakes its own execution; its value is the sleep's ID. */
export const WAVE_KEY = 'wave';

/** Calls as the service would, again while n8n says that the execution is not asleep yet. */
async function callUntilAsleep(context: IExecuteFunctions, url: string): Promise<void> {
	for (let calls = 1; calls <= CALLS; calls++) {
		await sleep(FIRST_PAUSE_MS * 2 ** (calls - 1));
		const answer = await callOwnAddress(context, 'POST', url, OWN_ANSWER_MS);
		if (answer === undefined || !isBusy(answer)) return;
	}
}

/** n8n answers 409 or a fault until it has stored the execution, and 409 when it has ended. */
function isBusy({ status, body }: OwnAnswer): boolean {
	if (status === 409) return !(textAt(body, 'message') ?? '').includes('has finished');
	return status >= 500;
}
