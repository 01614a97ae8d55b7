import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { attempt } from '../../service/attempt';
import type { ServiceClient } from '../../service/client';
import { CanceledError } from '../../service/errors';
import { isTransient } from '../../service/retry';
import { cancelRun } from '../../service/runs';
import { forEachConcurrently } from '../concurrency';
import { toNodeError } from '../failures';
import { rememberCredential } from '../../transport/credentialCache';
import {
	connectAfterStop,
	connectWith,
	readApiCredential,
	type ApiCredential,
} from '../../transport/client';
import { cancelSignalOf, pause } from '../../transport/cancellation';
import type { RunBehaviour } from './behaviour';
import { sleeperKey, type Ledger } from './ledger';
import { openLedger } from './open';
import { batchError, collectOutcomes, type Collecting } from './outcomes';
import { park } from './park';
import { resumeUrlOf } from './platform';
import { pollPause } from './poll';
import { isAllSettled, isStarted, openTaskIds, refreshRuns, unstarted } from './progress';
import { lookOnceMore } from './secondLook';
import { startRuns, toRefusal } from './start';

/** How long starting may take before the first runs are looked at again ahead of sleeping, in milliseconds. */
const QUICK_START_MS = 1_000;

/**
 * Starts a run for each item (or takes up existing ones), waits for all of them as the user chose,
 * and returns their results. It can be carried out again at any time, as n8n does after a wake-up
 * and on a retry: what was started is found in the ledger and never started again.
 *
 * @returns the results; while the execution sleeps, the runs' IDs
 * @throws NodeOperationError or NodeApiError; it names every run that was started
 */
export async function executeRuns(
	context: IExecuteFunctions,
	behaviour: RunBehaviour,
): Promise<INodeExecutionData[]> {
	const opened = await attempt(async () => {
		const credential = await readApiCredential(context);
		const client = connectWith(context, credential);
		const { ledger, isFresh } = await openLedger(context, client, behaviour);
		const collecting: Collecting = { context, client, face: behaviour.face, ledger };
		return { collecting, isFresh, credential };
	});
	if (!opened.ok) throw toNodeError(context.getNode(), opened.error, 0);
	const { collecting, isFresh, credential } = opened.value;
	const { ledger } = collecting;
	const wait = await attempt(async () => await waitFor(collecting, isFresh, credential));
	if (wait.ok) return wait.value;
	const stopped = wait.error instanceof CanceledError;
	if (stopped && ledger.settings.cancelOnStop && ledger.way !== 'none') {
		await cancelOpenRuns(await connectAfterStop(context), collecting);
	}
	throw batchError(context, wait.error, 0, ledger);
}

async function waitFor(
	collecting: Collecting,
	isFresh: boolean,
	credential: ApiCredential,
): Promise<INodeExecutionData[]> {
	const { context, client, ledger } = collecting;
	const signal = cancelSignalOf(context);
	const resumeUrl = ledger.way === 'sleep' ? resumeUrlOf(context) : undefined;
	const begun = Date.now();
	for (let asked = 0; ; asked++) {
		await startAll(collecting, resumeUrl);
		if (isOver(ledger)) break;
		const isQuick = isFresh && Date.now() - begun < QUICK_START_MS;
		if (ledger.way !== 'none' && !(isQuick && asked === 0 && areKnown(ledger))) {
			await refresh(collecting);
		}
		if (isOver(ledger)) break;
		if (Date.now() >= ledger.deadline) {
			if (ledger.settings.cancelAtLimit) await cancelOpenRuns(client, collecting);
			break;
		}
		if (resumeUrl !== undefined && openTaskIds(ledger).length > 0) {
			rememberCredential(sleeperKey(ledger), credential, ledger.deadline);
			const shown = await park(context, ledger, resumeUrl);
			void lookOnceMore(collecting, resumeUrl);
			return shown;
		}
		const left = Math.max(0, ledger.deadline - Date.now());
		const next = pollPause(asked, Date.now() - begun, Math.random());
		await pause(Math.min(next, left), signal);
	}
	return await collectOutcomes(collecting);
}

/** Whether there is nothing more to start or to wait for. */
function isOver(ledger: Ledger): boolean {
	if (ledger.way === 'none') return unstarted(ledger).length === 0;
	return isAllSettled(ledger);
}

/** Whether the service has told the status of every run, in its answer to the start. */
function areKnown({ entries }: Ledger): boolean {
	return entries.filter(isStarted).every(({ status }) => status !== undefined);
}

async function startAll(collecting: Collecting, resumeUrl: string | undefined): Promise<void> {
	const { context, client, face, ledger } = collecting;
	const line = { client, face, ledger, resumeUrl, goesOn: context.continueOnFail() };
	const start = await attempt(async () => await startRuns(line));
	if (start.ok) return;
	if (ledger.settings.cancelOnFailedStart) await giveUp(collecting, start.error);
	throw start.error;
}

/** Cancels what was started, and starts nothing more: not on a retry either. */
async function giveUp(collecting: Collecting, reason: unknown): Promise<void> {
	for (const entry of unstarted(collecting.ledger)) {
		delete entry.request;
		entry.refusal = toRefusal(reason);
	}
	await cancelOpenRuns(collecting.client, collecting);
}

/** Asks for the statuses of the open runs. While the service cannot be asked, nothing is known anew. */
async function refresh({ client, ledger }: Collecting): Promise<void> {
	const read = await attempt(async () => await refreshRuns(client, ledger, openTaskIds(ledger)));
	if (!read.ok && !isTransient(read.error)) throw read.error;
}

/** Cancels what is still open, as far as the service lets us: the error to be shown matters more. */
async function cancelOpenRuns(client: ServiceClient, { face, ledger }: Collecting): Promise<void> {
	const open = openTaskIds(ledger);
	await forEachConcurrently(open.length, ledger.settings.concurrency, async (index) => {
		const taskId = open[index];
		if (taskId !== undefined) await cancelRun(client, face, taskId).catch(() => undefined);
	});
}
