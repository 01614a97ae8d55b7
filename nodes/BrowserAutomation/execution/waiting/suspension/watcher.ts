import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { attempt } from '../../../service/attempt';
import { ServiceError } from '../../../service/errors';
import type { ServiceRequest } from '../../../service/http/request';
import { isAccessRefusal } from '../../../service/http/retry';
import { runsOf, type RunApiName, type Runs, type StatusAnswer } from '../../../service/runs/runs';
import { TokenBucket } from '../../../service/tokenBucket';
import { connectToWatch } from '../../../transport/client';
import { accountOf, type ApiCredential } from '../../../transport/credentials';
import { failureText } from '../../failures';
import type { Slots } from '../batch/pass';
import type { Ledger, SuspendedLedger } from '../batch/ledger';
import { dueItems } from '../batch/waves';
import { callUntilResumed } from './resumeCall';
import { MAX_WATCH_PAUSE_MS, timeUntil, watchPause } from '../schedule';
import { SlotQueue } from './slotQueue';
import type { OwnSuspension, Suspension } from './suspension';
import {
	endSuspensions,
	rememberedSuspension,
	remember,
	suspensionsWatchedBy,
	type EndedSuspensions,
} from './suspensions';

/** How many requests for an account may follow each other at once, and how often one more is saved up: forty a minute. */
const REQUESTS = { inARow: 20, oneMoreAfterMs: 1_500 };

/** Runs that are due so soon after a poll are polled with it. */
const TOGETHER_MS = 400;

/** A poll delays the next by this at most. */
const NEXT_POLL_WITHIN_MS = 5_000;
/** A poll is given up after this. */
const POLLED_WITHIN_MS = 30_000;

/** Larger batches are polled in full only when no run is seen running. */
const MAX_POLLED = 100;

/** How many runs that the list does not show are read one by one in a poll. */
export const MAX_SINGLES = 20;

/** The pause after a poll that failed, twice as long each time. */
const FIRST_BACKOFF_MS = 2_000;
const MAX_BACKOFF_MS = 60_000;

/**
 * Polls the runs of one account for all executions that this process has suspended, and resumes an execution when it can go
 * on. If the process ends or n8n cannot reach its own address, callbacks or n8n's wait timer do. Moments are in milliseconds since 1970.
 */
export class Watcher {
	/** The executions whose starts wait. */
	readonly queue = new SlotQueue();
	private readonly requestBudget = new TokenBucket(REQUESTS);
	/** Runs that are being read: none is read twice at a time. */
	private readonly reading = new Set<string>();
	/** How many polls have failed in a row. */
	private failures = 0;
	/** Until when nothing is polled, as polls have failed. */
	private pollNotBefore = 0;
	private isRunning = false;
	/** Ends the pause between polls, so that the next poll is planned anew. */
	private interruptPause: () => void = () => undefined;

	constructor(
		private readonly account: string,
		private context: IExecuteFunctions,
		private credential: ApiCredential,
	) {}

	/** From now on sends requests with this execution's context, as those of earlier ones may be gone. */
	use(context: IExecuteFunctions, credential: ApiCredential): void {
		this.context = context;
		this.credential = credential;
	}

	/** The account's runs, for one poll. Counts requests, but never delays them: callers ask `readyAt` first. */
	private runsForPoll(api: RunApiName): Runs {
		const { baseUrl, send } = connectToWatch(this.context, this.credential);
		const counted = async (request: ServiceRequest) => {
			this.requestBudget.take();
			return await send(request);
		};
		return runsOf({ baseUrl, send: counted }, api).endingBy(Date.now() + POLLED_WITHIN_MS);
	}

	/**
	 * Remembers a suspension, polls its runs and resumes the execution. If starts are left, they are the next wave, sent as
	 * soon as n8n has stored it; or they wait for a slot in the queue.
	 */
	watch(ledger: SuspendedLedger, own: OwnSuspension): void {
		const { executionId, queuedAt, slowed } = ledger;
		const suspension = remember(ledger, { ...own, account: this.account });
		if (suspension.pendingCount === 0) this.queue.dequeue(executionId);
		else if (queuedAt === undefined) void this.resume(suspension);
		else {
			const wanted = dueItems(ledger).length;
			this.queue.enqueue(executionId, queuedAt, wanted, slowed?.until, suspension);
		}
		// n8n takes no callbacks while an execution is awake, so one may have been lost.
		this.planPoll(suspension, 0, ledger.statusesAt);
		void this.run();
	}

