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
	type SuspendedLedger,
	pendingStarts,
} from '../batch/ledger';
import { expectsCallbacks } from '../batch/plan';
import { isTimerDue } from './schedule';

/**
 * What this process knows of suspended executions: one memory for the watcher, the handlers that resume them and the status
 * page. Moments are in milliseconds since 1970.
 */

/** How long a suspension is remembered after the wait limit, and after it is over, in milliseconds: its handlers end long before. */
const AFTER_LIMIT_MS = 3_600_000;
const AFTER_END_MS = 300_000;

/** A handler that is resuming an execution. */
export interface Resuming {
	/** Whether n8n has answered, with success or not. */
	isAnswered(): boolean;
	/** Whether n8n could not resume the execution. */
	hasFailed(): boolean;
}

/** How an execution that this process suspends is watched. */
export interface Watch {
	/** The account whose watcher polls its runs; undefined if none does. */
	account?: string | undefined;
	/** Whether this process can have n8n resume it, as n8n reaches its own address. */
	canResume: boolean;
	/** Whether this process suspended it for a published workflow. Those of the editor may be resumed in other processes. */
	isPublished: boolean;
}

function suspensionFrom(ledger: SuspendedLedger, watch: Watch) {
	const { executionId, deadline, firstStartedAt, lastStartedAt, begunAt, activity } = ledger;
	const { id, resumeUrl, timerAt, wasResumedInVain } = ledger.suspension;
	const { resumeWhenPaused } = ledger.settings;
	const now = Date.now();
	return {
		...watch,
		executionId,
		id,
		resumeUrl,
		deadline,
		isOver: false,
		expectsCallbacks: expectsCallbacks(ledger, watch.canResume),
		suspendedAt: now,
		api: runApi(ledger.api),
		/** When the first of its runs was started; undefined if they were started elsewhere. */
		firstStartedAt,
		/** When the last of its runs was started or seen to have ended; else when waiting began. */
		changedAt: lastStartedAt ?? begunAt,
		resumeWhenPaused,
		/** Whether it is resumed as soon as all runs have called back, without polling them first. */
		trustsCallbacks: !resumeWhenPaused && !wasResumedInVain,
		/** How many starts are still to be sent. */
		startsLeft: pendingStarts(ledger).length,
		/** The runs that it waits for, by ID, and the last answer about each since it was suspended. */
		runs: new Map<string, StatusAnswer | undefined>(
			openRuns(ledger).map(({ taskId }) => [taskId, undefined]),
		),
		/** Runs that have called back. */
		calledBack: new Set<string>(),
		activity: { ...activity },
		/** When its runs are polled next. */
		dueAt: Infinity,
		/** When n8n's wait timer resumes it; -Infinity after it has. */
		timerAt,
		/** Whether a run was paused when it was suspended, as the editor goes on showing. */
		wasPaused: hasPaused(ledger),
		/** Whether this process is calling n8n to resume it. */
		isCallingN8n: false,
		/** How many handlers have claimed the execution. */
		claims: 0,
	};
}

/** What a process knows of a suspension of an execution: what it takes to watch and to resume it, and none of its data. */
export interface Suspension extends ReturnType<typeof suspensionFrom> {
	resuming?: Resuming;
}

/** By the ID of the suspension. If one is forgotten, n8n's wait timer resumes the execution. */
const suspensions = memoryOf<Suspension>('suspensions');

/** How a suspension is watched that another process began, or this one before a restart: not at all. */
const UNWATCHED = { account: undefined, canResume: false, isPublished: false };

/** Remembers a suspension. */
export function remember(ledger: SuspendedLedger, watch: Watch = UNWATCHED): Suspension {
	const suspension = suspensionFrom(ledger, watch);
	const until = Math.max(ledger.deadline, Date.now()) + AFTER_LIMIT_MS;
	suspensions.set(suspension.id, suspension, until);
	return suspension;
}

/** A suspension that is remembered. */
export function knownSuspension(id: string): Suspension | undefined {
	return suspensions.get(id);
}

/** The suspension of a ledger that a handler was given. */
export function suspensionOf(ledger: SuspendedLedger): Suspension {
	return suspensions.get(ledger.suspension.id) ?? remember(ledger);
}

/** All suspensions whose runs the watcher of an account polls. */
export function suspensionsOf(account: string): Suspension[] {
	return suspensions.values().filter((suspension) => suspension.account === account);
}

/**
 * How many executions that this process suspended are still to be resumed by n8n's wait timer, as far as it knows.
 *
 * @param withCallbacks whether to count those, too, that callbacks may resume
 */
export function countSuspended(withCallbacks: boolean): number {
	const now = Date.now();
	return suspensions
		.values()
		.filter((one) => one.isPublished && !one.isOver && one.timerAt > now)
		.filter((one) => withCallbacks || !one.expectsCallbacks).length;
}

