import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import type { ServiceClient } from '../../../service/http/client';
import { isAccessRefusal } from '../../../service/http/retry';
import type { RunApi } from '../../../service/runs/runApi';
import { readRunning, type Running } from '../../../service/runs/statuses';
import { TokenBucket } from '../../../service/tokenBucket';
import { connectToWatch } from '../../../transport/client';
import type { ApiCredential } from '../../../transport/credentials';
import { Semaphore } from '../../../transport/semaphore';
import { failureText } from '../../failures';
import { SuspensionCheck } from './suspensionCheck';
import { readRuns } from './readRuns';
import { MAX_POLLED, pollPauseFor } from './runTimes';
import { MAX_WATCH_PAUSE_MS } from './schedule';
import { SlotQueue } from './slotQueue';
import {
	hasEnded,
	isBeingResumed,
	isViewOutdated,
	recordAnswers,
	recordCallback,
	recordRequestError,
	openTaskIds,
	remember,
	suspensionsOf,
	type SuspendedLedger,
	type Suspension,
	type Watch,
} from './suspensions';
import { callUntilResumed } from './resumeCall';

/** How many requests for an account may follow each other at once, and how often one more is saved up: forty a minute. */
const REQUESTS = { inARow: 20, oneMoreAfterMs: 1_500 };

/** Runs that are due so soon after a poll are polled with it. */
const TOGETHER_MS = 400;

/** How long before the wait limit the last poll is, in milliseconds: n8n's wait timer may be a minute late to find what it finds. */
const LAST_POLL_BEFORE_MS = 1_000;

/** The pause after a poll that failed, twice as long each time. */
const FIRST_BACKOFF_MS = 2_000;
const MAX_BACKOFF_MS = 60_000;

/** How long after its suspension an execution is resumed to send the next wave of starts: n8n usually takes that long to store it. */
const WAVE_PAUSE_MS = 100;

/**
 * Polls the runs of one account for all executions that this process has suspended, and resumes an execution when it can go
 * on. If the process ends or n8n cannot reach its own address, n8n's wait timer does. Moments are in milliseconds since 1970.
 */
export class Watcher {
	/** The executions that wait for a free slot of the plan. */
	readonly queue = new SlotQueue();
	private readonly requests = new TokenBucket(REQUESTS);
	private failures = 0;
	private failure: unknown;
	private pollNotBefore = 0;
	private isRunning = false;
	private readonly suspensionCheck = new SuspensionCheck(
		() => this.context,
		(suspension, isGone) => {
			if (isGone && suspension.account === this.account) this.unwatch(suspension);
			this.interruptPause();
		},
	);
	private readonly turn = new Semaphore(1);
	/** Ends the pause between polls, so that the next poll is planned anew. */
	private interruptPause: () => void = () => undefined;

	constructor(
		private readonly account: string,
		/** Called when nothing is left to watch: removes this watcher. */
		private readonly onEnd: () => void,
		private context: IExecuteFunctions,
		private credential: ApiCredential,
	) {}

	/** From now on sends requests with this execution's context, as those of earlier ones may be gone. */
	use(context: IExecuteFunctions, credential: ApiCredential): void {
		this.context = context;
		this.credential = credential;
	}

	/** A client whose requests are counted. It does not wait where too many were sent: whoever polls does. */
	get client(): ServiceClient {
		const { baseUrl, send } = connectToWatch(this.context, this.credential);
		return {
			baseUrl,
			send: async (request) => {
				this.requests.take();
				return await send(request);
			},
		};
	}

	/**
	 * Remembers a suspension, polls its runs and resumes the execution. If starts are left, they are the next wave, sent as
	 * soon as n8n has stored it; or they wait for a slot in the queue.
	 */
	watch(ledger: SuspendedLedger, how: Omit<Watch, 'account'>): void {
		const { executionId, queuedAt } = ledger;
		const suspension = remember(ledger, { account: this.account, ...how });
		if (suspension.startsLeft === 0 || !suspension.canResume) this.queue.dequeue(executionId);
		else if (queuedAt === undefined) void this.resume(suspension, WAVE_PAUSE_MS);
		else this.queue.enqueue(executionId, queuedAt, suspension.startsLeft, ledger.slowed?.until);
		// n8n takes no callbacks while an execution is awake, so one may have been lost.
		this.planPoll(suspension, 0, ledger.statusesAt);
		void this.run();
	}

	/** Plans the next poll anew; ends this watcher if nothing is left to watch. */
	rescheduleOrEnd(): void {
		this.interruptPause();
		if (this.suspensions.length > 0 || !this.queue.isEmpty || this.isRunning) return;
		this.onEnd();
	}