	/** Plans the next poll anew; removes this watcher if nothing is left to watch. */
	rescheduleOrEnd(): void {
		this.interruptPause();
		if (this.suspensions.length > 0 || !this.queue.isEmpty || this.isRunning) return;
		if (watchers.get(this.account) === this) watchers.delete(this.account);
	}

	/** Notes a callback about a run. Its runs are polled next, unless others are still to call back. @returns whether to resume the execution without that */
	noteCallback(suspension: Suspension, taskId: string): boolean {
		// Where a pause resumes the execution, the run may only have paused.
		if (!suspension.isPauseEnough) this.noteEnds([taskId]);
		if (suspension.noteCallback(taskId)) return true;
		if (!suspension.waitsForOtherCallbacks) suspension.watching.dueAt = 0;
		void this.run();
		return false;
	}

	/** Notes that runs have ended, and grants their slots to the first in the queue. */
	noteEnds(taskIds: string[]): void {
		this.queue.noteEnds(taskIds);
		this.grantSlots();
	}

	private get suspensions(): Suspension[] {
		return suspensionsWatchedBy(this.account);
	}

	/** Polls, grants slots, and resumes what has reached its wait limit or has a run to cancel, until nothing is due any more. Never throws. */
	private async run(): Promise<void> {
		this.interruptPause();
		if (this.isRunning) return;
		this.isRunning = true;
		for (let next = 0; next < Infinity;) {
			this.grantSlots();
			const watched = this.suspensions;
			const left = this.timeUntilPoll(watched);
			const resumeIn = this.resumeDue(watched);
			next = Math.min(left, this.queue.nextGrantAt() - Date.now(), resumeIn);
			if (left <= 0) {
				// A service that does not answer keeps nothing from being polled or resumed in time.
				const noLonger = sleep(Math.min(resumeIn, NEXT_POLL_WITHIN_MS));
				await Promise.race([this.poll(), noLonger]);
			} else if (next < Infinity) await this.pause(next);
		}
		this.isRunning = false;
		this.rescheduleOrEnd();
	}

	private async pause(milliseconds: number): Promise<void> {
		const interrupted = new Promise<void>((resolve) => (this.interruptPause = resolve));
		await Promise.race([sleep(milliseconds), interrupted]);
	}

	/** Resumes those for which it is time. @returns how long until it is for the next one, or to look again, in milliseconds */
	private resumeDue(watched: Suspension[]): number {
		let next = Infinity;
		for (const suspension of watched.filter(({ watching }) => !watching.isCalling)) {
			const left = suspension.resumeAt - Date.now();
			if (left <= 0) void this.resume(suspension);
			else next = Math.min(next, left, MAX_WATCH_PAUSE_MS);
		}
		return next;
	}

	/** How long until the next poll, in milliseconds. */
	private timeUntilPoll(watched: Suspension[]): number {
		const due = watched.map(({ watching }) => timeUntil(watching.dueAt, MAX_WATCH_PAUSE_MS));
		const backoff = timeUntil(this.pollNotBefore, MAX_BACKOFF_MS);
		return Math.max(Math.min(...due), backoff, this.requestBudget.readyAt() - Date.now());
	}

	/** Polls all that is due. Never throws. */
	private async poll(): Promise<void> {
		const due = this.takeDue();
		const node = this.context.getNode();
		const askedAt = Date.now();
		const isLarge = ({ awaitedTaskIds }: Suspension): boolean => awaitedTaskIds.length > MAX_POLLED;
		const small = due.filter((one) => !isLarge(one));
		const byApi = (['v3', 'v2'] as const).map((name) => small.filter(({ api }) => api === name));
		const polls = [
			...byApi.map(async (group) => await this.read(group, awaitedIdsOf(group))),
			...due.filter(isLarge).map(async (one) => await this.pollLarge(one)),
		];
		const polled = (await Promise.all(polls.map(attempt))).find(({ ok }) => !ok) ?? { ok: true };
		const unanswered = due.filter(({ activity: { polledAt = 0 } }) => polledAt < askedAt);
		// The service answers, if only about other executions.
		if (unanswered.length < due.length) this.failures = 0;
		else if (!polled.ok) {
			const backoff = FIRST_BACKOFF_MS * 2 ** this.failures++;
			const asked = polled.error instanceof ServiceError ? polled.error.facts.retryAfterMs : 0;
			this.pollNotBefore = Date.now() + Math.min(Math.max(backoff, asked ?? 0), MAX_BACKOFF_MS);
		}
		const said = polled.ok
			? `${awaitedIdsOf(due).length} runs go on`
			: failureText(node, polled.error);
		this.context.logger.debug(`Polled for ${due.length} suspended executions: ${said}`);
		if (polled.ok) return;
		for (const suspension of unanswered) {
			suspension.noteRequestError(node, polled.error);
			const { watching } = suspension;
			if (suspension.hasCallback)
				watching.dueAt = Math.min(watching.dueAt, Date.now() + FIRST_BACKOFF_MS);
			if (isAccessRefusal(polled.error)) void this.resume(suspension);
		}
	}

