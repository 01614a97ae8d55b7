import { sleep, type INode } from 'n8n-workflow';

import type { RunApiName, StatusAnswer } from '../../../service/runs/runs';
import { failureText } from '../../failures';
import {
	endsWaiting,
	awaitedRuns,
	isOver,
	pendingStarts,
	type Activity,
	type SuspendedLedger,
} from '../batch/ledger';
import { expectsCallbacks } from '../batch/waitMethod';
import { nextCancelOrLimitAt } from '../nextStep';
import { isTimerArmed, isTimerNear } from '../schedule';

/** The claim of a handler: how far n8n is with the resume that it lets n8n do. */
export interface Claim {
	/** Whether n8n has answered, with success or not. */
	isAnswered(): boolean;
	/** Whether another may try: n8n could not resume the execution, or has not for long. */
	mayBeTakenOver(): boolean;
}

/** What is known of a suspension in the process that began it, and nowhere else. */
export interface OwnSuspension {
	/** The account whose watcher has it; undefined if none does. */
	account?: string;
	/** Whether it is in production. Executions of the editor may be resumed in other processes. */
	isProduction: boolean;
	/** Resolves once n8n has suspended it (platform.ts: `untilSuspended`). */
	ready: Promise<void>;
}

/**
 * For how long after it was suspended no other process may resume an execution: only the suspending process learns when n8n is done
 * with the pass (platform.ts: `untilSuspended`). In queue mode, a main process may read the execution once a worker has
 * suspended it. If it is resumed before that, it is found running, taken for a success, and maybe deleted where successes are not saved
 * (2.41 workflow-runner.js: `enqueueExecution`).
 */
const RESUMABLE_AFTER_MS = 1_000;

async function untilResumable(suspendedAt: number): Promise<void> {
	const left = suspendedAt + RESUMABLE_AFTER_MS - Date.now();
	if (left > 0) await sleep(Math.min(left, RESUMABLE_AFTER_MS));
}

/** How long reading the stored execution may take at first, and at most: what was read may be as old as that. */
const READ_WITHIN_MS = 2_000;
const MAX_READ_WITHIN_MS = 20_000;

/** How old the count of ended runs that the editor shows may get. */
const EDITOR_STALE_AFTER_MS = 10_000;

/**
 * What a process knows of a suspension of an execution: what it takes to watch and to resume it, and none of its data. It collects
 * answers and callbacks, is claimed, and ends. Only its methods change it; its watcher also sets `watching`. Moments are in
 * milliseconds since 1970.
 */
export class Suspension {
	readonly id: string;
	readonly executionId: string;
	readonly resumeUrl: string;
	readonly deadline: number;
	/** When its watcher resumes it at the latest: at the wait limit, or when the next cancel was due as it was suspended. */
	readonly resumeAt: number;
	/** When this process suspended it, or first heard of it. */
	readonly knownSince = Date.now();
	/** Resolves once it may be resumed. */
	readonly ready: Promise<void>;
	/**
	 * Whether this process suspended it and never watched it: as a rule it has heard all callbacks, so that a handler may wait for
	 * the others. Else a handler polls: they may have gone to another process, or its watcher may have stopped.
	 */
	readonly isOursUnwatched: boolean;
	/** Whether this process suspended it, in production. */
	readonly isOursInProduction: boolean;
	readonly api: RunApiName;
	/** As in the ledger. */
	readonly startsSince: number | undefined;
	/** Whether a run's pause is enough for the execution to go on. */
	readonly isPauseEnough: boolean;
	/** How many starts are still to be sent. */
	readonly pendingCount: number;
	readonly expectsCallbacks: boolean;
	/** What its watcher plans: the account (undefined: nobody watches, or it has ended), when it polls the runs next, and whether it is calling n8n. */
	readonly watching: { account: string | undefined; dueAt: number; isCalling: boolean };
	/** Whether the execution is awake again, as far as this process knows. */
	hasEnded = false;
	/** When the last of its runs was started, or seen to have ended since it was suspended; else when waiting began. */
	changedAt: number;
	/** Whether a person wants all runs canceled. */
	wantsAllCanceled = false;
	/** How many handlers have claimed it. */
	claimCount = 0;
	/** The last requests to the service, those before the suspension, too. */
	readonly activity: Activity;
	/** The runs that it waits for, by ID, and the last answer about each since it was suspended. */
	readonly answers: Map<string, StatusAnswer | undefined>;
	private readonly calledBack = new Set<string>();
	/** Whether it is resumed as soon as all runs have called back, without polling them first. */
	private readonly trustsCallbacks: boolean;
	/** Whether one of these runs was paused when it was suspended, and the editor still shows it. */
	private readonly wasPaused: boolean;
	/** When n8n's wait timer resumes it. */
	readonly timerAt: number;
	private hasTimerFired = false;
	private claim: Claim | undefined;
	private readWithinMs = READ_WITHIN_MS;
	private onClaim: () => void = () => undefined;

