import type { INode } from 'n8n-workflow';

import { runApi } from '../../../service/runs/runApi';
import type { StatusAnswer } from '../../../service/runs/statuses';
import { memoryOf } from '../../../service/processMemory';
import { failureText } from '../../failures';
import {
	type Activity,
	endsWaiting,
	hasPaused,
	type Ledger,
	openRuns,
	type StoredSuspension,
	pendingStarts,
} from '../batch/ledger';
import { expectsCallbacks } from '../batch/plan';
import { recordTime } from './runTimes';
import { isTimerDue } from './schedule';

/**
 * What this process knows of suspended executions: one memory for the watcher, for what resumes them and for what
 * people are shown. Moments are in milliseconds since 1970.
 */

/** For how long a suspension is remembered after the wait limit, and once it is over: its handlers end long before. */
const AFTER_LIMIT_MS = 3_600_000;
const AFTER_END_MS = 300_000;

/** A handler that is resuming an execution. */
export interface Resuming {
	/** Whether n8n has answered, with success or not. */
	isAnswered(): boolean;
	/** Whether n8n could not resume the execution. */
	hasFailed(): boolean;
}

/** The ledger of a suspended execution. */
export type SuspendedLedger = Ledger & { suspension: StoredSuspension };

/** How an execution that this process suspends is watched. */
export interface Watch {
	/** Whose watcher reads its runs; undefined where none does. */
	account: string | undefined;
	/** Whether n8n reaches its own address, to be called there. */
	canResume: boolean;
	/** Whether this process suspended it, for a published workflow: other processes execute those of the editor, too. */
	isSuspendedHere: boolean;
	/** Names the node, whose runs take about the same time; undefined where that is not to be learned. */
	nodeKey: string | undefined;
}

function suspensionFrom(ledger: Ledger, stored: StoredSuspension, watch: Partial<Watch>) {
	const { executionId, deadline, firstStartedAt, lastStartedAt, begunAt, activity } = ledger;
	const { resumeWhenPaused } = ledger.settings;
	const { account, canResume = false, isSuspendedHere = false, nodeKey } = watch;
	const now = Date.now();
	const open = openRuns(ledger);
	return {
		executionId,
		suspensionId: stored.id,
		resumeUrl: stored.resumeUrl,
		deadline,
		account,
		canResume,
		isSuspendedHere,
		nodeKey,
		isOver: false,
		expectsCallbacks: expectsCallbacks(ledger, canResume),
		suspendedAt: now,
		/** When n8n was last asked whether it is still suspended. n8n takes a moment to store that. */
		checkedAt: now,
		api: runApi(ledger.api),
		/** When its runs were started; undefined where they were started elsewhere. */
		firstStartedAt,
		/** When the last of them was started, or seen to have ended; or when waiting began. */
		lastChangeAt: lastStartedAt ?? begunAt,
		resumeWhenPaused,
		/** Whether callbacks that all runs have ended are reason enough to resume it. */
		trustsCallbacks: !resumeWhenPaused && !stored.isIdle,
		/** How many starts are still to be sent. */
		startsLeft: pendingStarts(ledger).length,
		/** The runs that it waits for, and what was read of each since. */
		runs: new Map<string, StatusAnswer | undefined>(open.map(({ taskId }) => [taskId, undefined])),
		/** When each of them was started, where this node did that, and when a poll last found that it goes on. */
		timings: new Map<string, { startedAt: number; seenRunningAt?: number }>(
			open.flatMap(({ taskId, startedAt }) =>
				startedAt === undefined ? [] : [[taskId, { startedAt }]],
			),
		),
		/** Runs that have called back. */
		calledBack: new Set<string>(),
		activity: { ...activity },
		/** When its runs are polled next. */
		dueAt: Infinity,
		/** When n8n's wait timer may resume it. */
		timerAt: stored.timerAt,
		/** What the editor shows of it: whether a run was paused when it was suspended. */
		wasPaused: hasPaused(ledger),
		/** Whether this process is calling n8n until it is awake. */
		isCallingN8n: false,
	};
}

/** One suspension of an execution: what is needed to watch and to resume it, and none of its data. */
export interface Suspension extends ReturnType<typeof suspensionFrom> {
	resuming?: Resuming;
}

/** By the ID of the suspension. n8n's wait timer resumes one that is forgotten. */
const suspensions = memoryOf<Suspension>('suspensions');

/** Remembers a suspension. @param watch empty where another process, or this one before a restart, suspended the execution */
export function remember(
	ledger: Ledger,
	stored: StoredSuspension,
	watch: Partial<Watch> = {},
): Suspension {
	const suspension = suspensionFrom(ledger, stored, watch);
	suspensions.set(stored.id, suspension, Math.max(ledger.deadline, Date.now()) + AFTER_LIMIT_MS);
	return suspension;
}

/** A suspension that is remembered. */
export function knownSuspension(id: string): Suspension | undefined {
	return suspensions.get(id);
}

/** The suspension of a ledger that a handler was given. */
export function suspensionOf(ledger: SuspendedLedger): Suspension {
	return suspensions.get(ledger.suspension.id) ?? remember(ledger, ledger.suspension);
}

/** All suspensions whose runs the watcher of an account reads. */
export function suspensionsOf(account: string): Suspension[] {
	return suspensions.values().filter((suspension) => suspension.account === account);
}

/**
 * How many executions that this process suspended are still to be resumed by n8n's wait timer, as far as it knows.
 *
 * @param withCallbacks whether callbacks may resume the one that is suspended now: else only those count that none may resume, either
 */