/** Whether a handler of this process resumes the execution, or is about to. */
export function isBeingResumed({ resuming }: Suspension): boolean {
	return resuming?.hasFailed() === false;
}

let handlesCallbacks = false;

/**
 * Records that this process handles callbacks. If it executes workflows as well, it is the only process of an n8n in
 * regular mode: in queue mode, workers handle no callbacks, and those who do execute nothing.
 */
export function recordHandler(): void {
	handlesCallbacks = true;
}

/** Whether only this process executes and resumes it, so that it knows when the suspension is over. */
export function isOnlyOurs({ isPublished }: Pick<Suspension, 'isPublished'>): boolean {
	return isPublished && handlesCallbacks;
}

/** The IDs of the runs that a suspended execution still waits for. */
export function openTaskIds({ runs, resumeWhenPaused }: Suspension): string[] {
	const open = [...runs].filter(([, answer]) => !endsWaiting(answer, resumeWhenPaused));
	return open.map(([taskId]) => taskId);
}

/** Records what was read of its runs. @returns the IDs of those that were found to have ended */
export function recordAnswers(
	suspension: Suspension,
	answers: ReadonlyMap<string, StatusAnswer>,
): string[] {
	const { runs } = suspension;
	const now = Date.now();
	const ended: string[] = [];
	for (const [taskId, before] of runs) {
		const answer = answers.get(taskId);
		if (answer === undefined) continue;
		suspension.activity.polledAt = now;
		runs.set(taskId, answer);
		if (endsWaiting(answer, false) && !endsWaiting(before, false)) ended.push(taskId);
	}
	// Where one of them has ended, the others may soon.
	if (ended.length > 0) suspension.changedAt = now;
	return ended;
}

/** How old the count of ended runs that the editor shows may get, in milliseconds. */
const SHOWN_FOR_MS = 10_000;

/** Whether the editor shows an outdated state of the runs. n8n sends it a new one only when the execution is suspended again. */
export function isViewOutdated({ isPublished, runs, wasPaused, suspendedAt }: Suspension): boolean {
	const answers = [...runs.values()];
	if (isPublished || answers.length === 0 || answers.includes(undefined)) return false;
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

/** Records that a run has called back. @returns whether to resume the execution without polling: all of its runs have called back, and the last resume was not in vain */
export function recordCallback(suspension: Suspension, taskId: string): boolean {
	const { calledBack, trustsCallbacks, startsLeft } = suspension;
	calledBack.add(taskId);
	const haveAllCalled = openTaskIds(suspension).every((open) => calledBack.has(open));
	return trustsCallbacks && startsLeft === 0 && haveAllCalled;
}

/** The record of polls and callbacks to read and write: the one in memory during a suspension, else the ledger's. */
export function activityOf(ledger: Ledger): Activity {
	return isSuspended(ledger) ? suspensionOf(ledger).activity : ledger.activity;
}

/** Whether the execution was suspended when n8n stored this ledger. */
export function isSuspended(ledger: Ledger): ledger is SuspendedLedger {
	return ledger.suspension !== undefined;
}

/** Records why a request to the service failed, without the node's secrets. */
export function recordRequestError(activity: Activity, node: INode, error: unknown): void {
	activity.requestFailedAt = Date.now();
	activity.requestError = failureText(node, error);
}

/** Why the last request failed; undefined if a poll has succeeded since. */
export function lastRequestError(ledger: Ledger): string | undefined {
	const { requestError, requestFailedAt = 0, polledAt = 0 } = activityOf(ledger);
	return requestFailedAt > polledAt ? requestError : undefined;
}

/** The suspensions of an execution that are over, as it is awake. */
export interface EndedSuspensions {
	/** Copies of those that this process remembered as going on: one at most, as a rule. */
	suspensions: Suspension[];
	/** Whether n8n's wait timer may be about to resume it, from this suspension or an earlier one. */
	isTimerNear: boolean;
}

/** Records in this process's memory that all suspensions of an execution are over, as it is awake. */
export function endSuspensions(executionId: string): EndedSuspensions {
	const now = Date.now();
	const known = suspensions.values().filter((suspension) => suspension.executionId === executionId);
	const isTimerNear = known.some(({ timerAt }) => isTimerDue(timerAt, now));
	const present = known.filter(({ isOver }) => !isOver);
	const ended = present.map((suspension) => ({ ...suspension }));
	for (const suspension of present) {
		// n8n's wait timer has resumed the execution: it will not do so again.
		if (!isBeingResumed(suspension) && suspension.timerAt <= now) suspension.timerAt = -Infinity;
		Object.assign(suspension, { isOver: true, account: undefined, runs: new Map() });
		suspensions.set(suspension.id, suspension, now + AFTER_END_MS);
	}
	return { suspensions: ended, isTimerNear };
}
