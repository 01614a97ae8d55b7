import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { readStatuses } from '../../service/runs';
import type { Ledger } from './ledger';
import type { Collecting } from './outcomes';
import { isAllSettled, isStarted, note, openRuns } from './progress';
import { callbackUrlFor } from './start';

/** When n8n has surely stored the sleeping execution, in milliseconds after it was put to sleep. */
const AFTER_MS = 3_000;

/**
 * Looks once more when the execution is surely asleep. n8n refuses a callback that comes in the
 * moment between our last look and its own storing of the execution, and the service does not
 * repeat a refused one (interface: Events). If all runs have ended by then, the execution is woken
 * as a callback would wake it. Never throws: the execution sleeps either way.
 */
export async function lookOnceMore(collecting: Collecting, resumeUrl: string): Promise<void> {
	const { context, client, face, ledger } = collecting;
	const copy: Ledger = { ...ledger, entries: ledger.entries.map((entry) => ({ ...entry })) };
	try {
		await sleep(AFTER_MS);
		const taskIds = openRuns(copy).map(({ taskId }) => taskId);
		note(copy, await readStatuses(client, face, taskIds));
		if (isAllSettled(copy)) await wake(context, copy, resumeUrl);
	} catch {
		return;
	}
}

async function wake(context: IExecuteFunctions, ledger: Ledger, resumeUrl: string): Promise<void> {
	for (const [itemIndex, entry] of ledger.entries.entries()) {
		if (!isStarted(entry)) continue;
		await context.helpers.httpRequest({
			method: 'POST',
			url: callbackUrlFor(resumeUrl, itemIndex, entry.nonce),
			disableFollowRedirect: true,
		});
		return;
	}
}
