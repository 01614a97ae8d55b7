import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { attempt } from '../../../service/attempt';
import type { ServiceClient } from '../../../service/http/client';
import { isAccessRefusal } from '../../../service/http/retry';
import { runApi, type RunApi } from '../../../service/runs/runApi';
import { countRunning, readStatuses, type StatusAnswer } from '../../../service/runs/statuses';
import { isTerminal } from '../../../service/runs/runStatus';
import { connectToWatch, type ApiCredential } from '../../../transport/client';
import { Semaphore } from '../../../transport/semaphore';
import { failureText } from '../../failures';
import { noteLook, noteRefusal } from './activity';
import type { Ledger, Named, Sleep } from '../batch/ledger';
import { SlotLine } from './line';
import { openTaskIds, settles, unstarted } from '../batch/progress';
import { FASTEST_LOOK, pauseBetweenLooks } from './schedule';
import { callToWake, type WakeOutcome } from './wakeCall';

/**
 * Watches the runs of everything that this process has put to sleep: one reader for each account,
 * which wakes an execution when there is something for it to go on with. n8n's clock stays behind it,
 * for when the process ends or n8n cannot reach its own address. Times are in milliseconds, moments
 * since 1970.
 */

/** How many sleeping executions are watched for an account at most; those beyond are left to n8n's clock. */
const MOST = 20_000;

/** How many requests a second looking costs an account on average, and how many may be saved up. */
const REQUESTS_PER_MS = 1 / 1_000;
const SAVED_UP = 20;

/** What is due so soon after a look is looked at with it. */
const TOGETHER_MS = 400;

/** A batch of more runs than this is looked at only when the run that was started last has ended. */
const LIST_AT_ONCE = 100;

/** The pause after a look in vain, twice as long each time. */
const FIRST_BACKOFF_MS = 2_000;
const LONGEST_BACKOFF_MS = 60_000;

/** How often the number of running runs is asked for while executions wait for a slot. */
const BETWEEN_COUNTS_MS = 2_000;

/** How many executions are woken at once: for each, n8n loads the execution and stores it. */
const wakeTurns = new Semaphore(3);

/** How many runs that the list does not show are asked about one by one in a look. */
const SINGLES = 20;

/** How long n8n takes to store an execution that is to be woken at once, in all likelihood. */
const WAVE_PAUSE_MS = 100;

/** The pause before an execution is called again that could not be woken, twice as long each time. */
const FIRST_CALL_PAUSE_MS = 50;
const LONGEST_CALL_PAUSE_MS = 15_000;

/** What n8n calls running so long after it was put to sleep is carried on by another process. */
const STORED_WITHIN_MS = 30_000;

/** An execution that is asleep: what has to be known of it to wake it, and none of its data. */
interface Sleeper extends Named {
	readonly sleepId: string;
	readonly resumeUrl: string;
	readonly asleepSince: number;
	readonly deadline: number;
	readonly api: RunApi;
	/** When its runs were started; undefined where they were started elsewhere. */
	readonly since: number | undefined;
	/** When the last of them was started, or waiting began. */
	readonly youngestSince: number;
	readonly wakeWhenPaused: boolean;
	/** Whether callbacks that all runs have ended are reason enough to wake it. */
	readonly isTrusting: boolean;
	/** How many starts wait for a slot. */
	readonly starts: number;
	/** The runs that it waits for, and what was read of each since. */
	readonly runs: Map<string, StatusAnswer | undefined>;
	/** Runs that have called back. */
	readonly reported: Set<string>;
	/** Whether n8n reaches its own address, to be called there. */
	readonly canWake: boolean;
	dueAt: number;
	isBeingWoken: boolean;
}

/** The watcher of each account that something sleeps for: a base URL and a key. */
const watchers = new Map<string, Watcher>();

function keyOf({ baseUrl, apiKey }: ApiCredential): string {
	return `${baseUrl} ${apiKey}`;
}

/** The watcher of an account. Its latest execution lends it n8n's means to send requests. */
export function watcherFor(context: IExecuteFunctions, credential: ApiCredential): Watcher {
	const key = keyOf(credential);
	const watcher = watchers.get(key) ?? new Watcher(() => watchers.delete(key));
	watchers.set(key, watcher);
	watcher.use(context, credential);
	return watcher;
}

/** The line for an account's free slots, where anybody waits in this process. */
export function lineOf(credential: ApiCredential): SlotLine | undefined {
	return watchers.get(keyOf(credential))?.line;
}

/** Takes an execution out of every line: it has no more runs to start. */
export function leaveLine(executionId: string): void {
	for (const watcher of watchers.values()) watcher.leaveLine(executionId);
}

