import type { IContextObject } from 'n8n-workflow';

import { HelpfulError, messageOf, ServiceError } from '../../../service/errors';
import { partOf } from '../../../service/json/json';
import {
	isTerminal,
	isUnsuccessful,
	type RunApiName,
	type RunStatus,
	type StatusAnswer,
} from '../../../service/runs/runs';
import { nameList } from '../../../service/schema/wording';
import type { StoredRequest, WaitSettings } from '../../preparation';

/** How the node waits. `callback`: suspended, and the service calls back. `noCallbacks`: suspended, and not all of its runs call back. `inPlace`: awake, polling. `none`: not at all. */
export type WaitMethod = 'callback' | 'noCallbacks' | 'inPlace' | 'none';

/**
 * Why a pass cancels runs: a person has pressed _Cancel all runs_, a start failed, the wait limit was reached, or one had gone on for
 * too long. What the page cancels alone, or a stop, has no reason.
 */
export type CancelReason = 'person' | 'failedStart' | 'limit' | 'age';

/**
 * The state of one item: its start is still to be sent or is being sent (`request`), its run was started (`taskId`), or it has
 * none (`refusal`). A refusal beside a `taskId` says why that run cannot be read. Moments in milliseconds since 1970.
 */
export interface Entry {
	/** Which input the run belongs to, as a digest. For a run that the user has named, its ID. */
	readonly inputKey?: string | undefined;
	/** The start that is still to be sent. */
	readonly request?: StoredRequest;
	/** The start is on its way: n8n may store the ledger at that moment, when it stops the execution. */
	readonly isBeingSent?: true;
	/** The run: started for this item, or reused. */
	readonly taskId?: string;
	/** The last known status of a started run. */
	readonly status?: RunStatus;
	/** The browser profile that a V2 task keeps its data in, if the answer to its start named it. */
	readonly profileId?: string;
	/** When the run was started. */
	readonly startedAt?: number;
	/** The run was not started for this item, but found: an earlier one of the same input. */
	readonly isReused?: true;
	/** Why the node canceled the run, once the service has accepted that. */
	readonly cancelReason?: CancelReason;
	/** When the node last sent a cancel request. */
	readonly cancelSentAt?: number;
	/** Why this item has no run, or why its run cannot be read. */
	readonly refusal?: Refusal;
}

/** An item whose run was started. */
export type StartedEntry = Entry & { readonly taskId: string };

/**
 * Why an item has no run, or why its run cannot be read, as it is stored. This execution sends no such start again. One that the service
 * has only _turned away_ (start.ts) has no refusal where it is to wait for a slot: it stays pending.
 */
export interface Refusal {
	message: string;
	advice: string;
	facts: ServiceError['facts'];
	/** Whether a run may have been started all the same. */
	isUncertain?: true;
}

/** The part of an error that is stored. */
export function toRefusal(error: unknown): Refusal {
	return {
		message: messageOf(error),
		advice: error instanceof HelpfulError ? error.advice : '',
		facts: error instanceof ServiceError ? error.facts : {},
	};
}

/** A suspension of an execution, as the ledger stores it. What a process knows of it is a `Suspension` (suspension.ts). */
export interface StoredSuspension {
	/** Random, so that no two suspensions are taken for each other. */
	id: string;
	/** When the process suspended it, in milliseconds since 1970. */
	suspendedAt: number;
	/** Where n8n resumes it. */
	resumeUrl: string;
	/** When n8n's wait timer resumes the execution, in milliseconds since 1970. */
	timerAt: number;
	/** Whether the pass that suspended it was resumed, and left as many starts pending and runs awaited as it found. */
	wasResumedInVain: boolean;
}

/** The last requests to the service, shown to people. Moments in milliseconds since 1970. */
export interface Activity {
	/** When the service last told of the runs. */
	polledAt?: number;
	/** When a request to the service last failed. */
	requestFailedAt?: number;
	/** Why it failed, without the node's secrets. */
	requestError?: string;
}

/** `waveEnd` before the next wave is stored: no item's index is below it, so no start is due. */
export const UNSTORED = 0;

