import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { N8nServer } from '../../dev/n8n/server';
import { waitUntil } from '../../dev/n8n/waitUntil';
import type { Sandbox } from '../../dev/sandbox/server';
import { cpuOf, openStage } from '../bench/stage';
import { closeAudit, type Audit } from './audit';
import { readHistory, type ExecutionFacts } from './history';
import { Load, retry, settle } from './load';
import { planStorm } from './plan';
import { readOutputs, withAccounts, type Setup } from './service';
import { publishWaiting } from './workflows';

const MINUTE = 60_000;

/** How late n8n's wait timer may resume what nobody watches any more where so many sleep: a quarter of an hour, and an hour. */
const LATEST = 80 * MINUTE;

/** How often what n8n ended badly is retried: it cannot where it has thrown the data away. */
const RETRIES = 10;

export interface StormOptions {
	/** Executions of one item, and items of one further execution. */
	executions: number;
	batch: number;
	workers: number;
	/** Whether processes are killed and the data services restarted in the middle. */
	isCalm: boolean;
	/** Whether a killed process starts again without the events that it noted, as a new container does. */
	hasNewDisks: boolean;
	environment: Record<string, string>;
}

/** Time in which the service ends all runs, in milliseconds. */
const ENDING_MS = 10_000;

/**
 * Executions in queue mode, all asleep on callbacks, which come within seconds, while processes die. Nothing excuses an error:
 * what n8n ended badly is retried, as a user would.
 */
export async function storm(options: StormOptions): Promise<Audit> {
	const { executions, batch, workers, environment } = options;
	const recordLimit = 10 * (executions + batch);
	const service = { durations: { created: 0, running: null }, recordLimit };
	const stage = await openStage({ workers, environment, service });
	const supervisor = supervise(stage.servers);
	try {
		const setup = await withAccounts(stage);
		const begun = Date.now();
		const report = (what: string): void => {
			console.log(`${((Date.now() - begun) / 1_000).toFixed(0).padStart(5)} s  ${what}`);
		};
		await publishWaiting(setup);
		const load = new Load(setup, planStorm(executions, batch));
		await load.run();
		await untilAsleep(setup, executions, executions + batch);
		report(`${executions} executions asleep, and one of ${batch} items`);
		const delivered = Date.now();
		const delivery = endRuns(setup.sandbox);
		if (!options.isCalm) await makeTrouble(setup, report, options.hasNewDisks);
		await delivery;
		await settle(setup, LATEST, false);
		const retried = await retryAll(setup, report);
		report(`all over, ${retried.size} of them after a retry`);
		const runs = await setup.sandbox.runs();
		const history = await readHistory(setup.client);
		report(`over after the first callback: ${whenOver(history, delivered)}`);
		report(`callbacks: ${await callbacksOf(setup.sandbox)}`);
		report(`CPU of n8n: ${(cpuOf(stage) / 1_000).toFixed(0)} s, without what was killed`);
		return closeAudit({
			...{ jobs: load.called, runs, outputs: await readOutputs(setup.sandbox, runs) },
			executions: history.filter(({ executionId }) => !retried.has(executionId)),
			...{ stops: [], outages: [], failures: { taskIds: new Set(), words: new Set() } },
			...{ ownWords: [], callbacks: [], polledKey: '' },
		});
	} finally {
		clearInterval(supervisor);
		await stage.close();
	}
}

/** Waits until all runs are started and nearly all executions sleep: n8n's wait timer resumes some again meanwhile. */
async function untilAsleep(
	{ client, sandbox }: Setup,
	executions: number,
	runs: number,
): Promise<void> {
	let seen = '';
	await waitUntil(
		async () => {
			const started = (await sandbox.runs()).length;
			const asleep = await client.countExecutions(['waiting']).catch(() => 0);
			seen = `${started} runs, ${asleep} asleep`;
			return (started >= runs && asleep >= executions * 0.99) || undefined;
		},
		{ timeout: 20 * MINUTE, interval: 250, describe: () => `Not all fell asleep: ${seen}` },
	);
}

/** Ends all runs, evenly within the time for it. */
async function endRuns(sandbox: Sandbox): Promise<void> {
	const runs = await sandbox.runs();
	const begun = Date.now();
	for (const [index, { taskId }] of runs.entries()) {
		const due = begun + (ENDING_MS * index) / runs.length;
		if (due > Date.now()) await sleep(due - Date.now());
		await sandbox.moveRun({ taskId, status: 'finished' });
	}
}