	constructor(ledger: SuspendedLedger, own?: OwnSuspension) {
		const { suspension, settings, lastStartAt, begunAt } = ledger;
		const awaited = awaitedRuns(ledger);
		this.id = suspension.id;
		this.executionId = ledger.executionId;
		this.resumeUrl = suspension.resumeUrl;
		this.deadline = ledger.deadline;
		this.resumeAt = nextCancelOrLimitAt(ledger);
		this.ready = own?.ready ?? untilResumable(suspension.suspendedAt);
		this.isOursUnwatched = own !== undefined && own.account === undefined;
		this.isOursInProduction = own?.isProduction === true;
		this.api = ledger.api;
		this.startsSince = ledger.startsSince;
		this.isPauseEnough = settings.isPauseEnough;
		this.pendingCount = pendingStarts(ledger).length;
		this.expectsCallbacks = expectsCallbacks(ledger);
		this.watching = { account: own?.account, dueAt: Infinity, isCalling: false };
		this.changedAt = lastStartAt ?? begunAt;
		this.activity = { ...ledger.activity };
		this.answers = new Map(awaited.map(({ taskId }) => [taskId, undefined]));
		this.trustsCallbacks = !settings.isPauseEnough && !suspension.wasResumedInVain;
		this.wasPaused = awaited.some(({ status }) => status === 'paused');
		this.timerAt = suspension.timerAt;
	}

	/** Whether a handler of this process is about to resume the execution, or has resumed it. */
	get isClaimed(): boolean {
		return this.claim?.mayBeTakenOver() === false;
	}

	/** Whether the call whose handler has resumed it is still to be answered. */
	get isUnanswered(): boolean {
		return this.claim?.isAnswered() === false;
	}

	/** The IDs of the runs that it still waits for; none once it has ended. */
	get awaitedTaskIds(): string[] {
		if (this.hasEnded) return [];
		const awaited = [...this.answers].filter(
			([, answer]) => !endsWaiting(answer, this.isPauseEnough),
		);
		return awaited.map(([taskId]) => taskId);
	}

	/** Whether nothing is left to wait for: no start, and no run. Once it has ended, runs do not count. */
	get hasNothingLeft(): boolean {
		return this.pendingCount === 0 && this.awaitedTaskIds.length === 0;
	}

	/**
	 * Whether to resume it: nothing is left to wait for, or a run has ended whose slot a start may get, and this process does not
	 * resume it for that by itself.
	 */
	get isWorthResuming(): boolean {
		const hasUnwatchedStarts = this.watching.account === undefined && this.pendingCount > 0;
		return this.hasNothingLeft || (hasUnwatchedStarts && this.hasSeenEnd);
	}

	/** Whether other runs are still to call back, and a poll is of no use before: no start waits for a slot, and no run may have paused. */
	get waitsForOtherCallbacks(): boolean {
		const waitsForEndsAlone = this.pendingCount === 0 && !this.isPauseEnough;
		return waitsForEndsAlone && this.awaitedTaskIds.some((taskId) => !this.calledBack.has(taskId));
	}