	/** Handles a callback about a run: polls the runs unless others are still to call back. @returns and throws as `pollRuns` */
	async handleCallback(suspension: Suspension, taskId: string): Promise<boolean> {
		const { calledBack, startsLeft, resumeWhenPaused } = suspension;
		// Where a pause resumes the execution, the run may only have paused.
		if (!resumeWhenPaused) this.recordEnds([taskId]);
		if (recordCallback(suspension, taskId)) return true;
		// While other runs go on, a poll is of use only for starts that wait for a slot, or if this run may have paused.
		const othersGoOn = openTaskIds(suspension).some((id) => !calledBack.has(id));
		if (othersGoOn && startsLeft === 0 && !resumeWhenPaused) return false;
		return await this.pollRuns(suspension);
	}

	/**
	 * Polls the runs of a suspended execution now, unless the account's requests are used up.
	 *
	 * @returns whether to resume the execution: its runs have ended, or the key is refused, which the node reports
	 * @throws ServiceError or ConnectionError when the service could not be asked
	 */
	async pollRuns(suspension: Suspension): Promise<boolean> {
		if (Date.now() < this.pollNotBefore && this.failure !== undefined) throw this.failure;
		if (this.requests.readyAt() <= Date.now()) {
			suspension.dueAt = 0;
			await this.pollInTurn();
			if (isAccessRefusal(this.failure)) return true;
			if (this.failure !== undefined) throw this.failure;
		}
		return hasEnded(suspension);
	}

	private get suspensions(): Suspension[] {
		return suspensionsOf(this.account);
	}

	/** Records that runs have ended, and grants their slots to the first in the queue. */
	recordEnds(taskIds: string[]): void {
		if (this.queue.recordEnds(taskIds)) this.grantSlots();
	}

	/** Polls as long as there is something to poll. Never throws. */
	private async run(): Promise<void> {
		this.interruptPause();
		if (this.isRunning) return;
		this.isRunning = true;
		for (let at = this.nextPollAt(); at < Infinity; at = this.nextPollAt()) {
			const nextCheckAt = this.suspensionCheck.checkNext(this.suspensions);
			if (at <= Date.now()) await this.pollInTurn();
			else await this.pause(Math.min(at, nextCheckAt) - Date.now());
		}
		this.isRunning = false;
		this.rescheduleOrEnd();
	}

	private async pause(milliseconds: number): Promise<void> {
		const interrupted = new Promise<void>((resolve) => (this.interruptPause = resolve));
		await Promise.race([sleep(milliseconds), interrupted]);
	}

	/** When to poll next; never where there is nothing to poll. */
	private nextPollAt(): number {
		const { suspensions, queue } = this;
		if (suspensions.length === 0) return Infinity;
		let at = queue.nextReadAt();
		for (const { dueAt } of suspensions) at = Math.min(at, dueAt);
		return Math.max(at, this.pollNotBefore, this.requests.readyAt());
	}

	/** Polls one at a time. A poll that was requested during another finds nothing due. */
	private async pollInTurn(): Promise<void> {
		await this.turn.inTurn(async () => await this.poll());
	}

	private async poll(): Promise<void> {
		const due = this.takeDue();
		const { logger } = this.context;
		const log = (outcome: string): void =>
			logger.debug(`Polled for ${due.length} suspended executions: ${outcome}`);
		try {
			const running = await this.readRunningIfDue(due.map(openTaskIds));
			for (const api of new Set(due.map((suspension) => suspension.api))) {
				const suspensions = due.filter((suspension) => suspension.api === api);
				await this.pollDue(api, suspensions, running?.taskIds);
			}
			if (running !== undefined) this.recordRunning(running);
			// To have read the list alone does not end the back-off.
			if (due.length === 0) return;
			this.failures = 0;
			this.failure = undefined;
			log(`${due.flatMap(openTaskIds).length} runs go on`);
		} catch (error) {
			const node = this.context.getNode();
			log(failureText(node, error));
			const backoff = FIRST_BACKOFF_MS * 2 ** this.failures++;
			this.failure = error;
			this.pollNotBefore = Date.now() + Math.min(backoff, MAX_BACKOFF_MS);
			for (const suspension of due) {
				recordRequestError(suspension.activity, node, error);
				if (isAccessRefusal(error)) void this.resume(suspension);
			}
		}
	}

	/** The suspended executions whose runs are due; plans their next poll. Stops watching those at their wait limit: n8n's wait timer resumes them. */
	private takeDue(): Suspension[] {
		const now = Date.now();
		for (const suspension of this.suspensions) {
			if (now >= suspension.deadline) this.unwatch(suspension);
		}
		const due = this.suspensions.filter(({ dueAt }) => dueAt <= now + TOGETHER_MS);
		for (const suspension of due) this.planPoll(suspension);
		return due;
	}