/** Retries what n8n ended badly until nothing is left of it. @returns the IDs of what was retried */
async function retryAll(setup: Setup, report: (what: string) => void): Promise<Set<string>> {
	const retried = new Set<string>();
	for (let times = 0; times < RETRIES; times++) {
		const history = await readHistory(setup.client);
		const runs = await setup.sandbox.runs();
		const failed = history.filter(
			(execution) => !retried.has(execution.executionId) && isToRetry(execution, runs),
		);
		if (failed.length === 0) break;
		for (const { executionId, status, errors, kept } of failed) {
			const said = errors.join(' | ');
			report(`execution ${executionId} is ${status}, names ${kept.size} runs, is retried: ${said}`);
		}
		for (const id of await retry(setup, failed)) retried.add(id);
		await settle(setup, LATEST, false);
	}
	return retried;
}

/**
 * Whether n8n has ended an execution badly, so that a user would retry it. An error that reports a run is
 * the node's own: here the service finishes every run, and nothing heals it.
 */
export function isToRetry(
	{ status, errors }: Pick<ExecutionFacts, 'status' | 'errors'>,
	runs: ReadonlyArray<{ taskId: string }>,
): boolean {
	const isOver = status === 'success' || status === 'waiting';
	return !isOver && !runs.some(({ taskId }) => errors.join(' ').includes(taskId));
}

/** When half, nine tenths, 99 % and all executions had ended, in words. */
function whenOver(history: ExecutionFacts[], since: number): string {
	const times = history.map(({ stoppedAt = NaN }) => (stoppedAt - since) / 1_000);
	const sorted = times.filter((time) => time > 0).sort((one, other) => one - other);
	return [0.5, 0.9, 0.99, 1]
		.map((share) => {
			const time = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
			return `${share * 100} % in ${time.toFixed(0)} s`;
		})
		.join(', ');
}

/** How many callbacks were sent and accepted, and what n8n answered, in words. */
async function callbacksOf(sandbox: Sandbox): Promise<string> {
	const records = await sandbox.callbacks();
	const answers = new Map<string, number>();
	for (const { status, error } of records.flatMap(({ attempts }) => attempts)) {
		const answer = String(status ?? error);
		answers.set(answer, (answers.get(answer) ?? 0) + 1);
	}
	const accepted = records.filter(({ outcome }) => outcome === 'accepted').length;
	const shown = [...answers].map(([answer, count]) => `${answer}: ${count}`).join(', ');
	return `${records.length}, accepted ${accepted}; answers ${shown}`;
}

/** Processes that are down on purpose, or being started. */
const down = new WeakSet<N8nServer>();

/** Starts processes of n8n again that ended by themselves, as a container's restart policy does, and tells it. */
function supervise(servers: readonly N8nServer[]): NodeJS.Timeout {
	return setInterval(() => {
		for (const server of servers) {
			if (server.pid !== undefined || down.has(server)) continue;
			console.log(`         ${server.role} ended by itself and is started again`);
			void startAgain(server);
		}
	}, 1_000);
}

async function startAgain(server: N8nServer): Promise<void> {
	down.add(server);
	await server.start().finally(() => down.delete(server));
}

/**
 * Once half of the callbacks were tried, kills a worker and a process for webhooks, starts them again, and restarts PostgreSQL
 * and Redis.
 *
 * @param hasNewDisks whether they start without the events that they noted; of what they noted, n8n marks all that is not
 *   over as crashed
 */
async function makeTrouble(
	{ queue, sandbox }: Setup,
	report: (what: string) => void,
	hasNewDisks: boolean,
): Promise<void> {
	const half = (await sandbox.runs()).length / 2;
	const isHalfTried = async (): Promise<true | undefined> => {
		const callbacks = await sandbox.callbacks();
		return callbacks.filter(({ attempts }) => attempts.length > 0).length >= half || undefined;
	};
	await waitUntil(isHalfTried, { timeout: LATEST, describe: () => 'Too few callbacks were sent' });
	const victims = [queue?.workers[0], queue?.webhookProcesses[0]].filter(
		(one) => one !== undefined,
	);
	report('a worker and a webhook process are killed');
	for (const victim of victims) down.add(victim);
	await Promise.all(victims.map(async (victim) => await victim.kill()));
	if (hasNewDisks) victims.forEach(forgetEvents);
	await Promise.all(victims.map(startAgain));
	report('both are back; PostgreSQL and Redis are restarted');
	await queue?.postgres.restart();
	await queue?.redis.restart();
	report('both are back');
}

function forgetEvents({ userFolder }: N8nServer): void {
	const folder = path.join(userFolder, '.n8n');
	const logs = readdirSync(folder).filter((name) => /^n8nEventLog-(worker|webhook)/.test(name));
	for (const log of logs) rmSync(path.join(folder, log));
}
