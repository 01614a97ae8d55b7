import type { INode } from 'n8n-workflow';

import { runApi } from '../../../service/runs/runApi';
import type { StatusAnswer } from '../../../service/runs/statuses';
import { TtlCache } from '../../../service/ttlCache';
import { failureText } from '../../failures';
import {
	type Activity,
	endsWaiting,
	hasPaused,
	type Ledger,
	openTaskIds,
	type Sleep,
	unstarted,
} from '../batch/ledger';
import { isCalledBack } from '../batch/plan';
import { FASTEST_LOOK, isClocksTurn } from './schedule';

/**
 * What this process knows of executions that sleep: one memory for what watches them, what wakes them
 * and what people are told. Moments are in milliseconds since 1970.
 */

/** How many sleeps are remembered at most. One that is forgotten is left to n8n, and to its clock. */
const MOST = 20_000;

/** For how long a sleep is remembered after the wait limit, and once it is over: its handlers end long before. */
const AFTER_LIMIT_MS = 3_600_000;
const AFTER_END_MS = 300_000;

/** A handler that is waking an execution, as far as its answer tells. */
export interface Waking {
	/** Whether n8n has answered, with success or not. */
	isAnswered(): boolean;
	/** Whether n8n could not wake the execution. */
	hasFailed(): boolean;
}

/** A ledger of an execution that is asleep. */
export type AsleepLedger = Ledger & { sleep: Sleep };

/** How an execution that this process puts to sleep is watched. */
export interface Watch {
	/** Whose watcher reads its runs; undefined where none does. */
	account: string | undefined;
	/** Whether n8n reaches its own address, to be called there. */
	canWake: boolean;
	/** Whether this process put it to sleep, for a published workflow: others carry on those of the editor, too. */
	sleptHere: boolean;
}

function sleeperFrom(ledger: Ledger, sleep: Sleep, watch: Partial<Watch>) {
	const { executionId, deadline, since, startedAt, begunAt, activity } = ledger;
	const { wakeWhenPaused } = ledger.settings;
	const { account, canWake = false, sleptHere = false } = watch;
	const now = Date.now();
	return {
		executionId,
		sleepId: sleep.id,
		resumeUrl: sleep.resumeUrl,
		deadline,
		account,
		canWake,
		sleptHere,
		isOver: false,
		isCalled: isCalledBack(ledger, canWake),
		asleepSince: now,
		/** When n8n was last asked whether it is still suspended. n8n takes a moment to store that. */
		checkedAt: now,
		api: runApi(ledger.api),
		/** When its runs were started; undefined where they were started elsewhere. */
		since,
		/** When the last of them was started, or seen to have ended; or when waiting began. */
		quietSince: startedAt ?? begunAt,
		wakeWhenPaused,
		/** Whether callbacks that all runs have ended are reason enough to wake it. */
		isTrusting: !wakeWhenPaused && !sleep.isIdle,
		/** How many starts wait for a slot. */
		starts: unstarted(ledger).length,
		/** The runs that it waits for, and what was read of each since. */
		runs: new Map<string, StatusAnswer | undefined>(
			openTaskIds(ledger).map((taskId) => [taskId, undefined]),
		),
		/** Runs that have called back. */
		reported: new Set<string>(),
		activity: { ...activity },
		/** When its runs are looked at next. */
		dueAt: canWake ? now + FASTEST_LOOK : Infinity,
		/** When n8n's clock may wake it. */
		clockAt: sleep.date,
		/** What the editor shows while it sleeps is as of then: whether a run was paused. */
		wasPaused: hasPaused(ledger),
		/** Whether this process is calling n8n until it is awake. */
		isBeingCalled: false,
	};
}

/** One sleep of an execution: what has to be known to watch and to wake it, and none of its data. */
export interface Sleeper extends ReturnType<typeof sleeperFrom> {
	waking?: Waking;
}

/** By the ID of the sleep. */
const sleepers = new TtlCache<Sleeper>(MOST);

/** Remembers a sleep. @param watch empty where another process, or this one before it was restarted, put the execution to sleep */
export function remember(ledger: Ledger, sleep: Sleep, watch: Partial<Watch> = {}): Sleeper {
	const sleeper = sleeperFrom(ledger, sleep, watch);
	sleepers.set(sleep.id, sleeper, Math.max(ledger.deadline, Date.now()) + AFTER_LIMIT_MS);
	return sleeper;
}

/** A sleep that is remembered. */
export function knownSleeper(sleepId: string): Sleeper | undefined {
	return sleepers.get(sleepId);
}

/** The sleep of a ledger that a handler was given. */
export function sleeperOf(ledger: AsleepLedger): Sleeper {
	return sleepers.get(ledger.sleep.id) ?? remember(ledger, ledger.sleep);
}

/** All sleeps of executions whose runs the watcher of an account reads. */
export function sleepersOf(account: string): Sleeper[] {
	return sleepers.values().filter((sleeper) => sleeper.account === account);
}

