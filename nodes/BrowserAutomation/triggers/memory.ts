import type { INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { isProduction } from '../execution/mode';
import { responseOf } from '../execution/webhook';
import { RunMemory } from '../service/events/runMemory';
import { TtlCache } from '../service/ttlCache';
import { nodeKey } from '../transport/nodeKey';
import { keptDataOf, readKeptData } from './keptData';
import type { Turn } from './turns';

/** How many runs a process remembers for each trigger. */
const REMEMBERED = { open: 1_000, known: 5_000 };

/** How many of each kind outlive the process with the workflow. */
const KEPT = 500;

/** Where the workflow keeps them for the trigger. */
const TOLD = 'told';

/** How long an execution may still begin after the caller has gone, in milliseconds. */
const GONE_MS = 60_000;

/** How many triggers a process remembers something for. Of others, what the workflow keeps is known. */
export const MOST_TRIGGERS = 1_000;

const memories = new TtlCache<RunMemory>(MOST_TRIGGERS);

/**
 * What this process knows of the runs of a trigger, together with what the workflow keeps. A test knows
 * nothing yet.
 */
export function memoryOf(context: IWebhookFunctions): RunMemory {
	const make = (): RunMemory => new RunMemory(REMEMBERED);
	if (!isProduction(context)) return make();
	const memory = memories.getOrMake(nodeKey(context), make, Infinity);
	memory.add(readKeptData(context)[TOLD]);
	return memory;
}

/**
 * Has n8n store what is known with the workflow after this call. Calls overlap, and what the last of them
 * stores stays: so each stores what is known when it is stored.
 */
export function keep(context: IWebhookFunctions, memory: RunMemory): void {
	if (!isProduction(context)) return;
	keptDataOf(context)[TOLD] = { toJSON: (): string[] => memory.write(KEPT) };
}

/**
 * Starts the workflow, and takes note when n8n has begun the execution: if it cannot, the event is to be
 * taken again. n8n reads the answer (`webhookResponse`) then, just before it stores what the call has
 * changed (2.41.1: `executeWebhook` in webhooks/webhook-helpers.js); what was changed earlier, it has
 * forgotten by then.
 */
export function startWorkflow(
	context: IWebhookFunctions,
	items: INodeExecutionData[],
	takeNote: () => void,
): Turn<IWebhookResponseData> {
	const response = responseOf(context);
	let begin = takeNote;
	const isOver = new Promise<void>((resolve) => {
		begin = () => {
			takeNote();
			resolve();
		};
		response.once('finish', () => (response.statusCode < 500 ? begin() : resolve()));
		response.once('close', () => {
			AbortSignal.timeout(GONE_MS).addEventListener('abort', () => resolve(), { once: true });
		});
	});
	const value = {
		workflowData: [items],
		get webhookResponse(): object {
			begin();
			return { message: 'The workflow was started.' };
		},
	};
	return { value, isOver };
}