	/** The suspended executions whose runs are due, those first that were asked about longest ago; plans their next poll. */
	private takeDue(): Suspension[] {
		const askedAt = ({ activity: { polledAt = 0, requestFailedAt = 0 } }: Suspension): number =>
			Math.max(polledAt, requestFailedAt);
		const due = this.suspensions
			.filter(({ watching }) => timeUntil(watching.dueAt, MAX_WATCH_PAUSE_MS) <= TOGETHER_MS)
			.sort((one, other) => askedAt(one) - askedAt(other));
		for (const suspension of due) this.planPoll(suspension);
		return due;
	}

	/**
	 * Plans its next poll, at most half a minute after its runs' statuses were known.
	 *
	 * @param unchangedFor how long they have not changed, in milliseconds
	 * @param statusesAt when their statuses were known; by default now
	 */
	private planPoll(
		suspension: Suspension,
		unchangedFor = Date.now() - suspension.changedAt,
		statusesAt = Date.now(),
	): void {
		// Each end frees a slot that others wait for, and the editor shows it.
		const isUrgent = !this.queue.isEmpty || !suspension.isOursInProduction;
		const pause = watchPause(unchangedFor, suspension.expectsCallbacks && !isUrgent);
		suspension.watching.dueAt = suspension.hasNothingLeft
			? Infinity
			: Math.min(Date.now() + pause, statusesAt + MAX_WATCH_PAUSE_MS);
	}

	/** Reads runs of suspensions of one API that are not being read already. */
	private async read(suspensions: Suspension[], taskIds: string[]): Promise<void> {
		const toRead = taskIds.filter((taskId) => !this.reading.has(taskId));
		const [first] = suspensions;
		if (first === undefined || toRead.length === 0) return;
		const starts = suspensions.map(({ startsSince }) => startsSince);
		const since = starts.every((start) => start !== undefined) ? Math.min(...starts) : undefined;
		const onAnswers = (answers: ReadonlyMap<string, StatusAnswer>): void => {
			for (const taskId of answers.keys()) this.reading.delete(taskId);
			this.noteAnswers(suspensions, answers);
		};
		for (const taskId of toRead) this.reading.add(taskId);
		try {
			const options = { since, isFinal: false, maxSingles: MAX_SINGLES, onAnswers };
			await this.runsForPoll(first.api).readStatuses(toRead, options);
		} finally {
			for (const taskId of toRead) this.reading.delete(taskId);
		}
	}

	/**
	 * Polls the runs of an execution that waits for many. Reading all takes many requests: not while one is seen to go on. The list
	 * of running runs is asked first, then the last run that is awaited.
	 */
	private async pollLarge(suspension: Suspension): Promise<void> {
		const running = await this.runsForPoll(suspension.api).readRunning();
		const seen = suspension.awaitedTaskIds.filter((taskId) => running.has(taskId));
		this.noteAnswers([suspension], new Map(seen.map((taskId) => [taskId, 'running'])));
		if (seen.length > 0) return;
		const last = suspension.awaitedTaskIds.slice(-1);
		await this.read([suspension], last);
		const awaited = suspension.awaitedTaskIds;
		if (!awaited.includes(last[0] ?? '')) await this.read([suspension], awaited);
	}

