import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { InputError } from '../../../service/errors';
import { memoryOf } from '../../../service/processMemory';
import { executionContextOf, hostOf } from '../../host';
import { pendingStarts, type Ledger } from './ledger';

/** For how long this process counts starts: the count that is kept with the execution is lost between calls of a tool, and too low in an old state. */
const COUNTED_FOR_MS = 3_600_000;
const recentStarts = memoryOf<{ count: number; until: number }>('recentStarts');

/**
 * Makes sure that the node starts no more runs in this execution than the user allows. All rounds of a loop and all calls of an
 * agent's tool count together; where the calls have no execution in common, those of an hour in this process.
 *
 * @throws InputError
 */
export function checkMaxRuns(context: IExecuteFunctions, ledger: Ledger): void {
	const { executionId, settings } = ledger;
	const { keepsContext } = hostOf(context);
	const { maxRuns: max = Infinity } = settings;
	const wanted = pendingStarts(ledger).length;
	// A retry finds the counts of the execution before, too: they have its ID in their keys.
	const counts = executionContextOf(context);
	const key = keepsContext
		? `browserAutomationStarts/${executionId}/${context.getNode().name}`
		: nodeOfAnyCall(context);
	const { count = 0, until = Date.now() + COUNTED_FOR_MS } = recentStarts.get(key) ?? {};
	const before = Math.max(Number(counts[key] ?? 0), count);
	if (wanted > 0 && before + wanted > max) {
		const where = keepsContext ? 'in this execution' : 'within an hour';
		throw new InputError(
			`This node would start ${before + wanted} runs ${where}, and 'Max Runs per Execution' is ${max}`,
			`None of these ${wanted} was started${before === 0 ? '' : `; ${before} were before`}. Send fewer items, or set 'Max Runs per Execution' under 'Limits and Costs'.`,
		);
	}
	if (max < Infinity && wanted > 0) recentStarts.set(key, { count: before + wanted, until }, until);
	if (keepsContext) counts[key] = before + wanted;
}

/** Names the node by its settings: its ID is new in each call. */
function nodeOfAnyCall(context: IExecuteFunctions): string {
	const { type, name, parameters } = context.getNode();
	const text = JSON.stringify([type, name, parameters]);
	return createHash('sha256').update(text).digest('base64url');
}