/** The version of the stored form. Every version must keep `runIndex` and `entries[].taskId`: `keptLedger` reads them. */
export const LEDGER_VERSION = 2;

/**
 * What was started and how it is waited for. Only records.ts changes it. It is kept with the execution, so that a retry, a
 * restart of n8n or a resume finds the runs again instead of starting them twice. Moments are in
 * milliseconds since 1970.
 */
export interface Ledger {
	readonly version: typeof LEDGER_VERSION;
	/** Which execution wrote this. */
	readonly executionId: string;
	/** In which round of a loop (n8n's `runIndex`). */
	readonly runIndex: number;
	/** How often the execution was resumed to go on with this. Of two copies, the one with more is newer. */
	readonly resumes: number;
	/** Opens the status page. */
	readonly statusPageKey: string;
	/** What the tokens of callbacks are made of (secret.ts). */
	readonly callbackKey: string;
	readonly waitMethod: WaitMethod;
	readonly api: RunApiName;
	readonly settings: WaitSettings;
	/** A moment before the first start: the list of runs is read from it. Missing if the runs were started elsewhere. Reused ones may be older. */
	readonly startsSince?: number | undefined;
	/** When a start was last sent. */
	readonly lastStartAt?: number | undefined;
	/** When waiting began. */
	readonly begunAt: number;
	/** The wait limit, or when n8n must have an answer, if that is earlier. */
	readonly deadline: number;
	/** When all awaited runs' statuses were last true; missing after what makes them doubtful: a suspension, a cancel, a reused run. */
	readonly statusesAt?: number;
	/** Since when starts wait: for a free slot of the plan, or as the service has asked to slow down. Missing while none does. */
	readonly queuedAt?: number;
	/** Until when no starts are to be sent, as the service has asked to slow down, and how often it has since it last turned a start away for want of a slot. */
	readonly slowed?: { readonly until: number; readonly times: number } | undefined;
	/** Whether a person had all runs canceled: nothing more is started, not by Retry either. */
	readonly isCanceled?: true | undefined;
	/**
	 * Undefined: starts are not sent in waves.
	 * `UNSTORED`: the next wave is to be stored first.
	 * Else a wave is stored: the starts of the items before this index may be sent.
	 */
	readonly waveEnd?: number | undefined;
	/** When the workflow's time limit ends the execution. */
	readonly executionEndsAt?: number | undefined;
	/** Kept until `recordAwake`, when the execution was resumed. */
	readonly suspension?: StoredSuspension;
	/**
	 * Whether n8n's wait timer could be put off (schedule.ts: `timerPutOff`) in the last suspension that expected callbacks. In the
	 * next such one it is not: n8n takes no callbacks while the execution is awake, so one may have been lost (suspend.ts).
	 */
	readonly wasTimerPutOff?: boolean | undefined;
	/** The last requests to the service. During a suspension, the `Suspension` has more recent ones. */
	readonly activity: Readonly<Activity>;
	/** Input fields that the bot's schema does not name. */
	readonly unknownFields?: string[];
	/** By item index. */
	readonly entries: readonly Entry[];
}

/** The ledger of a suspended execution. */
export type SuspendedLedger = Ledger & { readonly suspension: StoredSuspension };

/** Whether the execution was suspended when n8n stored this ledger. */
export function hasSuspension(ledger: Ledger | undefined): ledger is SuspendedLedger {
	return ledger?.suspension !== undefined;
}

const LEDGER_KEY = 'browserAutomationRuns';

/** Whether what n8n has stored is a ledger of this version, whose form ledgerForm.test.ts pins. Only `keepLedger` stores it. */
function isLedger(value: object): value is Ledger {
	return partOf(value, 'version') === LEDGER_VERSION && Array.isArray(partOf(value, 'entries'));
}

/**
 * The ledger that the node has kept with the execution; undefined without one, or if it is of another round than `runIndex`.
 *
 * @throws HelpfulError where another version of the package wrote it, so that nothing is started again
 */