	/** Notes what the service has told, and resumes the executions that can go on. */
	noteAnswers(suspensions: Suspension[], answers: ReadonlyMap<string, StatusAnswer>): void {
		this.noteEnds(suspensions.flatMap((suspension) => suspension.noteAnswers(answers)));
		// n8n may have resumed some of them already, as one poll brings its answers in parts.
		for (const suspension of suspensions.filter(({ watching }) => watching.account !== undefined)) {
			// If a run has called back meanwhile, another poll stays due.
			if (suspension.watching.dueAt > Date.now()) this.planPoll(suspension);
			if (suspension.hasNothingLeft || suspension.isViewOutdated) void this.resume(suspension);
		}
		// A person's page may have found what makes the next poll due sooner.
		this.interruptPause();
	}

	/** Grants slots of the plan to the first in the queue, and resumes those that are suspended. */
	private grantSlots(): void {
		for (const suspension of this.queue.grantSlots()) void this.resume(suspension);
	}

	/** Calls n8n until it has resumed the execution, then stops watching it: if it is still suspended, n8n's wait timer resumes it. Never throws. */
	private async resume(suspension: Suspension): Promise<void> {
		const { executionId, watching } = suspension;
		if (watching.isCalling) return;
		watching.isCalling = true;
		const called = callUntilResumed(suspension, () => this.context);
		const isResumed = await called.finally(() => (watching.isCalling = false));
		if (watching.account === this.account) {
			// About to be executed here, it keeps its slots, as n8n may answer first. Another process that executes it uses them.
			if (!suspension.isClaimed) this.queue.dequeue(executionId, isResumed);
			watching.account = undefined;
			this.rescheduleOrEnd();
		} else if (!isResumed && !suspension.hasEnded) {
			// It is not watched any more, and this call has not resumed it: its place in the queue is free.
			this.queue.dequeue(executionId);
		}
	}
}

function awaitedIdsOf(suspensions: Suspension[]): string[] {
	return suspensions.flatMap(({ awaitedTaskIds }) => awaitedTaskIds);
}

/** The watchers by account (base URL and key), as long as they watch something or have an execution in the queue. */
const watchers = new Map<string, Watcher>();

/** The watcher of an account. It sends through the most recent execution's context. */
export function getOrMakeWatcher(context: IExecuteFunctions, credential: ApiCredential): Watcher {
	const account = accountOf(credential);
	const watcher = watchers.get(account) ?? new Watcher(account, context, credential);
	watcher.use(context, credential);
	watchers.set(account, watcher);
	return watcher;
}

/** The watcher of an account, if there is one. */
export function existingWatcher(credential: ApiCredential): Watcher | undefined {
	return watchers.get(accountOf(credential));
}

/** The slots of the plan for an execution that is awake. The queue of its account decides, where there is one (slotQueue.ts). */
export function slotsFor(
	context: IExecuteFunctions,
	credential: ApiCredential,
	ledger: Ledger,
): Slots {
	const { executionId } = ledger;
	const watcher = () => existingWatcher(credential);
	return {
		allowed: () => watcher()?.queue.allowedStarts(executionId, ledger.queuedAt) ?? Infinity,
		noteStart: () => watcher()?.queue.noteStart(executionId),
		noteNoSlot: () => watcher()?.queue.noteNoSlot(executionId),
		noteEnds: (taskIds: string[]) => watcher()?.noteEnds(taskIds),
		enqueue: (wanted: number) => {
			const { queue } = getOrMakeWatcher(context, credential);
			queue.enqueue(executionId, ledger.queuedAt ?? Date.now(), wanted, ledger.slowed?.until);
		},
		dequeue: () => leaveQueues(executionId),
	};
}

/** Takes an execution out of the queues of all accounts: it does not wait for a slot in this process. */
export function leaveQueues(executionId: string): void {
	for (const watcher of watchers.values()) {
		watcher.queue.dequeue(executionId);
		watcher.rescheduleOrEnd();
	}
}

/** The watcher of a ledger's suspension, where this process watches it. */
export function watcherOf({ suspension }: SuspendedLedger): Watcher | undefined {
	const remembered = rememberedSuspension(suspension.id);
	return watchers.get(remembered?.watching.account ?? '');
}

/** Ends all suspensions of an execution that is awake, and has nobody watch it any more. */
export function endAndUnwatch(executionId: string): EndedSuspensions {
	const ended = endSuspensions(executionId);
	for (const watcher of watchers.values()) watcher.rescheduleOrEnd();
	return ended;
}
