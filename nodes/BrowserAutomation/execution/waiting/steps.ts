import { attempt } from '../../service/attempt';
import { mapConcurrently } from '../../service/concurrency';
import { CanceledError } from '../../service/errors';
import { isAccessRefusal, isOfGateway, isTransient } from '../../service/http/retry';
import { toRunStatus, type Runs, type StatusAnswer } from '../../service/runs/runs';
import { cancelSignalOf, pause } from '../../transport/cancellation';
import { failureText } from '../failures';
import type { Pass } from './batch/pass';
import { endsWaiting, openRuns, isComplete, awaitedRuns, idsOf, toRefusal } from './batch/ledger';
import {
	recordActivity,
	recordCancels,
	recordStatusesAt,
	recordStatuses,
	recordStartsRefused,
} from './batch/records';
import { CANCELED_ON_PAGE } from './batch/runErrors';
import { startRuns } from './batch/start';
import { dueItems } from './batch/waves';
import { nextStep, type Abilities, type StepTo } from './nextStep';

/**
 * Carries out one step after the other (nextStep.ts), and writes what came of each into the ledger.
 *
 * @param abilitiesOf tells what is possible at that moment
 * @returns the last one: the execution is to be suspended, the results are to be passed on, or the node fails
 * @throws ServiceError, ConnectionError or CanceledError
 */
export async function carryOut(
	pass: Pass,
	abilitiesOf: (pass: Pass) => Promise<Abilities>,
): Promise<StepTo<'suspend' | 'collect' | 'fail'>> {
	const { awake, context, ledger } = pass;
	for (;;) {
		const step = nextStep(ledger, await abilitiesOf(pass), awake, Date.now());
		switch (step.do) {
			case 'start':
				await start(pass, step);
				break;
			case 'poll':
				await poll(pass, step);
				break;
			case 'cancel':
				await cancel(pass, step);
				break;
			case 'delay':
				await pause(step.until - Date.now(), cancelSignalOf(context));
				break;
			default:
				return step;
		}
	}
}

async function start(pass: Pass, { items, oneByOne }: StepTo<'start'>): Promise<void> {
	const { awake, slots, ledger, uninterrupted } = pass;
	// If no run is awaited yet, all statuses are known: each start's answer gives its run's.
	if (awaitedRuns(ledger).length === 0) recordStatusesAt(ledger, Date.now());
	const failure = await startRuns(pass, items, oneByOne ? 1 : uninterrupted.concurrency);
	awake.startsSentAt = Date.now();
	if (failure !== undefined) awake.startFailure = { ...failure, at: Date.now() };
	else if (ledger.queuedAt === undefined || !pass.canWatch) slots.dequeue();
	else slots.enqueue(dueItems(ledger).length);
}

async function cancel(pass: Pass, { taskIds, why }: StepTo<'cancel'>): Promise<void> {
	const { awake, ledger } = pass;
	if (why === 'person') recordStartsRefused(ledger, CANCELED_ON_PAGE);
	if (why === 'failedStart') recordStartsRefused(ledger, toRefusal(awake.startFailure?.error));
	const accepted = await cancelRuns(pass.runs, taskIds);
	recordCancels(ledger, taskIds, accepted, why, Date.now());
	// What was canceled is polled next.
	delete awake.pollTriedAt;
}

/** Within which time a request to cancel a run is sent and repeated: a pause of a minute fits in, which services like to ask for. */
const CANCELED_WITHIN_MS = 65_000;

/** Asks the service to cancel runs. @returns those for which it accepted the request; a run that has ended counts, too */
export async function cancelRuns(runs: Runs, taskIds: string[]): Promise<ReadonlySet<string>> {
	const accepted = await mapConcurrently(taskIds, runs.concurrency, async (taskId) => {
		const sent = await attempt(runs.endingBy(Date.now() + CANCELED_WITHIN_MS).cancel(taskId));
		return sent.ok ? [taskId] : [];
	});
	return new Set(accepted.flat());
}

/**
 * Polls runs. While the service cannot be reached, the last known statuses stay. An execution that was resumed tolerates other errors,
 * too, unless its key is refused; one that has polled before tolerates those of a gateway.
 */
async function poll(pass: Pass, { taskIds, until }: StepTo<'poll'>): Promise<void> {
	const { context, awake, isResumed, slots, ledger } = pass;
	const runs = pass.runs.endingBy(until);
	const isAwaiting = awaitedRuns(ledger).length > 0;
	const open = idsOf(openRuns(ledger));
	const askedAt = Date.now();
	const mayReadWhole = isResumed && awake.pollTriedAt === undefined;
	// The first poll of runs that were started elsewhere tells whether they exist. One that was seen before is not gone at once.
	const isFinal = ledger.startsSince === undefined && ledger.activity.polledAt === undefined;
	const read = await attempt(async () => {
		if (mayReadWhole && (await readOnlyRun(pass, runs, taskIds))) return;
		const { startsSince: since } = ledger;
		const onAnswers = (answers: ReadonlyMap<string, StatusAnswer>) =>
			recordStatuses(ledger, answers);
		await runs.readStatuses(taskIds, { since, isFinal, onAnswers });
	});
	awake.pollTriedAt = Date.now();
	awake.random = Math.random();
	const left = new Set(idsOf(openRuns(ledger)));
	slots.noteEnds(open.filter((taskId) => !left.has(taskId)));
	if (read.ok) return recordStatusesAt(ledger, askedAt, Date.now());
	if (read.error instanceof CanceledError) throw read.error;
	const requestError = failureText(context.getNode(), read.error);
	recordActivity(ledger, { requestFailedAt: Date.now(), requestError });
	const wasPolled = ledger.activity.polledAt !== undefined;
	const isTolerable =
		isTransient(read.error) ||
		(!isAccessRefusal(read.error) && (isResumed || (wasPolled && isOfGateway(read.error))));
	// If no run is awaited, paused ones were polled once more, and their last known statuses are enough.
	if (!isTolerable && isAwaiting) throw read.error;
}

/**
 * Reads the only run that is polled in full: most likely it has ended, and the result is needed next.
 *
 * @returns whether it need not be waited for any more. Else its status is polled, as details may lag behind
 */
async function readOnlyRun(pass: Pass, runs: Runs, taskIds: string[]): Promise<boolean> {
	const { ledger } = pass;
	const [taskId, ...others] = taskIds;
	if (taskId === undefined || others.length > 0) return false;
	const read = await attempt(runs.read(taskId));
	if (!read.ok) return false;
	const status = toRunStatus(read.value.status);
	if (!endsWaiting(status, ledger.settings.isPauseEnough)) return false;
	recordStatuses(ledger, new Map([[taskId, status]]));
	if (isComplete(ledger)) pass.lastRead = { taskId, run: read.value };
	return true;
}
