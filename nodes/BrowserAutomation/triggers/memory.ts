import { sleep, type IWebhookFunctions } from 'n8n-workflow';

import { isProduction } from '../execution/mode';
import { responseOf } from '../execution/webhook';
import { EventDeduplicator } from '../service/events/eventDeduplicator';
import { TtlCache } from '../service/ttlCache';
import { nodeKey } from '../transport/nodeKey';
import { keptDataOf, readKeptData } from './keptData';

/** How many runs a process remembers for each trigger. */
const REMEMBERED = 5_000;

/** How many of them that have ended outlive the process with the workflow, and as many that have not. */
const KEPT = 500;

/** Where the workflow keeps them for the trigger. */
const EMITTED = 'told';

/** How long n8n takes to begin an execution when it is busy, in milliseconds, and how often it is looked whether it has. */
const USUAL_BEGIN_MS = 25_000;
const SHORT_NAP_MS = 1;
const LONG_NAP_MS = 1_000;

/** After how long without an answer an execution was not begun in all likelihood, in milliseconds. */
const LONGEST_BEGIN_MS = 10 * 60_000;

/** How many triggers a process remembers something for. Of others, what the workflow keeps is known. */
export const MOST_TRIGGERS = 1_000;

const memories = new TtlCache<EventDeduplicator>(MOST_TRIGGERS);

/**
 * What this process knows of the events of a trigger, together with what the workflow keeps. A test
 * knows nothing yet.
 */
export function memoryOf(context: IWebhookFunctions): EventDeduplicator {
	const make = (): EventDeduplicator => new EventDeduplicator(REMEMBERED);
	if (!isProduction(context)) return make();
	const memory = memories.getOrMake(nodeKey(context), make, Infinity);
	const kept = readKeptData(context)[EMITTED];
	if (Array.isArray(kept)) memory.add(kept.filter((text) => typeof text === 'string'));
	return memory;
}

/** Has n8n store what is known with the workflow after this call, as it is known by then. */
export function keep(context: IWebhookFunctions, memory: EventDeduplicator): void {
	if (!isProduction(context)) return;
	keptDataOf(context)[EMITTED] = { toJSON: (): string[] => memory.write(KEPT) };
}

/**
 * Sees to it that a change is kept with the workflow once n8n has begun its execution, and takes it
 * back if n8n could not.
 *
 * n8n stores what a call has changed right after it has begun the execution and before it answers
 * (2.41.1: `executeWebhook` in webhooks/live-webhooks.js), but only what was changed since it began: the
 * execution's own workflow forgets that anything was. So the change is made again until then. Calls
 * overlap, and what the last of them stores stays: so each stores what is known when it is stored.
 */
export async function keepUntilAnswered(
	context: IWebhookFunctions,
	memory: EventDeduplicator,
	taskId: string,
): Promise<void> {
	const kept = isProduction(context) ? keptDataOf(context) : {};
	const response = responseOf(context);
	const storedAs = {
		toJSON: (): string[] => {
			memory.confirm(taskId);
			return memory.write(KEPT);
		},
	};
	const begun = Date.now();
	for (let waited = 0; !response.headersSent && waited < LONGEST_BEGIN_MS;) {
		kept[EMITTED] = storedAs;
		await sleep(waited < USUAL_BEGIN_MS ? SHORT_NAP_MS : LONG_NAP_MS);
		waited = Date.now() - begun;
	}
	if (response.headersSent && response.statusCode < 500) memory.confirm(taskId);
	else memory.takeBack(taskId);
}
