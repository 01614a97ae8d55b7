import { sleep, type IWebhookFunctions } from 'n8n-workflow';

import { isProduction } from '../execution/mode';
import { responseOf } from '../execution/webhook';
import { EventDeduplicator } from '../service/eventDeduplicator';
import type { RunEvent } from '../service/runEvents';
import { TtlCache } from '../service/ttlCache';
import { nodeKey } from '../transport/nodeKey';
import { keptDataOf, readKeptData } from './keptData';

/** How many runs a process remembers for each trigger. */
const REMEMBERED = 5_000;

/** How many of them outlive the process, with the workflow. */
const KEPT = 500;

/** Where the workflow keeps them for the trigger: a name that stored workflows have. */
const EMITTED = 'told';

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

/**
 * Sees to it that events are kept with the workflow once n8n has begun their execution, and takes
 * them back if it could not.
 *
 * n8n stores what a call has changed right after it has begun the execution and before it answers
 * (seen in 2.41.1), but only what was changed since it began, so the change is made again until then.
 * Calls overlap, and what the last of them stores stays: so each stores what is known when it is stored.
 */
export async function keepUntilAnswered(
	context: IWebhookFunctions,
	memory: EventDeduplicator,
	emitted: readonly RunEvent[],
	limit: AbortSignal,
): Promise<void> {
	const kept = isProduction(context) ? keptDataOf(context) : {};
	const response = responseOf(context);
	const storedAs = {
		toJSON: (): string[] => {
			memory.confirm(emitted);
			return memory.write(KEPT);
		},
	};
	do {
		kept[EMITTED] = storedAs;
		await sleep(1);
	} while (!response.headersSent && !limit.aborted);
	if (response.statusCode < 500) memory.confirm(emitted);
	else memory.takeBack(emitted);
}