/** The watcher of a sleep, where this process has put the execution to sleep. */
export function watcherOf(executionId: string, sleepId: string): Watcher | undefined {
	return [...watchers.values()].find((watcher) => watcher.hasAsleep(executionId, sleepId));
}

/**
 * Notes that an execution is awake.
 *
 * @returns what was read of its runs while it slept
 */
export function leaveWatchers(executionId: string): ReadonlyMap<string, StatusAnswer> {
	const read = new Map<string, StatusAnswer>();
	for (const watcher of watchers.values()) watcher.forget(executionId, read);
	return read;
}

/** Reads the runs of one account for all executions of this process that sleep until they end. */
export class Watcher {
	/** Who waits for a free slot of the plan. */
	readonly line = new SlotLine();
	/** Reads on behalf of the sleepers. */
	client: ServiceClient | undefined;
	private caller: IExecuteFunctions | undefined;
	private readonly sleepers = new Map<string, Sleeper>();
	private requests = 0;
	private saved = SAVED_UP;
	private savedAt = Date.now();
	private failures = 0;
	private failure: unknown;
	private notBefore = 0;
	private countedAt = 0;
	private isRunning = false;
	private looking: Promise<void> | undefined;
	private next: Promise<void> | undefined;
	private nudge: () => void = () => undefined;

	constructor(private readonly onIdle: () => void) {}

	/** Takes n8n's means to send requests from an execution, as earlier ones may be gone. */
	use(context: IExecuteFunctions, credential: ApiCredential): void {
		const client = connectToWatch(context, credential);
		this.caller = context;
		this.client = {
			...client,
			send: async (request) => {
				this.requests += 1;
				return await client.send(request);
			},
		};
	}

	/**
	 * Watches an execution from now on.
	 *
	 * @param canWake whether n8n reaches its own address; if not, callbacks and n8n's clock wake it
	 */
	watch(ledger: Ledger, sleepOf: Sleep, canWake: boolean): void {
		if (this.sleepers.size >= MOST) return;
		const now = Date.now();
		const { executionId, nodeId, runIndex, deadline, settings } = ledger;
		const starts = unstarted(ledger).length;
		const sleeper: Sleeper = {
			executionId,
			nodeId,
			runIndex,
			deadline,
			sleepId: sleepOf.id,
			resumeUrl: sleepOf.resumeUrl,
			asleepSince: now,
			api: runApi(ledger.api),
			since: ledger.since,
			youngestSince: ledger.startedAt ?? ledger.begunAt,
			wakeWhenPaused: settings.wakeWhenPaused,
			isTrusting: !settings.wakeWhenPaused && sleepOf.idleWakes === 0,
			starts,
			runs: new Map(openTaskIds(ledger).map((taskId) => [taskId, undefined])),
			reported: new Set(),
			canWake,
			dueAt: canWake ? now + FASTEST_LOOK : Infinity,
			isBeingWoken: false,
		};
		this.sleepers.set(executionId, sleeper);
		if (starts === 0 || !canWake) this.line.leave(executionId);
		else if (ledger.queuedAt === undefined) void this.wake(sleeper, WAVE_PAUSE_MS);
		else this.line.join(executionId, ledger.queuedAt, starts);
		void this.run();
	}

	hasAsleep(executionId: string, sleepId: string): boolean {
		return this.sleepers.get(executionId)?.sleepId === sleepId;
	}

	leaveLine(executionId: string): void {
		this.line.leave(executionId);
		this.goOn();
	}

	/** @param read takes what was read of the execution's runs while it slept */
	forget(executionId: string, read?: Map<string, StatusAnswer>): void {
		const sleeper = this.sleepers.get(executionId);
		if (sleeper === undefined) return;
		this.sleepers.delete(executionId);
		for (const [taskId, answer] of sleeper.runs) {
			if (answer !== undefined) read?.set(taskId, answer);
		}
		this.goOn();
	}

	/**
	 * Hears that a run may have ended, from a callback: it proves nothing.
	 *
	 * @returns whether there is something for the execution to go on with
	 * @throws as lookAt
	 */
	async hear(executionId: string, taskId: string): Promise<boolean> {
		const sleeper = this.sleepers.get(executionId);
		if (sleeper === undefined) return false;
		sleeper.reported.add(taskId);
		const isSilent = openRuns(sleeper).some((open) => !sleeper.reported.has(open));
		// Whoever is next in line is woken first: its start is what the free slot waits for.
		this.countedAt = 0;
		if (this.client !== undefined) await this.giveSlots(this.client);
		if (!isSilent && sleeper.isTrusting && sleeper.starts === 0) return true;
		if (isSilent && sleeper.starts === 0 && !sleeper.wakeWhenPaused) return false;
		return await this.lookAt(executionId);
	}

