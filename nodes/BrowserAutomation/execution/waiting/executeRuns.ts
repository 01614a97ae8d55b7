import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { attempt } from '../../service/attempt';
import type { ServiceClient } from '../../service/client';
import { CanceledError } from '../../service/errors';
import { isPassing } from '../../service/retry';
import { cancelRun, readStatuses } from '../../service/runs';
import { forEachConcurrently } from '../concurrency';
import { cancelSignalOf, connect, connectAfterStop, pause } from '../request';
import type { RunBehaviour } from './behaviour';
import { openLedger } from './open';
import { batchError, collectOutcomes, type Collecting } from './outcomes';
import { park } from './park';
import { resumeUrlOf } from './platform';
import { pollPause } from './poll';
import { isAllSettled, note, openRuns, unstarted } from './progress';
import { lookOnceMore } from './secondLook';
import { startRuns } from './start';

/**
 * Starts a run for each item (or takes up existing ones), waits for all of them as the user chose,
 * and returns their results. It can be carried out again at any time, as n8n does after a wake-up
 * and on a retry: what was started is found in the ledger and never started again.
 *
 * @returns the results; while the execution sleeps, what passes on at the limit
 * @throws NodeOperationError naming every run that was started
 */
export async function executeRuns(
	context: IExecuteFunctions,
	behaviour: RunBehaviour,
): Promise<INodeExecutionData[]> {
	const client = await connect(context);
	const ledger = await openLedger(context, client, behaviour);
	const collecting: Collecting = { context, client, face: behaviour.face, ledger };
	const wait = await attempt(async () => await waitFor(collecting));
	if (wait.ok) return wait.value;
	const stopped = wait.error instanceof CanceledError;
	if (stopped && ledger.settings.cancelOnStop && ledger.way === 'poll') {
		await cancelOpenRuns(await connectAfterStop(context), collecting);
	}
	throw batchError(context, wait.error, 0, ledger);
}

async function waitFor(collecting: Collecting): Promise<INodeExecutionData[]> {
	const { context, client, face, ledger } = collecting;
	const signal = cancelSignalOf(context);
	const resumeUrl = ledger.way === 'sleep' ? resumeUrlOf(context) : undefined;
	for (let asked = 0; ; asked++) {
		await startAll(collecting, resumeUrl);
		if (ledger.way === 'none' && unstarted(ledger).length === 0) break;
		if (isAllSettled(ledger)) break;
		if (asked > 0 || ledger.way === 'sleep') await refresh(collecting);
		if (isAllSettled(ledger)) break;
		if (Date.now() >= ledger.deadline) {
			if (ledger.settings.cancelAtLimit) await cancelOpenRuns(client, collecting);
			break;
		}
		if (resumeUrl !== undefined && openRuns(ledger).length > 0) {
			const records = await park(context, ledger, resumeUrl);
			void lookOnceMore(collecting, resumeUrl);
			return records;
		}
		const left = Math.max(0, ledger.deadline - Date.now());
		await pause(Math.min(pollPause(asked, Math.random()), left), signal);
	}
	return await collectOutcomes({ context, client, face, ledger });
}

async function startAll(collecting: Collecting, resumeUrl: string | undefined): Promise<void> {
	const { context, client, face, ledger } = collecting;
	const line = { client, face, ledger, resumeUrl, goesOn: context.continueOnFail() };
	const start = await attempt(async () => await startRuns(line));
	if (start.ok) return;
	if (ledger.settings.cancelOnFailedStart) await cancelOpenRuns(client, collecting);
	throw start.error;
}

/** Asks for the statuses of the open runs. While the service cannot be asked, nothing is known anew. */
async function refresh({ client, face, ledger }: Collecting): Promise<void> {
	const taskIds = openRuns(ledger).map(({ taskId }) => taskId);
	const read = await attempt(async () => await readStatuses(client, face, taskIds));
	if (read.ok) note(ledger, read.value);
	else if (!isPassing(read.error)) throw read.error;
}

/** Cancels what is still open, as far as the service lets us: the error to be shown matters more. */
async function cancelOpenRuns(client: ServiceClient, { face, ledger }: Collecting): Promise<void> {
	const open = openRuns(ledger);
	await forEachConcurrently(open.length, ledger.settings.concurrency, async (index) => {
		const taskId = open[index]?.taskId;
		if (taskId !== undefined) await cancelRun(client, face, taskId).catch(() => undefined);
	});
}
