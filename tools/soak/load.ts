import { setTimeout as sleep } from 'node:timers/promises';

import { callWebhook } from '../../dev/n8n/callWebhook';
import { waitUntil } from '../../dev/n8n/waitUntil';
import type { StoredWorkflow } from '../../dev/n8n/client';
import type { ExecutionFacts } from './history';
import type { Item, Job } from './plan';
import { keyOf, type Setup } from './service';
import { hookPath, ownRun } from './workflows';

/** How many executions are begun at the same time. */
const AT_ONCE = 6;

/** How often n8n is asked how many executions are open, in milliseconds. */
const ASK_EVERY = 3_000;

/** How long n8n may take to say that an execution began, in milliseconds. */
const ANSWER_LIMIT = 60_000;

/** The bots that finish and fail, and their inputs for a word. */
const FINISHING = (word: string) => ({ bot: '1001', input: { keyword: word, max_results: 1 } });
const FAILING = (word: string) => ({ bot: '1004', input: { username: word } });

/** A job for which n8n was called. */
export interface CalledJob extends Job {
	/** Epoch milliseconds. */
	at: number;
	/** Whether n8n said that it began; otherwise it may or may not have begun. */
	isTaken: boolean;
}

/** Begins executions until it is stopped, no faster than the rate (items a second). */
export class Load {
	readonly called: CalledJob[] = [];

	/** Words of the runs that the trigger was to start itself. */
	readonly ownWords: string[] = [];

	private isOver = false;

	private isUp = true;

	private open = 0;

	/**
	 * @param pace how fast, in items a second, and with how many open executions no further ones are begun
	 * @param own the workflow whose trigger starts runs of its own, where there is one
	 */
	constructor(
		private readonly setup: Setup,
		private readonly jobs: Job[],
		private readonly pace = { rate: Infinity, maxOpen: Infinity },
		private readonly own?: StoredWorkflow,
	) {}

	/** Begins executions until `stop()`, or until there are no more jobs. */
	async run(): Promise<void> {
		let next = 0;
		let due = Date.now();
		const begin = async (): Promise<void> => {
			while (!this.isOver) {
				const job = this.jobs[next++];
				if (job === undefined) return;
				const at = due;
				due = Math.max(due, Date.now() - 1_000) + (job.items.length / this.pace.rate) * 1_000;
				await this.untilReady(at);
				if (!this.isOver) await this.call(job);
			}
		};
		const beginning = Array.from({ length: AT_ONCE }, begin);
		const beside = this.own === undefined ? [] : [this.watchOpen(), this.publishAgain(this.own)];
		await Promise.all([...beginning, ...beside]);
	}

	/** Begins nothing more. */
	stop(): void {
		this.isOver = true;
	}

	/** Says whether n8n is there: while it is not, nothing is begun. */
	setUp(isUp: boolean): void {
		this.isUp = isUp;
	}

	private async untilReady(at: number): Promise<void> {
		await sleep(Math.max(0, at - Date.now()));
		while (!this.isOver && (!this.isUp || this.open >= this.pace.maxOpen)) await sleep(200);
	}

	private async call(job: Job): Promise<void> {
		const called: CalledJob = { ...job, at: Date.now(), isTaken: false };
		this.called.push(called);
		try {
			const body = { job: job.name, items: job.items.map(itemOf) };
			await callWebhook(this.setup.url, hookPath(job.kind), body, { limit: ANSWER_LIMIT });
			called.isTaken = true;
		} catch {
			// n8n is being stopped: the audit finds out whether it began.
			await sleep(500);
		}
	}

	private async watchOpen(): Promise<void> {
		while (!this.isOver) {
			this.open = (await countOpen(this.setup)) ?? this.open;
			await sleep(ASK_EVERY);
		}
	}

	/** Publishes the workflow whose trigger starts a run of its own again and again. */
	private async publishAgain(stored: StoredWorkflow): Promise<void> {
		const { client } = this.setup;
		let own = stored;
		for (let count = 0; !this.isOver; count++) {
			const word = `word-own-${count}`;
			try {
				if (count > 0) await client.deactivate(own);
				own = await client.updateWorkflow(own, ownRun(this.setup, word));
				this.ownWords.push(word);
				await client.activate(own);
			} catch {
				// n8n or the service is down for the moment. The next run is another one.
			}
			for (let second = 0; second < OWN_EVERY_SECONDS && !this.isOver; second++) await sleep(1_000);
		}
	}
}

/** Time for a run of the trigger's own to end and to be reported. */
const OWN_EVERY_SECONDS = 20;

function itemOf({ word, fails }: Item): Record<string, unknown> {
	return fails ? FAILING(word) : FINISHING(word);
}

/** How many executions are not over; undefined when n8n does not say. */
async function countOpen({ client }: Pick<Setup, 'client'>): Promise<number | undefined> {
	return await client.countExecutions(['new', 'running', 'waiting']).catch(() => undefined);
}

/** The polling trigger polls each minute: after two polls it has reported all that there is. */
const POLLS = 2;

/**
 * Waits until nothing goes on any more: no run, no callback, no execution, and, where the polling trigger is there, two polls
 * after that.
 *
 * @param limit how long that may take, in milliseconds: n8n's wait timer is set to a quarter of an hour, or to an hour
 * @returns whether it came to an end at all
 */
export async function settle(setup: Setup, limit: number, isPolled: boolean): Promise<boolean> {
	const { sandbox } = setup;
	const rest = { timeout: limit, interval: 2_000, describe: () => 'not settled' };
	const isQuiet = async (): Promise<true | undefined> => {
		if ((await sandbox.runs()).some(({ finishedAt }) => finishedAt === null)) return undefined;
		await sandbox.callbacksSettled();
		return (await countOpen(setup)) === 0 || undefined;
	};
	try {
		await waitUntil(isQuiet, rest);
		const quietAt = Date.now();
		const hasPolled = async (): Promise<true | undefined> => {
			const lists = await sandbox.requests({ operation: 'run.getAll', key: keyOf('polled') });
			const later = lists.filter(({ at }) => at > quietAt);
			const minutes = new Set(later.map(({ at }) => Math.floor(at / 60_000)));
			return minutes.size >= POLLS || undefined;
		};
		if (isPolled) await waitUntil(hasPolled, rest);
		await waitUntil(isQuiet, rest);
		return true;
	} catch {
		return false;
	}
}

/** Retries executions, as a user would. n8n cannot retry one that it had kept nothing of. @returns the IDs of those it did */
export async function retry({ client }: Setup, failed: ExecutionFacts[]): Promise<string[]> {
	const retried: string[] = [];
	for (const { executionId } of failed) {
		const isRetried = await client.retryExecution(executionId).then(
			() => true,
			() => false,
		);
		if (isRetried) retried.push(executionId);
	}
	return retried;
}
