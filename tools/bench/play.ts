import { randomUUID } from 'node:crypto';

import { callWebhook } from '../../dev/n8n/callWebhook';
import { waitUntil } from '../../dev/n8n/waitUntil';
import type { SandboxRun } from '../../dev/sandbox/control';
import type { DurationSetting } from '../../dev/sandbox/durations';
import { mapConcurrently } from '../../nodes/BrowserAutomation/service/concurrency';
import { cpuOf, untilAtRest, type Stage } from './stage';
import type { Candidate } from './workflows';

/** What is started, and what the service does meanwhile. */
export interface Play {
	/** Executions that are begun at the same time (1), and how many items each has (1). */
	executions?: number;
	items?: number;
	/** How long runs take; without it they go on until all executions sleep, and then end together. */
	durations?: DurationSetting;
	/** What happens while all sleep. */
	asleep?: () => Promise<void>;
	/** How many runs the plan carries out at a time; any number when left out. */
	slots?: number;
	/** Whether the service's callbacks get lost. */
	areCallbacksLost?: boolean;
	/** Whether others are played in the same n8n: then it never rests, which is not waited for. */
	areOthersBusy?: boolean;
}

/** How it went, from the first call of the webhook, or from the end of the runs of what slept. Times in milliseconds. */
export interface Played {
	/** Until the last execution's next node. */
	time: number;
	/** Until the last start of a run. */
	started: number;
	/** Of n8n, until all executions are over. */
	cpu: number;
	/** From the end of an execution's last run to its next node. */
	late: number[];
	/** Requests to the service, and starts among them. */
	requests: number;
	starts: number;
	/** By how many places the runs stand apart from the order in which the executions were called, in the mean. */
	astray: number;
}

/** How many webhooks are called at the same time. */
const CALLED_AT_ONCE = 20;

/** How long anything may take, in milliseconds. */
const PATIENCE = 1_200_000;

/** The one load of all measurements that wait for runs. @throws Error when an execution does not reach its node `Next` */
export async function play(stage: Stage, candidate: Candidate, plan: Play): Promise<Played> {
	const { client, sandbox } = stage;
	const { executions = 1, items = 1, slots } = plan;
	await sandbox.reset();
	await sandbox.setDurations({ created: 0, running: null, ...plan.durations });
	if (slots !== undefined) await sandbox.setKey({ key: sandbox.key, concurrency: slots });
	if (plan.areCallbacksLost) await sandbox.setCallbackFaults({ lose: 'all' });
	const path = `bench-${randomUUID()}`;
	const workflow = await client.publish(candidate(stage, path, items));
	if (plan.areOthersBusy !== true) await untilAtRest(stage);

	const now = (): [at: number, cpu: number] => [Date.now(), cpuOf(stage)];
	let [begun, cpuBefore] = now();
	const calls = Array.from({ length: executions }, (_, index) => index);
	await mapConcurrently(calls, CALLED_AT_ONCE, async (call) => {
		const body = Array.from({ length: items }, (_, index) => ({ keyword: `w${call + index}` }));
		await callWebhook(stage.url, path, { items: body });
	});
	if (plan.durations === undefined) {
		const started = async (): Promise<SandboxRun[] | undefined> => {
			const runs = await sandbox.runs();
			return runs.length >= executions * items ? runs : undefined;
		};
		const describe = (): string => 'Not all runs were started';
		const runs = await waitUntil(started, { timeout: PATIENCE, describe });
		await client.untilCounted(workflow, 'waiting', executions);
		await plan.asleep?.();
		[begun, cpuBefore] = now();
		for (const { taskId } of runs) await sandbox.moveRun({ taskId, status: 'finished' });
	}
	const over = async (): Promise<true | undefined> => {
		const open = await client.countExecutions(['new', 'running', 'waiting'], workflow);
		return open === 0 || undefined;
	};
	const describe = (): string => 'Not all executions are over';
	await waitUntil(over, { timeout: PATIENCE, interval: 200, describe });
	const cpu = cpuOf(stage) - cpuBefore;

	const runs = await sandbox.runs();
	const { total: requests, byOperation } = await sandbox.load();
	const ends = new Map(runs.map(({ taskId, finishedAt }) => [taskId, finishedAt ?? NaN]));
	const late: number[] = [];
	let last = 0;
	for (const { executionId } of await client.executions(workflow)) {
		const execution = await client.execution(executionId);
		const [run] = execution.runs('Next');
		if (run === undefined)
			throw new Error(`Execution ${executionId}: ${execution.failure?.message}`);
		const ended = execution.json('Next').map(({ task_id }) => ends.get(String(task_id)) ?? NaN);
		late.push(run.startedAt - Math.max(...ended));
		last = Math.max(last, run.startedAt);
	}
	await client.deactivate(workflow);
	return {
		...{ time: last - begun, cpu, late, requests },
		started: Math.max(...runs.map(({ createdAt }) => createdAt)) - begun,
		starts: byOperation['bot.run'] ?? 0,
		astray: astrayIn(runs),
	};
}

function astrayIn(runs: SandboxRun[]): number {
	const inOrder = [...runs].sort((one, other) => one.createdAt - other.createdAt);
	const places = inOrder.map(({ input }, place) =>
		Math.abs(Number(String(input.keyword).slice(1)) - place),
	);
	return places.reduce((sum, one) => sum + one, 0) / places.length;
}
