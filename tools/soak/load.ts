import { setTimeout as sleep } from 'node:timers/promises';

import { callWebhook } from '../../dev/n8n/callWebhook';
import { waitUntil } from '../../dev/n8n/waitUntil';
import type { ExecutionFacts } from './history';
import type { Item, Job } from './plan';
import { keyOf, type Setup } from './setup';
import { hookPath, ownRun, type Workflows } from './workflows';

/** How many executions are begun at the same time. */
const AT_ONCE = 6;

/** With so many executions open no further ones are begun. */
const MAX_OPEN = 300;

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

	constructor(
		private readonly setup: Setup,
		private readonly workflows: Workflows,
		private readonly jobs: Job[],
		private readonly rate: number,
	) {}

	/** Begins executions until `stop()`, or until there are no more jobs. */
	async run(): Promise<void> {
		const begun = Date.now();
		let next = 0;
		let due = begun;
		const begin = async (): Promise<void> => {
			while (!this.isOver) {
				const job = this.jobs[next++];
				if (job === undefined) return;
				const at = due;
				due = Math.max(due, Date.now() - 1_000) + (job.items.length / this.rate) * 1_000;
				await this.untilReady(at);
				if (!this.isOver) await this.call(job);
			}
		};
		await Promise.all([
			...Array.from({ length: AT_ONCE }, begin),
			this.watchOpen(),
			this.publishAgain(),
		]);
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
		while (!this.isOver && (!this.isUp || this.open >= MAX_OPEN)) await sleep(200);
	}

	private async call(job: Job): Promise<void> {
		const called: CalledJob = { ...job, at: Date.now(), isTaken: false };
		this.called.push(called);
		try {
			const body = { job: job.name, items: job.items.map(itemOf) };
			await callWebhook(this.setup.server.url, hookPath(job.kind), body, ANSWER_LIMIT);
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
	private async publishAgain(): Promise<void> {
		const { client } = this.setup;
		let { own } = this.workflows;
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

/** How long everything may take to come to its end: n8n's wait timer is set to a quarter of an hour at most. */
const SETTLE_LIMIT = 960_000;

/** The polling trigger polls each minute: after two polls it has reported all that there is. */
const POLLS = 2;

/**
 * Waits until nothing goes on any more: no run, no callback, no execution, and two polls after that.
 *
 * @returns how long that took in milliseconds, and whether it came to an end at all
 */
export async function settle(setup: Setup): Promise<{ took: number; isSettled: boolean }> {
	const begun = Date.now();
	const { sandbox } = setup;
	const rest = { timeout: SETTLE_LIMIT, interval: 2_000, describe: () => 'not settled' };
	try {
		await waitUntil(async () => {
			const going = (await sandbox.runs()).some(({ finishedAt }) => finishedAt === null);
			if (going) return undefined;
			await sandbox.callbacksSettled();
			return (await countOpen(setup)) === 0 ? true : undefined;
		}, rest);
		const quietAt = Date.now();
		await waitUntil(async () => {
			const lists = await sandbox.requests({ operation: 'run.getAll', key: keyOf('polled') });
			const minutes = lists.filter(({ at }) => at > quietAt).map(({ at }) => minuteOf(at));
			return new Set(minutes).size >= POLLS ? true : undefined;
		}, rest);
		await waitUntil(async () => ((await countOpen(setup)) === 0 ? true : undefined), rest);
	} catch {
		return { took: Date.now() - begun, isSettled: false };
	}
	return { took: Date.now() - begun, isSettled: true };
}

/**
 * Retries, as a user would, the executions that crashed with n8n.
 *
 * @returns how many; n8n cannot retry one that it had kept nothing of
 */
export async function retryCrashed({ client }: Setup, all: ExecutionFacts[]): Promise<number> {
	const crashed = all.filter(({ status }) => status === 'crashed');
	let retried = 0;
	for (const { executionId } of crashed) {
		const isRetried = await client.retryExecution(executionId).then(
			() => true,
			() => false,
		);
		if (isRetried) retried += 1;
	}
	return retried;
}

function minuteOf(moment: number): number {
	return Math.floor(moment / 60_000);
}
