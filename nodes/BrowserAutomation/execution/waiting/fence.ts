import type { IExecuteFunctions } from 'n8n-workflow';

import { HelpfulError } from '../../service/errors';
import { memoryOf } from '../../service/processMemory';
import { Semaphore } from '../../transport/semaphore';
import { roundKeyOf } from '../host';
import { isFirstToRecord } from '../sharedRecord';
import { isProduction } from '../workflow';
import { pendingStarts, type Ledger } from './batch/ledger';
import { recordCanceled, recordStartsRefused } from './batch/records';
import { uncertainRefusal } from './batch/runErrors';
import { wasResumed } from './platform';
import { newSecret } from './secret';
import { onlyThisProcessResumes } from './suspension/suspensions';

/*
 * The fence: nobody goes on twice from the same point (a heading of docs/develop/waiting.md). n8n resumes an execution with what
 * it has read of it before, however long ago (n8n active-executions.js: between reading and resuming, `add` waits for a place
 * within N8N_CONCURRENCY_PRODUCTION_LIMIT). So the node may be executed with a ledger from before its last starts, or with none.
 * Between processes the fence is as sure as what n8n records (sharedRecord.ts).
 */

/** What this process knows of a round of a node in an execution. */
interface Round {
	/** Has passes wait for each other: n8n before 2.14 may resume an execution that is awake. */
	readonly turn: Semaphore;
	ledger?: Ledger;
}

const rounds = memoryOf<Round>('rounds');

const REMEMBERED_FOR_MS = 86_400_000;

/** The present round of a node, kept until a day after the wait limit of its newest ledger. @param newest the ledger that is about to be remembered */
function roundOf(context: IExecuteFunctions, newest?: Ledger): Round {
	const make = (): Round => ({ turn: new Semaphore(1) });
	const key = roundKeyOf(context);
	if (key === undefined) return make();
	const { deadline = 0 } = newest ?? rounds.get(key)?.ledger ?? {};
	return rounds.getOrMake(key, make, Math.max(Date.now(), deadline) + REMEMBERED_FOR_MS);
}

/** Does the work of this round of the node, once no other pass of it is at work here. */
export async function inRound<T>(context: IExecuteFunctions, work: () => Promise<T>): Promise<T> {
	return await roundOf(context).turn.inTurn(work);
}

/** From now on this is the newest ledger of this round, with all later changes: it is no copy. */
export function rememberLedger(context: IExecuteFunctions, ledger: Ledger): void {
	roundOf(context, ledger).ledger = ledger;
}

/** The newest ledger of this round: the remembered one, where n8n has handed over an older one or that of a retried execution. */
export function newestLedger(
	context: IExecuteFunctions,
	kept: Ledger | undefined,
): Ledger | undefined {
	const { ledger: remembered } = roundOf(context);
	if (remembered === undefined) return kept;
	const isSameExecution = kept?.executionId === remembered.executionId;
	if (isSameExecution && kept.resumes >= remembered.resumes) return kept;
	// A person has pressed the button on the page of a stale snapshot (staleWrites.ts).
	if (isSameExecution && kept.isCanceled === true) recordCanceled(remembered);
	return remembered;
}

/**
 * Takes the one permission to go on from a point: a suspension, or else the beginning of the round. n8n's database remembers it.
 *
 * @throws HelpfulError where somebody has taken it. The pending starts are uncertain then, so that no retry sends them
 */
export async function passFence(context: IExecuteFunctions, ledger: Ledger): Promise<void> {
	const { suspension } = ledger;
	if (onlyThisProcessResumes(isProduction(context))) return;
	const point = suspension?.id ?? roundKeyOf(context);
	// Undefined where n8n does not tell.
	const wasExecutionResumed = wasResumed(context);
	const isUnresumed = suspension === undefined && wasExecutionResumed === false;
	const startsNothing = pendingStarts(ledger).length === 0;
	// One that only reads is checked, too, if it goes on from a suspension: later nodes would be executed twice. Not where n8n does not
	// tell whether it was resumed: it may be the job of a worker that died, which is rightly executed again.
	const isHarmlessTwice =
		startsNothing && (suspension === undefined || wasExecutionResumed === undefined);
	if (point === undefined || isUnresumed || isHarmlessTwice) return;
	const ownPass = `${point} ${newSecret()}`;
	if (await isFirstToRecord(context, point, ownPass)) return;
	const message = 'n8n resumed this execution from an old state of it';
	recordStartsRefused(ledger, uncertainRefusal(message));
	throw new HelpfulError(
		`${message}. Nothing was started again`,
		'What was started in the meantime is not named here: n8n’s log has the IDs of all runs that were started (at log level info), and Run > Get Many lists them.',
	);
}
