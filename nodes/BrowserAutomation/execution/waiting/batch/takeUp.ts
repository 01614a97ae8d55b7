import type { IExecuteFunctions } from 'n8n-workflow';

import { hasCode, ServiceError } from '../../../service/errors';
import { RUN_NOT_FOUND } from '../../../service/http/errorCodes';
import {
	isTerminal,
	isUnsuccessful,
	type Runs,
	type StatusAnswer,
} from '../../../service/runs/runs';
import { giveHint } from '../../hints';
import {
	isStarted,
	isStartPending,
	isSuspended,
	startedTaskIds,
	type Entry,
	type Ledger,
	type StartedEntry,
} from './ledger';
import type { Writable } from './records';
import { uncertainRefusal } from './runErrors';

/**
 * Takes up what another execution has started, which the user retries. The callbacks of its runs go to that
 * execution, so they cannot resume this one.
 *
 * @throws ServiceError, ConnectionError or CanceledError where the service does not tell how its runs stand
 */
export async function takeUp(
	context: IExecuteFunctions,
	runs: Runs,
	old: Ledger,
	fresh: Ledger,
): Promise<Ledger> {
	const { firstStartAt: since = fresh.firstStartAt, lastStartAt, isCanceled } = old;
	const statuses = await runs.readStatuses(startedTaskIds(old), { since, isFinal: true });
	const entries = entriesTakenUp(old, fresh.entries, statuses);
	const kept = entries.filter(isStarted).length;
	const changed = entries.filter((entry, item) => isCorrected(entry, old.entries[item])).length;
	const hint = `${kept} items go on with the runs of the execution that is retried. ${changed} were begun anew, because their input has changed.`;
	if (changed > 0 && isCanceled !== true) giveHint(context, hint);
	const keepsMethod = kept === 0 || fresh.waitMethod !== 'callback';
	const waitMethod = keepsMethod ? fresh.waitMethod : 'noCallbacks';
	return { ...fresh, waitMethod, firstStartAt: since, lastStartAt, isCanceled, entries };
}

function isCorrected({ inputKey }: Entry, before: Entry | undefined): boolean {
	return before !== undefined && before.inputKey !== inputKey;
}

/**
 * What a retry goes on with, for each item:
 * - Where a person had canceled all, nothing is started.
 * - An item begins anew if its input was changed, or its run failed, was canceled or does not exist any more.
 * - A start of which nobody knows whether it has begun a run is not sent again.
 * - Any other item keeps its run.
 *
 * @param fresh the items as they are now
 * @param statuses of the runs that were started before
 */
function entriesTakenUp(
	earlier: Ledger,
	fresh: readonly Entry[],
	statuses: ReadonlyMap<string, StatusAnswer>,
): Entry[] {
	const { entries, isCanceled } = earlier;
	// One that was stored awake, as n8n stopped it, says itself what was being sent.
	const { waveEnd = 0 } = isSuspended(earlier) ? earlier : {};
	return fresh.map((entry, item): Entry => {
		const before = entries[item];
		if (before === undefined) return entry;
		const { inputKey, refusal, taskId = '' } = before;
		const status = statuses.get(taskId);
		const isKnown = typeof status === 'string';
		const isChanged = isCorrected(entry, before);
		if (isCanceled === true) {
			// The result of another input is of no use: its start is refused, as all are. A run that goes on is still canceled.
			if (isChanged && isKnown && isTerminal(status)) return entry;
			return isKnown && isStarted(before) ? { ...before, status } : before;
		}
		if (isChanged) return entry;
		if (isStartPending(before) && (before.isBeingSent === true || item < waveEnd)) {
			return { inputKey, refusal: uncertainRefusal('n8n stopped during the start') };
		}
		if (refusal?.isUncertain === true && !isKnown) return before;
		if (status instanceof ServiceError && !hasCode(status, RUN_NOT_FOUND)) return before;
		if (!isKnown || isUnsuccessful(status) || !isStarted(before)) return entry;
		const run: Writable<StartedEntry> = { ...before, status };
		// It may be canceled again for its age. A cancel at the other execution's wait limit does not count here.
		for (const name of ['refusal', 'cancelReason', 'cancelSentAt'] as const) delete run[name];
		return run;
	});
}