	/**
	 * @param unchangedFor how long its runs have not changed, in milliseconds
	 * @param statusesAt when it was last known how they stand
	 */
	private planPoll(
		suspension: Suspension,
		unchangedFor = Date.now() - suspension.changedAt,
		statusesAt = Date.now(),
	): void {
		const isPolled = suspension.canResume && !hasEnded(suspension);
		// Each end frees a slot that others wait for, and the editor shows it.
		const isEachWanted = !this.queue.isEmpty || !suspension.isPublished;
		const pause = pollPauseFor(suspension, openTaskIds(suspension), unchangedFor, isEachWanted);
		const last = suspension.deadline - LAST_POLL_BEFORE_MS;
		const latest = Math.min(statusesAt + MAX_WATCH_PAUSE_MS, statusesAt < last ? last : Infinity);
		suspension.dueAt = isPolled ? Math.min(Date.now() + pause, latest) : Infinity;
	}

	/** Polls runs of one API, and resumes executions that can go on. @param running runs that are known to go on */
	private async pollDue(
		api: RunApi,
		due: Suspension[],
		running = new Set<string>(),
	): Promise<void> {
		const toRead: Suspension[] = [];
		for (const one of due) if (!(await this.isLargeAndOpen(one, running))) toRead.push(one);
		const open = toRead.flatMap(openTaskIds).filter((id) => !running.has(id));
		if (toRead.length > 0) this.recordEnds(await readRuns(this.client, api, toRead, open));
		for (const suspension of due) {
			// If `pollRuns` has asked for another poll meanwhile, that stays due.
			if (suspension.dueAt > Date.now()) this.planPoll(suspension);
			if (hasEnded(suspension) || isViewOutdated(suspension)) void this.resume(suspension);
		}
	}

	/**
	 * Whether this is a large batch of which a run still goes on, so that the others need not be read: that takes many requests.
	 * The list of running runs is asked first, then the run that was started last.
	 */
	private async isLargeAndOpen(suspension: Suspension, running: Set<string>): Promise<boolean> {
		const open = openTaskIds(suspension);
		const last = open.slice(MAX_POLLED).at(-1);
		if (last === undefined) return false;
		const seen = open.filter((taskId) => running.has(taskId));
		if (seen.length > 0) {
			recordAnswers(suspension, new Map(seen.map((taskId) => [taskId, 'running'])));
			return true;
		}
		this.recordEnds(await readRuns(this.client, suspension.api, [suspension], [last]));
		return openTaskIds(suspension).includes(last);
	}

	/**
	 * Reads the list of running runs if that is due, saves other requests, or may save reading a large batch.
	 *
	 * @param polled the IDs of the runs of each execution that are polled now
	 */
	private async readRunningIfDue(polled: string[][]): Promise<Running | undefined> {
		const { queue } = this;
		// It may show all of these runs at once. For a single one that is worth it only if the queue needs the list anyway.
		const savesRequests = polled.flat().length > (queue.knowsFreeSlots ? 1 : 0);
		const readAt = queue.nextReadAt(savesRequests ? TOGETHER_MS : undefined);
		const isLarge = polled.some((open) => open.length > MAX_POLLED);
		if (Date.now() < Math.max(this.pollNotBefore, isLarge ? 0 : readAt)) return undefined;
		queue.recordReadBegun();
		return await readRunning(this.client);
	}

	private recordRunning(running: Running): void {
		if (this.queue.isEmpty) return;
		const open = this.suspensions.flatMap((suspension) =>
			openTaskIds(suspension)
				.filter((taskId) => !suspension.calledBack.has(taskId))
				.map((taskId) => [taskId, suspension.runs.get(taskId)] as const),
		);
		this.queue.recordList(running, new Map(open));
		this.grantSlots();
	}

	/** Grants free slots of the plan to the first in the queue, and resumes these executions. */
	private grantSlots(): void {
		for (const { executionId } of this.queue.grantSlots(Date.now())) {
			const suspension = this.suspensions.find((one) => one.executionId === executionId);
			if (suspension === undefined) this.queue.dequeue(executionId);
			else void this.resume(suspension);
		}
	}

	/** Calls n8n until it has resumed the execution, then stops watching it. Never throws. */
	private async resume(suspension: Suspension, firstPause = 0): Promise<void> {
		if (suspension.isCallingN8n || !suspension.canResume) return;
		await callUntilResumed(suspension, () => this.context, firstPause);
		if (suspension.account === this.account) this.unwatch(suspension);
	}

	/**
	 * Stops watching an execution. If it is still suspended, n8n's wait timer resumes it. If this process is about to execute
	 * it, it stays in the queue and keeps its slots: n8n may answer the call that resumes it before it executes it.
	 */
	private unwatch(suspension: Suspension): void {
		if (!isBeingResumed(suspension)) this.queue.dequeue(suspension.executionId);
		suspension.account = undefined;
		this.rescheduleOrEnd();
	}
}