	/**
	 * Looks at the runs of a sleeping execution at once, unless the account has been asked too often.
	 *
	 * @returns whether there is something for it to go on with: a refused key is for the node to tell
	 * @throws ServiceError or ConnectionError when the service could not be asked
	 */
	async lookAt(executionId: string): Promise<boolean> {
		const sleeper = this.sleepers.get(executionId);
		if (sleeper === undefined) return false;
		if (Date.now() < this.notBefore && this.failure !== undefined) throw this.failure;
		this.earn();
		if (this.saved >= 1) {
			sleeper.dueAt = 0;
			await this.lookInTurn();
			if (isAccessRefusal(this.failure)) return true;
			if (this.failure !== undefined) throw this.failure;
		}
		return isOver(sleeper);
	}

	/** Looks as long as there is something to look at. Never throws. */
	private async run(): Promise<void> {
		this.nudge();
		if (this.isRunning) return;
		this.isRunning = true;
		for (let at = this.nextLookAt(); at < Infinity; at = this.nextLookAt()) {
			if (at > Date.now()) await this.nap(Math.ceil(at - Date.now()));
			else await this.lookInTurn();
		}
		this.isRunning = false;
		this.goOn();
	}

	private goOn(): void {
		this.nudge();
		if (this.sleepers.size === 0 && this.line.isEmpty && !this.isRunning) this.onIdle();
	}

	private async nap(milliseconds: number): Promise<void> {
		const nudged = new Promise<void>((resolve) => (this.nudge = resolve));
		await Promise.race([sleep(milliseconds), nudged]);
	}

	/** When to look next; never where nothing is to be looked at. */
	private nextLookAt(): number {
		let at = this.line.isEmpty ? Infinity : this.countedAt + BETWEEN_COUNTS_MS;
		for (const { dueAt } of this.sleepers.values()) at = Math.min(at, dueAt);
		this.earn();
		const affordable = Date.now() + Math.max(0, 1 - this.saved) / REQUESTS_PER_MS;
		return this.sleepers.size === 0 ? Infinity : Math.max(at, this.notBefore, affordable);
	}

	/** Saves up requests for the time since the last look. */
	private earn(): void {
		const now = Date.now();
		if (now < this.savedAt) this.beginAnew(now);
		this.saved += (now - this.savedAt) * REQUESTS_PER_MS - this.requests;
		this.saved = Math.min(this.saved, SAVED_UP);
		this.requests = 0;
		this.savedAt = now;
	}

	/** Plans anew where the machine's clock was put back. */
	private beginAnew(now: number): void {
		this.savedAt = now;
		this.countedAt = 0;
		this.notBefore = 0;
		for (const sleeper of this.sleepers.values()) {
			if (sleeper.dueAt < Infinity) sleeper.dueAt = now;
		}
	}

	/** One look at a time; whoever asks meanwhile shares the next one. */
	private async lookInTurn(): Promise<void> {
		this.next ??= (this.looking ?? Promise.resolve()).then(async () => {
			this.looking = this.next;
			this.next = undefined;
			await this.look();
		});
		await this.next;
	}