export function keptLedger(context: IContextObject, runIndex?: number): Ledger | undefined {
	const found: unknown = context[LEDGER_KEY];
	if (typeof found !== 'object' || found === null) return undefined;
	const isOtherRound = runIndex !== undefined && 'runIndex' in found && found.runIndex !== runIndex;
	if (isOtherRound) return undefined;
	if (isLedger(found)) return found;
	const taskIds = JSON.stringify(found).match(/(?<="taskId":")[^"]+/g) ?? [];
	throw new HelpfulError(
		`Another version of this package began this execution, and its notes cannot be read here. Its runs: ${nameList(taskIds) || 'none known'}`,
		'Nothing was started again. Install that version or a later one, then retry the execution: it goes on with these runs. Or read them with Get.',
		undefined,
		{ task_ids: taskIds },
	);
}

/** Keeps a ledger with the execution. From then on its changes are kept too. */
export function keepLedger(context: IContextObject, ledger: Ledger): void {
	context[LEDGER_KEY] = ledger;
}

/** Whether an item's run was started. */
export function isStarted(entry: Entry): entry is StartedEntry {
	return entry.taskId !== undefined;
}

/** The IDs of runs. */
export function idsOf(runs: StartedEntry[]): string[] {
	return runs.map(({ taskId }) => taskId);
}

/** The IDs of all runs that were started. */
export function startedTaskIds({ entries }: Ledger): string[] {
	return idsOf(entries.filter(isStarted));
}

/** Whether an item's start is still to be sent, or is being sent. */
export function isStartPending(entry: Entry): boolean {
	return entry.request !== undefined;
}

/** The entries whose start is still to be sent, or is being sent. */
export function pendingStarts({ entries }: Ledger): Entry[] {
	return entries.filter(isStartPending);
}

/** How many starts are pending, and runs awaited. */
export function countsOf(ledger: Ledger): { pending: number; awaited: number } {
	return { pending: pendingStarts(ledger).length, awaited: awaitedRuns(ledger).length };
}

/** Whether a run is over after this answer: it has ended, or cannot be read. */
export function isOver(answer: StatusAnswer | undefined): boolean {
	return answer !== undefined && (typeof answer !== 'string' || isTerminal(answer));
}

/** Whether a run need not be waited for any more after this answer: it is over, or paused where a pause is enough. */
export function endsWaiting(answer: StatusAnswer | undefined, isPauseEnough: boolean): boolean {
	return isOver(answer) || (isPauseEnough && answer === 'paused');
}

/** Whether an item is waited for: its start is pending, or its run is _awaited_: it goes on, as far as is known. */
export function isWaitedFor({ settings }: Ledger, { refusal, status }: Entry): boolean {
	return refusal === undefined && !endsWaiting(status, settings.isPauseEnough);
}

/** Whether no item is waited for any more. */
export function isComplete(ledger: Ledger): boolean {
	return !ledger.entries.some((entry) => isWaitedFor(ledger, entry));
}

/** The started runs that are still waited for. */
export function awaitedRuns(ledger: Ledger): StartedEntry[] {
	return ledger.entries.filter(isStarted).filter((entry) => isWaitedFor(ledger, entry));
}

/** The runs that have not ended, as far as is known, and can be read. Paused ones, too. They may be canceled. */
export function openRuns({ entries }: Ledger): StartedEntry[] {
	return entries
		.filter(isStarted)
		.filter(({ status = 'unknown', refusal }) => refusal === undefined && !isTerminal(status));
}

/** How far a batch is, e.g. `37 of 50 runs ended, 2 failed`. A refusal and a canceled run count as failed. */
export function progressOf({ entries }: Ledger): string {
	const has = ({ status, refusal }: Entry, is: (status: RunStatus) => boolean): boolean =>
		refusal !== undefined || (status !== undefined && is(status));
	const ended = entries.filter((entry) => has(entry, isTerminal)).length;
	const failed = entries.filter((entry) => has(entry, isUnsuccessful)).length;
	return `${ended} of ${entries.length} runs ended${failed === 0 ? '' : `, ${failed} failed`}`;
}

/** Whether the run was not found by _Reuse Results For_, but started here or named by the user. The node cancels only these, unless a person wants all canceled. */
export function isNotReused({ isReused }: Entry): boolean {
	return isReused !== true;
}