/**
 * How many executions that this process put to sleep are still to be woken by n8n's clock, as far as it knows.
 *
 * @param isCalled whether callbacks may wake the one that is to sleep now: else only those count that none may wake, either
 */
export function countAsleep(isCalled: boolean): number {
	const now = Date.now();
	return sleepers
		.values()
		.filter((one) => one.sleptHere && !one.isOver && one.clockAt > now)
		.filter((one) => isCalled || !one.isCalled).length;
}

/** Whether a handler of this process wakes the execution, or is about to. */
export function isBeingWoken({ waking }: Sleeper): boolean {
	return waking?.hasFailed() === false;
}

let hearsCallbacks = false;

/**
 * Notes that this process handles callbacks, as the one process of n8n's regular mode does: a worker
 * handles none, and the processes that do in queue mode run no executions.
 */
export function noteHandler(): void {
	hearsCallbacks = true;
}

/** Whether no other process wakes the execution or carries it on, so that this one knows when the sleep is over. */
export function isOnlyOurs({ sleptHere }: Sleeper): boolean {
	return sleptHere && hearsCallbacks;
}

/** The runs of a sleeper that are still waited for. */
export function openRuns({ runs, wakeWhenPaused }: Sleeper): string[] {
	const open = [...runs].filter(([, answer]) => !endsWaiting(answer, wakeWhenPaused));
	return open.map(([taskId]) => taskId);
}

/** Notes what was read of its runs. @returns how many of them it waits for no more */
export function noteAnswers(sleeper: Sleeper, answers: ReadonlyMap<string, StatusAnswer>): number {
	const { runs } = sleeper;
	const open = openRuns(sleeper).length;
	for (const [taskId, before] of runs) runs.set(taskId, answers.get(taskId) ?? before);
	const ended = open - openRuns(sleeper).length;
	// Where one of them has ended, the others may soon.
	if (ended > 0) sleeper.quietSince = Date.now();
	return ended;
}

/** How long the editor shows how far a batch was before it is told anew, in milliseconds. */
const SHOWN_FOR_MS = 10_000;

/** Whether the editor, which learns of an execution when it falls asleep only, shows what is not true any more. */
export function isOutdated({ sleptHere, runs, wasPaused, asleepSince }: Sleeper): boolean {
	const answers = [...runs.values()];
	if (sleptHere || answers.length === 0 || answers.includes(undefined)) return false;
	const isOld = asleepSince + SHOWN_FOR_MS < Date.now();
	return (
		answers.includes('paused') !== wasPaused ||
		(isOld && answers.some((answer) => endsWaiting(answer, false)))
	);
}

/** Whether nothing is left to wait for. */
export function hasEnded(sleeper: Sleeper): boolean {
	return sleeper.starts === 0 && openRuns(sleeper).length === 0;
}

/** Notes that a run has called back, which proves nothing. @returns whether it is believed: once, where all runs have called */
export function noteCallback(sleeper: Sleeper, taskId: string): boolean {
	const { reported, isTrusting, starts } = sleeper;
	reported.add(taskId);
	return isTrusting && starts === 0 && openRuns(sleeper).every((open) => reported.has(open));
}

/** What happened while an execution slept, as far as this process knows: to be read and added to. */
export function activityOf(ledger: Ledger): Activity {
	return isAsleep(ledger) ? sleeperOf(ledger).activity : (ledger.activity ??= {});
}

export function isAsleep(ledger: Ledger): ledger is AsleepLedger {
	return ledger.sleep !== undefined;
}

/** Notes why the service could not be asked, or did not do as asked, without the node's secrets. */
export function noteRefusal(activity: Activity, node: INode, error: unknown): void {
	activity.refusedAt = Date.now();
	activity.refusal = failureText(node, error);
}

/** Why the service did not tell of the runs when it was last asked; undefined where it did. */
export function lastRefusal(ledger: Ledger): string | undefined {
	const { refusal, refusedAt = 0, lookedAt = 0 } = activityOf(ledger);
	return refusedAt > lookedAt ? refusal : undefined;
}

/** An execution that was woken. */
export interface Woken {
	/** What this process knew of its sleep: one at most, as a rule. */
	sleeps: Sleeper[];
	/** Whether n8n's clock may be about to wake it, from this sleep or an earlier one. */
	isClockNear: boolean;
}

/** Notes that an execution is awake. */
export function endSleeps(executionId: string): Woken {
	const now = Date.now();
	const known = sleepers.values().filter((sleeper) => sleeper.executionId === executionId);
	const isClockNear = known.some(({ clockAt }) => isClocksTurn(clockAt, now));
	const present = known.filter(({ isOver }) => !isOver);
	const sleeps = present.map((sleeper) => ({ ...sleeper }));
	for (const sleeper of present) {
		// Where n8n's clock has woken the execution, its date is over.
		if (!isBeingWoken(sleeper) && sleeper.clockAt <= now) sleeper.clockAt = -Infinity;
		Object.assign(sleeper, { isOver: true, account: undefined, runs: new Map() });
		sleepers.set(sleeper.sleepId, sleeper, now + AFTER_END_MS);
	}
	return { sleeps, isClockNear };
}
