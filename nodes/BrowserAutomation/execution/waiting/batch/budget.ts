import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { InputError } from '../../../service/errors';
import { memoryOf } from '../../../service/processMemory';
import { executionContextOf, hostOf } from '../../host';
import { pendingStarts, type Ledger } from './ledger';

/** For how long this process counts starts, in milliseconds: n8n keeps nothing from one call of a tool to the next, or goes on from an old state. */
const COUNTED_FOR_MS = 3_600_000;
const recentStarts = memoryOf<{ count: number; until: number }>('recentStarts');

/**
 * Makes sure, before anything is started, that the node starts no more runs in this execution than the
 * user allows. All rounds of a loop and all calls of an agent's tool count together. Where the calls have no
 * execution in common, those of the last hour in this process do.
 *
 * @throws InputError
 */
export function checkMaxRuns(context: IExecuteFunctions, ledger: Ledger): void {
	const { executionId, settings } = ledger;
	const { keepsContext } = hostOf(context);
	const { maxRuns: max = Infinity } = settings;
	const wanted = pendingStarts(ledger).length;
	// A retry is an execution of its own, which has the counts of the one before as well.
	const known = executionContextOf(context);
	const key = keepsContext
		? `browserAutomationStarts/${executionId}/${context.getNode().name}`
		: nodeOfAnyCall(context);
	const { count = 0, until = Date.now() + COUNTED_FOR_MS } = recentStarts.get(key) ?? {};
	const before = Math.max(Number(known[key] ?? 0), count);
	if (wanted > 0 && before + wanted > max) {
		const where = keepsContext ? 'in this execution' : 'within an hour';
		throw new InputError(
			`This node would start ${before + wanted} runs ${where}, and 'Max Runs per Execution' is ${max}`,
			`None of these ${wanted} was started${before === 0 ? '' : `; ${before} were before`}. Send fewer items, or set 'Max Runs per Execution' under 'Limits and Costs'.`,
		);
	}
	if (max < Infinity && wanted > 0) recentStarts.set(key, { count: before + wanted, until }, until);
	if (keepsContext) known[key] = before + wanted;
}

/** Names a node whose ID n8n makes anew for each call: by what it is set up to do. */
function nodeOfAnyCall(context: IExecuteFunctions): string {
	const { type, name, parameters } = context.getNode();
	const text = JSON.stringify([type, name, parameters]);
	return createHash('sha256').update(text).digest('base64url');
}