	/** Whether a run has called back that is still waited for. */
	get hasCallback(): boolean {
		return this.awaitedTaskIds.some((taskId) => this.calledBack.has(taskId));
	}

	/** Whether n8n's wait timer may be about to resume it. */
	get isTimerNear(): boolean {
		return !this.hasTimerFired && isTimerNear(this.timerAt, Date.now());
	}

	/** Whether n8n may have armed its wait timer for it. */
	get isTimerArmed(): boolean {
		return !this.hasTimerFired && isTimerArmed(this.timerAt, Date.now());
	}

	/** Whether the editor shows an outdated state of the runs. n8n sends it a new one only when the execution is suspended again. */
	get isViewOutdated(): boolean {
		const answers = [...this.answers.values()];
		if (this.isOursInProduction || answers.length === 0 || answers.includes(undefined))
			return false;
		const isOld = this.knownSince + EDITOR_STALE_AFTER_MS < Date.now();
		return answers.includes('paused') !== this.wasPaused || (isOld && this.hasSeenEnd);
	}

	private get hasSeenEnd(): boolean {
		return [...this.answers.values()].some((answer) => isOver(answer));
	}

	/** Notes what was read of its runs, until it ends. @returns the IDs of those that were found to have ended */
	noteAnswers(answers: ReadonlyMap<string, StatusAnswer>): string[] {
		if (this.hasEnded) return [];
		const now = Date.now();
		const endedRuns: string[] = [];
		for (const [taskId, before] of this.answers) {
			const answer = answers.get(taskId);
			// What has ended stays so: no later answer makes it go on.
			if (answer === undefined || isOver(before)) continue;
			this.activity.polledAt = now;
			this.answers.set(taskId, answer);
			if (isOver(answer)) endedRuns.push(taskId);
		}
		// Where one of them has ended, the others may soon.
		if (endedRuns.length > 0) this.changedAt = now;
		return endedRuns;
	}

	/**
	 * Notes that a run has called back.
	 *
	 * @returns whether to resume the execution without polling: all of its runs have called back as they ended, no start is pending, and
	 * the last resume was not in vain
	 */
	noteCallback(taskId: string): boolean {
		this.calledBack.add(taskId);
		const haveAllCalled = this.awaitedTaskIds.every((awaited) => this.calledBack.has(awaited));
		return this.trustsCallbacks && this.pendingCount === 0 && haveAllCalled;
	}

	/** Notes why a request to the service failed, without the node's secrets. */
	noteRequestError(node: INode, error: unknown): void {
		this.activity.requestFailedAt = Date.now();
		this.activity.requestError = failureText(node, error);
	}

	/** Notes that a handler has claimed it. */
	noteClaim(claim: Claim): void {
		this.claim = claim;
		this.claimCount += 1;
		this.onClaim();
	}

	/** Waits until a handler of this process claims it. */
	async untilClaimed(): Promise<void> {
		await new Promise<void>((resolve) => (this.onClaim = resolve));
	}

	/** Notes how long n8n took to read the stored execution, in milliseconds. @returns whether this was in time: for the next try, twice as long is, as a large one never gets faster */
	noteReadTook(took: number): boolean {
		const isInTime = took <= this.readWithinMs;
		this.readWithinMs = Math.min(Math.max(this.readWithinMs, 2 * took), MAX_READ_WITHIN_MS);
		return isInTime;
	}

	/** Notes that a person wants all runs canceled, while a handler is resuming the execution: it cancels them when it is awake. */
	noteWantsAllCanceled(): void {
		this.wantsAllCanceled = true;
	}

	/** Ends it, as the execution is awake. */
	end(): void {
		// Most likely n8n's wait timer has resumed the execution: it will not do so again.
		if (!this.isClaimed && this.timerAt <= Date.now()) this.hasTimerFired = true;
		this.hasEnded = true;
		this.watching.account = undefined;
	}
}
