import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { JsonObject } from '../../service/json';
import { failureJson } from '../failures';
import { keepActivity } from './activity';
import { waitLimitError } from './failures';
import type { Entry, Ledger } from './ledger';
import { identityOf } from './outcomes';
import { replaceInput, sleepingMetadata, type LimitError } from './platform';
import { isSettled, isStarted } from './progress';
import { statusPageUrlFor } from './statusPage';

/**
 * Puts the execution to sleep until a callback wakes it or the limit is reached. What passes on at
 * the limit is decided here, because n8n runs none of our code then: an error where the node is to
 * end the workflow, items elsewhere.
 *
 * @returns what the node shows while it sleeps; nothing receives it
 */
export async function park(
	context: IExecuteFunctions,
	ledger: Ledger,
	resumeUrl: string,
): Promise<INodeExecutionData[]> {
	const paired = ledger.entries.map((entry, item) => ({ entry, pairedItem: { item } }));
	replaceInput(
		context,
		paired.map(({ entry, pairedItem }) => {
			const json = recordAtLimit(ledger, entry);
			return { json: 'error' in json ? failureJson(context, json) : json, pairedItem };
		}),
	);
	const fails = ledger.settings.atLimit === 'fail' && !context.continueOnFail();
	const isPaused = ledger.entries.some(({ status }) => status === 'paused');
	const statusPageUrl = statusPageUrlFor(resumeUrl, ledger.watchKey, isPaused);
	keepActivity(ledger);
	context.setMetadata(sleepingMetadata(statusPageUrl, fails ? limitError(ledger) : undefined));
	await context.putExecutionToWait(new Date(ledger.deadline));
	return paired.map(({ entry, pairedItem }) => ({ json: identityOf(entry), pairedItem }));
}

/** What an item says if the limit is reached while the execution sleeps. */
function recordAtLimit(ledger: Ledger, entry: Entry): JsonObject {
	if (entry.refusal !== undefined) {
		return {
			error: entry.refusal.message,
			message: entry.refusal.advice,
			details: identityOf(entry),
		};
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

/** Names the first run that is waited for, and every other one: the results of all are missing. */
function limitError(ledger: Ledger): LimitError {
	const started = ledger.entries.filter(isStarted);
	const open = started.find((entry) => !isSettled(ledger, entry));
	const { message, advice } = waitLimitError(ledger.settings.limitMs, open);
	const others = started.filter((entry) => entry !== open);
	const named = others.map(({ taskId, status }) => `${taskId} (${status ?? 'created'})`);
	const also = named.length === 0 ? '' : ` The other runs: ${named.join(', ')}.`;
	return { message, description: `${advice}${also}` };
}