export function countSuspended(withCallbacks: boolean): number {
	const now = Date.now();
	return suspensions
		.values()
		.filter((one) => one.isSuspendedHere && !one.isOver && one.timerAt > now)
		.filter((one) => withCallbacks || !one.expectsCallbacks).length;
}

/** Whether a handler of this process resumes the execution, or is about to. */
export function isBeingResumed({ resuming }: Suspension): boolean {
	return resuming?.hasFailed() === false;
}

let handlesCallbacks = false;

/**
 * Records that this process handles callbacks, as the one process of n8n's regular mode does: a worker
 * handles none, and the processes that do in queue mode run no executions.
 */
export function recordHandler(): void {
	handlesCallbacks = true;
}

/** Whether no other process resumes or executes it, so that this one knows when the suspension is over. */
export function isOnlyOurs({ isSuspendedHere }: Suspension): boolean {
	return isSuspendedHere && handlesCallbacks;
}

/** The runs of a suspended execution that are still waited for. */
export function openTaskIds({ runs, resumeWhenPaused }: Suspension): string[] {
	const open = [...runs].filter(([, answer]) => !endsWaiting(answer, resumeWhenPaused));
	return open.map(([taskId]) => taskId);
}

/** Records what was read of its runs. @returns those that have ended since */
export function recordAnswers(
	suspension: Suspension,
	answers: ReadonlyMap<string, StatusAnswer>,
): string[] {
	const { runs, calledBack, timings } = suspension;
	const now = Date.now();
	const ended: string[] = [];
	for (const [taskId, before] of runs) {
		const answer = answers.get(taskId);
		if (answer === undefined) continue;
		runs.set(taskId, answer);
		const run = timings.get(taskId);
		const hasEnded = endsWaiting(answer, false);
		if (run !== undefined && !hasEnded) run.seenRunningAt = now;
		if (endsWaiting(before, false) || !hasEnded) continue;
		ended.push(taskId);
		if (!calledBack.has(taskId)) recordTime(suspension, taskId, false);
	}
	suspension.activity.polledAt = now;
	// Where one of them has ended, the others may soon.
	if (ended.length > 0) suspension.lastChangeAt = now;
	return ended;
}

/** How old the editor's count of a batch may get, in milliseconds. */
const SHOWN_FOR_MS = 10_000;

/** Whether the editor shows what is not true any more: it learns of an execution only when that is suspended. */
export function isOutdated({ isSuspendedHere, runs, wasPaused, suspendedAt }: Suspension): boolean {
	const answers = [...runs.values()];
	if (isSuspendedHere || answers.length === 0 || answers.includes(undefined)) return false;
	const isOld = suspendedAt + SHOWN_FOR_MS < Date.now();
	return (
		answers.includes('paused') !== wasPaused ||
		(isOld && answers.some((answer) => endsWaiting(answer, false)))
	);
}

/** Whether nothing is left to wait for. */
export function hasEnded(suspension: Suspension): boolean {
	return suspension.startsLeft === 0 && openTaskIds(suspension).length === 0;
}

/** Records that a run has called back, which proves nothing. @returns whether it is believed: once, where all runs have called */
export function recordCallback(suspension: Suspension, taskId: string): boolean {
	const { calledBack, trustsCallbacks, startsLeft, resumeWhenPaused } = suspension;
	if (!calledBack.has(taskId) && !resumeWhenPaused) recordTime(suspension, taskId, true);
	calledBack.add(taskId);
	return (
		trustsCallbacks && startsLeft === 0 && openTaskIds(suspension).every((id) => calledBack.has(id))
	);
}

/** What this process knows of an execution's suspension, to be read and added to. */
export function activityOf(ledger: Ledger): Activity {
	return isSuspended(ledger) ? suspensionOf(ledger).activity : (ledger.activity ??= {});
}

export function isSuspended(ledger: Ledger): ledger is SuspendedLedger {
	return ledger.suspension !== undefined;
}

/** Records why the service could not be asked, or refused, without the node's secrets. */
export function recordRequestError(activity: Activity, node: INode, error: unknown): void {
	activity.requestFailedAt = Date.now();
	activity.requestError = failureText(node, error);
}

/** Why the last poll failed; undefined where it did not. */
export function lastRequestError(ledger: Ledger): string | undefined {
	const { requestError, requestFailedAt = 0, polledAt = 0 } = activityOf(ledger);
	return requestFailedAt > polledAt ? requestError : undefined;
}

/** An execution that was resumed. */
export interface Resumed {
	/** What this process knew of its suspension: one at most, as a rule. */
	suspensions: Suspension[];
	/** Whether n8n's wait timer may be about to resume it, from this suspension or an earlier one. */
	isTimerNear: boolean;
}

/** Records that an execution is awake. */
export function endSuspensions(executionId: string): Resumed {
	const now = Date.now();
	const known = suspensions.values().filter((suspension) => suspension.executionId === executionId);
	const isTimerNear = known.some(({ timerAt }) => isTimerDue(timerAt, now));
	const present = known.filter(({ isOver }) => !isOver);
	const ended = present.map((suspension) => ({ ...suspension }));
	for (const suspension of present) {
		// Where n8n's wait timer has resumed the execution, its date is over.
		if (!isBeingResumed(suspension) && suspension.timerAt <= now) suspension.timerAt = -Infinity;
		Object.assign(suspension, { isOver: true, account: undefined, runs: new Map() });
		suspensions.set(suspension.suspensionId, suspension, now + AFTER_END_MS);
	}
	return { suspensions: ended, isTimerNear };
}
