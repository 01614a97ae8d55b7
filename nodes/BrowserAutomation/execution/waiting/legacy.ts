import type { IExecuteFunctions, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';

import { LEDGER_VERSION, type Ledger, type OldLedger } from './ledger';
import { stackEntryOf } from './platform';

/**
 * Executions that fell asleep under version 0.1.0 of the package. They have no waking entry: n8n skips
 * the node when it wakes them, unless a callback's handler keeps it from doing so, and their input was
 * replaced by what was to pass on at the wait limit.
 */

const WAYS = { sleep: 'callback', poll: 'clock', none: 'none' } as const;

/** A ledger of that version in its present form. */
export function upgradeLedger(old: OldLedger, nodeId: string): Ledger {
	const way = WAYS[old.way];
	return { ...old, version: LEDGER_VERSION, nodeId, way, begunAt: old.since ?? Date.now() };
}

/** Makes n8n carry the node out again when it wakes the execution, instead of skipping it. */
export function runAgainOnWake(context: IWebhookFunctions): void {
	const entry = stackEntryOf(context);
	if (entry === undefined) return;
	entry.node.disabled = false;
	delete entry.metadata?.resumeError;
}

/**
 * Gives the node back the items that came to it.
 *
 * @param count how many items there were
 */
export function restoreInput(context: IExecuteFunctions, count: number): void {
	const before = itemsFromBefore(context);
	const items = context.getNode().executeOnce === true ? before.slice(0, 1) : before;
	if (items.length !== count) return;
	const lists = new Set([stackEntryOf(context)?.data.main?.[0], context.getInputData()]);
	for (const list of lists) list?.splice(0, list.length, ...items);
}

/** The items at the output that leads here; none where n8n does not tell, as with a tool. */
function itemsFromBefore(context: IExecuteFunctions): INodeExecutionData[] {
	try {
		const { previousNode, previousNodeOutput, previousNodeRun } = context.getInputSourceData();
		const proxy = context.getWorkflowDataProxy(0);
		const items = proxy.$items(previousNode, previousNodeOutput, previousNodeRun);
		return Array.isArray(items) ? items : [];
	} catch {
		return [];
	}
}
