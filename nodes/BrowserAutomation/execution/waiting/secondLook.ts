import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { noteLook } from './activity';
import type { Ledger } from './ledger';
import type { Collecting } from './outcomes';
import { isStarted, isWorthWaking, openTaskIds, refreshRuns } from './progress';
import { callbackUrlFor } from './start';

/** When n8n has stored the sleeping execution in all likelihood, in milliseconds after it was put to sleep. */
const AFTER_MS = 3_000;

/** How often n8n is called while it is still busy storing, and how long to wait before each call. */
const CALLS = 5;

/**
 * Looks once more when the execution is asleep. n8n refuses a callback that comes in the moment
 * before it has stored the execution, and the service does not repeat a refused one (interface:
 * Events). If there is something to go on with by then, the execution is woken as a callback would
 * wake it. Never throws: the execution sleeps either way.
 */
export async function lookOnceMore(
	{ context, client, ledger }: Collecting,
	resumeUrl: string,
): Promise<void> {
	const copy: Ledger = { ...ledger, entries: ledger.entries.map((entry) => ({ ...entry })) };
	try {
		await sleep(AFTER_MS);
		const open = openTaskIds(copy);
		await refreshRuns(client, copy, open);
		noteLook(copy);
		const itemIndex = copy.entries.findIndex(isStarted);
		const entry = copy.entries[itemIndex];
		if (entry === undefined || !isWorthWaking(copy, open)) return;
		await call(context, callbackUrlFor(resumeUrl, itemIndex, entry.nonce));
	} catch {
		return;
	}
}

/** Calls as the service would, again while n8n says that the execution is not asleep yet. */
async function call(context: IExecuteFunctions, url: string): Promise<void> {
	for (let calls = 1; calls <= CALLS; calls++) {
		const answer: unknown = await context.helpers.httpRequest({
			method: 'POST',
			url,
			returnFullResponse: true,
			ignoreHttpStatusErrors: true,
			disableFollowRedirect: true,
		});
		if (!isBusy(answer)) return;
		await sleep(AFTER_MS * calls);
	}
}

/** n8n answers 409 or a fault until it has stored the execution. */
function isBusy(answer: unknown): boolean {
	if (typeof answer !== 'object' || answer === null || !('statusCode' in answer)) return false;
	const status = Number(answer.statusCode);
	return status === 409 || status >= 500;
}
