import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { JsonObject } from '../../service/json';
import { waitLimitError } from './failures';
import type { Entry, Ledger } from './ledger';
import { identityOf } from './outcomes';
import { replaceInput, sleepingMetadata } from './platform';
import { isSettled, isStarted, openRuns } from './progress';

/**
 * Puts the execution to sleep until a callback wakes it or the limit is reached. What passes on at
 * the limit is decided here, because n8n runs none of our code then.
 */
export async function park(
	context: IExecuteFunctions,
	ledger: Ledger,
	resumeUrl: string,
): Promise<INodeExecutionData[]> {
	const { settings, deadline } = ledger;
	const records = ledger.entries.map((entry, itemIndex) => ({
		json: recordAtLimit(ledger, entry),
		pairedItem: { item: itemIndex },
	}));
	replaceInput(context, records);
	const error = settings.atLimit === 'fail' ? limitError(ledger) : undefined;
	context.setMetadata(sleepingMetadata(resumeUrl, error));
	await context.putExecutionToWait(new Date(deadline));
	// A list of its own: n8n takes items out of what a node returns, and the kept input must not shrink.
	return [...records];
}

/** What an item says if the limit is reached while the execution sleeps. */
function recordAtLimit(ledger: Ledger, entry: Entry): JsonObject {
	if (entry.refusal !== undefined) {
		return { error: entry.refusal.message, message: entry.refusal.advice, details: {} };
	}
	if (isSettled(ledger, entry)) return { ...identityOf(entry), timed_out: false };
	const atLimit = { ...identityOf(entry), timed_out: true };
	if (ledger.settings.atLimit === 'continue') return atLimit;
	const { message, advice } = waitLimitError(
		ledger.settings.limitMs,
		isStarted(entry) ? entry : undefined,
	);
	return { error: message, message: advice, details: atLimit };
}

function limitError(ledger: Ledger): { message: string; description: string } {
	const open = openRuns(ledger);
	const { message, advice } = waitLimitError(ledger.settings.limitMs, open[0]);
	const others = open.slice(1).map(({ taskId, status }) => `${taskId} (${status ?? 'created'})`);
	const also = others.length === 0 ? '' : ` Also waited for: ${others.join(', ')}.`;
	return { message, description: `${advice}${also}` };
}
