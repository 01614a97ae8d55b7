import type { IExecuteFunctions } from 'n8n-workflow';

import { hasCode, ServiceError } from '../../../service/errors';
import { RUN_NOT_FOUND } from '../../../service/http/errorCodes';
import {
	isTerminal,
	isUnsuccessful,
	type Runs,
	type StatusAnswer,
} from '../../../service/runs/runs';
import { nameList } from '../../../service/schema/wording';
import { cancelSignalOf, pause } from '../../../transport/cancellation';
import { sentences } from '../../failures';
import { giveHint } from '../../hints';
import { KNOWN_AFTER_MS } from '../../reuse';
import {
	isStarted,
	idsOf,
	isStartPending,
	hasSuspension,
	startedTaskIds,
	type Entry,
	type Ledger,
	type StartedEntry,
} from './ledger';
import type { Writable } from './records';
import { uncertainRefusal } from './runErrors';

/** How much later a run that the service does not know is asked about once more, before another takes its place. */
const SECOND_LOOK_MS = 10_000;

/**
 * Takes up what the retried execution has started. The callbacks of its runs go to that execution, so they cannot resume this one.
 *
 * @throws ServiceError, ConnectionError or CanceledError where the service does not tell how its runs stand
 */
export async function takeUp(
	context: IExecuteFunctions,
	runs: Runs,
	retried: Ledger,
	fresh: Ledger,
): Promise<Ledger> {
	const { startsSince: since = fresh.startsSince, lastStartAt, isCanceled } = retried;
	const read = async (taskIds: string[]) =>
		await runs.readStatuses(taskIds, { since, isFinal: true });
	const statuses = await read(startedTaskIds(retried));
	const gone = [...statuses.keys()].filter((taskId) => isGone(statuses.get(taskId)));
	if (gone.length > 0) {
		await pause(SECOND_LOOK_MS, cancelSignalOf(context));
		for (const [taskId, status] of await read(gone)) statuses.set(taskId, status);
	}
	const entries = entriesTakenUp(retried, fresh.entries, statuses);
	const kept = entries.filter(isStarted).length;
	const changed = retried.entries.filter((before, item) => isChanged(entries[item], before));
	const left = nameList(idsOf(changed.filter(isStarted)));
	const hint = `${kept} items go on with the runs of the execution that is retried. ${changed.length} were begun anew, because their input has changed.`;
	if (changed.length > 0 && isCanceled !== true)
		giveHint(context, sentences(hint, left && `Their earlier runs: ${left}.`));
	const waitMethod = kept > 0 && fresh.waitMethod === 'callback' ? 'noCallbacks' : fresh.waitMethod;
	return { ...fresh, waitMethod, startsSince: since, lastStartAt, isCanceled, entries };
}

function isGone(status: StatusAnswer | undefined): boolean {
	return hasCode(status, RUN_NOT_FOUND);
}

function isChanged(now: Entry | undefined, before: Entry): boolean {
	return now !== undefined && before.inputKey !== now.inputKey;
}

/**
 * What a retry goes on with, for each item:
 * - Where a person had canceled all, nothing is started.
 * - An item begins anew if its input was changed, or its run failed, was canceled or does not exist any more. One that cannot be
 *   started now is refused then.
 * - A start of which nobody knows whether it has begun a run is not sent again.
 * - Any other item keeps its run. One without a run begins anew.
 */
function entriesTakenUp(
	retried: Ledger,
	fresh: readonly Entry[],
	statuses: ReadonlyMap<string, StatusAnswer>,
): Entry[] {
	const { entries, isCanceled } = retried;
	// A ledger stored awake has `isBeingSent`; a suspended one only `waveEnd`.
	const { waveEnd = 0 } = hasSuspension(retried) ? retried : {};
	return fresh.map((entry, item): Entry => {
		const before = entries[item];
		if (before === undefined) return entry;
		const { inputKey, refusal, startedAt = 0, taskId = '' } = before;
		const status = statuses.get(taskId);
		const isKnown = typeof status === 'string';
		const hasChanged = isChanged(entry, before);
		if (isCanceled === true) {
			// Its input changed and its old run has ended: the new start is refused, as all are. A run that goes on is still canceled.
			if (hasChanged && isKnown && isTerminal(status)) return entry;
			return isKnown && isStarted(before) ? { ...before, status } : before;
		}
		if (hasChanged) return entry;
		if (isStartPending(before) && (before.isBeingSent === true || item < waveEnd)) {
			return { inputKey, refusal: uncertainRefusal('n8n stopped during the start') };
		}
		if (refusal?.isUncertain === true) return before;
		if (status instanceof ServiceError && !isGone(status)) return before;
		// The service may not know yet what was started just now.
		const isOfUse = isKnown ? !isUnsuccessful(status) : Date.now() - startedAt < KNOWN_AFTER_MS;
		if (!isOfUse || !isStarted(before)) return entry;
		const run: Writable<StartedEntry> = isKnown ? { ...before, status } : { ...before };
		// It may be canceled again for its age. A cancel at the other execution's wait limit does not count here.
		for (const name of ['refusal', 'cancelReason', 'cancelSentAt'] as const) delete run[name];
		return run;
	});
}
