import type { IExecuteFunctions } from 'n8n-workflow';

import { MOST_RUNS_OF_TOOL } from '../../../fields/waiting';
import { InputError } from '../../../service/errors';
import { isUsedAsTool } from '../../toolUse';
import type { Ledger } from './ledger';
import { unstarted } from './progress';

/**
 * Makes sure, before anything is started, that the node starts no more runs in this execution than the
 * user allows: over all rounds of a loop, and all calls of an agent's tool.
 *
 * @throws InputError where it would
 */
export function allowStarts(context: IExecuteFunctions, ledger: Ledger): void {
	if (ledger.isAllowed === true) return;
	const { executionId, nodeId, settings } = ledger;
	const most = settings.mostRuns ?? (isUsedAsTool(context) ? MOST_RUNS_OF_TOOL : Infinity);
	const counts = context.getContext('flow');
	// A retry is an execution of its own, which has the counts of the one before as well.
	const key = `browserAutomationStarts/${executionId}/${nodeId}`;
	const before = Number(counts[key] ?? 0);
	const wanted = unstarted(ledger).length;
	if (wanted > 0 && before + wanted > most) {
		throw new InputError(
			`This node would start ${before + wanted} runs in this execution, and Most Runs per Execution is ${most}`,
			`None of these ${wanted} was started${before === 0 ? '' : `; ${before} were before`}. Send fewer items, or set Most Runs per Execution under Options.`,
		);
	}
	counts[key] = before + wanted;
	ledger.isAllowed = true;
}