	private async look(): Promise<void> {
		const { client, caller } = this;
		if (client === undefined || caller === undefined) return;
		const due = this.takeDue();
		const looked = await attempt(async () => {
			for (const api of new Set(due.map((sleeper) => sleeper.api))) {
				await this.read(
					client,
					api,
					due.filter((sleeper) => sleeper.api === api),
				);
			}
			await this.giveSlots(client);
		});
		const count = due.flatMap(openRuns).length;
		caller.logger.debug(
			`Looked for ${due.length} of ${this.sleepers.size} sleeping executions: ${looked.ok ? `${count} runs go on` : failureText(caller.getNode(), looked.error)}`,
		);
		if (looked.ok) {
			this.failures = 0;
			this.failure = undefined;
			return;
		}
		const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** this.failures, LONGEST_BACKOFF_MS);
		this.failures += 1;
		this.failure = looked.error;
		this.notBefore = Date.now() + backoff;
		for (const sleeper of due) {
			noteRefusal(caller.getNode(), sleeper, looked.error);
			if (isAccessRefusal(looked.error)) void this.wake(sleeper);
		}
	}

	/** The sleepers whose runs are to be looked at now. Those at their wait limit are left to n8n's clock. */
	private takeDue(): Sleeper[] {
		const now = Date.now();
		for (const sleeper of this.sleepers.values()) {
			if (now >= sleeper.deadline) this.drop(sleeper);
		}
		const due = [...this.sleepers.values()].filter(({ dueAt }) => dueAt <= now + TOGETHER_MS);
		for (const sleeper of due) {
			const pause = pauseBetweenLooks(now - sleeper.youngestSince);
			sleeper.dueAt = isOver(sleeper) || !sleeper.canWake ? Infinity : now + pause;
		}
		return due;
	}

	private async read(client: ServiceClient, api: RunApi, due: Sleeper[]): Promise<void> {
		const open = due.flatMap(openRuns);
		const last = open.at(-1);
		if (due.length === 1 && open.length > LIST_AT_ONCE && last !== undefined) {
			const isOpen = await this.readOnly(client, api, due, [last]);
			if (isOpen) return;
		}
		await this.readOnly(client, api, due, due.flatMap(openRuns));
		for (const sleeper of due) {
			noteLook(sleeper);
			if (isOver(sleeper)) void this.wake(sleeper);
		}
	}

	/** @returns whether the last of the runs is still open */
	private async readOnly(
		client: ServiceClient,
		api: RunApi,
		due: Sleeper[],
		taskIds: string[],
	): Promise<boolean> {
		const starts = due.map(({ since }) => since);
		const since = starts.every(isNumber) ? Math.min(...starts) : undefined;
		const answers = await readStatuses(client, api, taskIds, { since, mostSingles: SINGLES });
		let ended = 0;
		for (const { runs } of due) {
			for (const taskId of runs.keys()) {
				const answer = answers.get(taskId);
				if (answer === undefined) continue;
				runs.set(taskId, answer);
				if (isEnd(answer)) ended += 1;
			}
		}
		this.line.end(ended);
		if (ended > 0) this.countedAt = 0;
		return due.some((sleeper) => openRuns(sleeper).includes(taskIds.at(-1) ?? ''));
	}

	/** Has the first in line start runs where the plan has slots free. */
	private async giveSlots(client: ServiceClient): Promise<void> {
		const now = Date.now();
		if (this.line.isEmpty || now < Math.max(this.notBefore, this.countedAt + BETWEEN_COUNTS_MS)) {
			return;
		}
		this.countedAt = now;
		const running = await countRunning(client);
		const begun = [...this.sleepers.values()]
			.flatMap(({ runs }) => [...runs.values()])
			.filter((status) => status === 'created').length;
		for (const { executionId } of this.line.give(running, begun, Date.now())) {
			const sleeper = this.sleepers.get(executionId);
			if (sleeper === undefined) this.line.leave(executionId);
			else void this.wake(sleeper);
		}
	}

	/** Has n8n carry an execution out again, until it is awake. Never throws. */
	private async wake(sleeper: Sleeper, firstPause = 0): Promise<void> {
		if (sleeper.isBeingWoken || !sleeper.canWake) return;
		sleeper.isBeingWoken = true;
		await sleep(firstPause);
		for (let pause = FIRST_CALL_PAUSE_MS; this.isAsleep(sleeper); pause *= 2) {
			if (Date.now() >= sleeper.deadline) return this.drop(sleeper);
			const outcome = await this.call(sleeper);
			this.caller?.logger.debug(`Called execution ${sleeper.executionId} to wake it: ${outcome}`);
			if (!this.isAsleep(sleeper)) return;
			const isElsewhere = Date.now() - sleeper.asleepSince > STORED_WITHIN_MS;
			if (outcome === 'over' || (outcome === 'running' && isElsewhere)) return this.drop(sleeper);
			await sleep(Math.min(pause, LONGEST_CALL_PAUSE_MS));
		}
	}

	/** Leaves an execution to n8n's clock, or to itself where it is over. */
	private drop({ executionId }: Sleeper): void {
		this.line.leave(executionId);
		this.forget(executionId);
	}

	private async call({ resumeUrl, sleepId }: Sleeper): Promise<WakeOutcome> {
		const { caller } = this;
		if (caller === undefined) return 'unreachable';
		await wakeTurns.enter(new AbortController().signal);
		const outcome = await callToWake(caller, resumeUrl, sleepId);
		wakeTurns.leave();
		return outcome;
	}

	private isAsleep(sleeper: Sleeper): boolean {
		return this.sleepers.get(sleeper.executionId) === sleeper;
	}
}

/** The runs of a sleeper that are still waited for. */
function openRuns({ runs, wakeWhenPaused }: Sleeper): string[] {
	return [...runs].flatMap(([taskId, answer]) =>
		answer === undefined || !settles(answer, wakeWhenPaused) ? [taskId] : [],
	);
}

/** Whether nothing is left to wait for. */
function isOver(sleeper: Sleeper): boolean {
	return sleeper.starts === 0 && openRuns(sleeper).length === 0;
}

function isEnd(answer: StatusAnswer): boolean {
	return typeof answer !== 'string' || isTerminal(answer);
}

function isNumber(value: number | undefined): value is number {
	return value !== undefined;
}
