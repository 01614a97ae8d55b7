import type { CallbackRecord } from '../sandbox/callbacks';
import type { SandboxRun } from '../sandbox/control';
import { isTerminal } from '../sandbox/runs';
import type { Stop } from './disturb';
import type { ExecutionFacts, GivenEvent } from './history';
import { wordOf, type CalledJob } from './load';
import type { Item } from './plan';

/** Everything that the books are made from. */
export interface Facts {
	jobs: CalledJob[];
	/** Words of the runs that a trigger was to start itself. */
	ownWords: string[];
	runs: SandboxRun[];
	callbacks: CallbackRecord[];
	executions: ExecutionFacts[];
	stops: Stop[];
	/** The key of the runs that the polling trigger tells of. */
	polledKey: string;
}

/** What became of all items and events, counted, and what should not have been. */
export interface Books {
	items: Map<string, number>;
	events: Map<string, number>;
	executions: Map<string, number>;
	findings: string[];
}

/** The promise is kept. */
export const ITEM = {
	result: 'result, once',
	failed: 'error that names the run',
	uncertain: 'error that says: started or not is unknown',
	refused: 'error, not started',
	crashedNamed: 'n8n ended while it was awake: run kept with the execution',
	crashedUnnamed: 'n8n ended while it was awake: run not kept (the uncertain window)',
	crashedUnstarted: 'n8n ended while it was awake: not started',
	notTaken: 'not taken: n8n was down',
} as const;

export const EVENT = {
	once: 'given once',
	unheard: 'callback lost or refused: nothing to give',
	betweenStops: 'taken while n8n was being ended',
	twiceOverStop: 'given again after n8n was ended before it had stored the event',
} as const;

/** How near to the end of a process something has to be so that its storing is uncertain, in milliseconds. */
const NEAR = 5_000;

/** How long before the end of a process an execution may have begun that is awake then, in milliseconds. */
const LONGEST_AWAKE = 300_000;

/** How an error says so of its own item, and of others by their numbers. */
const UNKNOWN = /(?:run|it) was started is not known/i;
const UNKNOWN_OTHERS = /is not known \(counted from 0\): ([\d, ]+)/;

/** Compares what the service was asked for with what n8n holds. */
export function closeBooks(facts: Facts): Books {
	const books: Books = {
		items: new Map(),
		events: new Map(),
		executions: new Map(),
		findings: [],
	};
	const runsByWord = groupBy(facts.runs, ({ input }) => wordOf(input));
	const executionsByJob = groupBy(facts.executions, ({ job }) => job);
	for (const job of facts.jobs) {
		const executions = executionsByJob.get(job.name) ?? [];
		closeJob(books, facts, job, executions, runsByWord);
	}
	for (const word of facts.ownWords) {
		const started = runsByWord.get(word)?.length ?? 0;
		if (started > 1) books.findings.push(`${word}: the trigger started ${started} runs`);
	}
	closeExecutions(books, facts);
	closeEvents(books, facts);
	return books;
}

function closeJob(
	books: Books,
	{ stops }: Facts,
	job: CalledJob,
	executions: ExecutionFacts[],
	runsByWord: Map<string, SandboxRun[]>,
): void {
	const [execution, ...more] = executions;
	const { findings } = books;
	if (more.length > 0) findings.push(`${job.name}: ${executions.length} executions`);
	if (execution === undefined && job.isTaken && !isNear(stops, job.at)) {
		findings.push(`${job.name}: n8n said that it began, and has no execution`);
	}
	let silent = 0;
	let uncertain = 0;
	for (const item of job.items) {
		const runs = runsByWord.get(item.word) ?? [];
		if (runs.length > 1) {
			findings.push(`${item.word} (${job.kind}): started ${runs.length} times`);
			continue;
		}
		const fate = fateOf(isToFail(job, item), runs[0], execution);
		if (fate === undefined) silent += 1;
		else add(books.items, fate);
		if (fate === ITEM.uncertain) uncertain += 1;
	}
	if (execution === undefined) return;
	silent += Math.max(0, uncertain - saidUncertain(execution.errors));
	if (silent === 0) return;
	const names = `${job.name} (${job.kind}), execution ${execution.executionId} (${execution.status})`;
	findings.push(
		`${names}: ${silent} of ${job.items.length} items with no result and no error, or more than one; ${execution.errors.join(' | ').slice(0, 600)}`,
	);
}

/** Whether an item may have no result, because its run fails and is waited for. */
function isToFail({ kind }: CalledJob, { fails }: Item): boolean {
	return fails && kind !== 'notify';
}

/** What became of an item; undefined when it should not have. */
function fateOf(
	fails: boolean,
	run: SandboxRun | undefined,
	execution: ExecutionFacts | undefined,
): string | undefined {
	if (execution === undefined) return run === undefined ? ITEM.notTaken : undefined;
	const { status, results, named, kept, errors } = execution;
	if (status === 'crashed') {
		if (run === undefined) return ITEM.crashedUnstarted;
		return kept.has(run.taskId) ? ITEM.crashedNamed : ITEM.crashedUnnamed;
	}
	if (run === undefined) return errors.length > 0 ? ITEM.refused : undefined;
	const given = results.filter((taskId) => taskId === run.taskId).length;
	if (given > 1 || (given === 1 && fails)) return undefined;
	if (given === 1) return ITEM.result;
	if (named.has(run.taskId)) return errors.length > 0 ? ITEM.failed : undefined;
	return saidUncertain(errors) > 0 ? ITEM.uncertain : undefined;
}

/** Of how many items the errors say that nobody knows whether their runs were started. */
function saidUncertain(errors: string[]): number {
	return errors.reduce((sum, text) => {
		const others = UNKNOWN_OTHERS.exec(text)?.[1]?.match(/\d+/g) ?? [];
		return sum + (UNKNOWN.test(text) ? 1 : 0) + others.length;
	}, 0);
}

function closeExecutions(books: Books, { executions, stops }: Facts): void {
	for (const { executionId, status, startedAt, job } of executions) {
		add(books.executions, status);
		const what = `execution ${executionId} (${job ?? 'of a trigger'})`;
		const begun = startedAt ?? 0;
		if (['new', 'running', 'waiting'].includes(status)) {
			books.findings.push(`${what} is still ${status}, since ${new Date(begun).toISOString()}`);
		}
		const wasAwake = stops.some(({ at, downAt }) => begun <= downAt && begun >= at - LONGEST_AWAKE);
		if (status === 'crashed' && !wasAwake) {
			books.findings.push(`${what} crashed, though n8n was not ended`);
		}
	}
}

function closeEvents(books: Books, facts: Facts): void {
	const given = groupBy(
		facts.executions.flatMap(({ events, startedAt = 0 }) =>
			events.map((event) => ({ ...event, startedAt })),
		),
		({ trigger, taskId }) => keyOfEvent(trigger, taskId),
	);
	const told = groupBy(
		facts.callbacks.filter(({ url, status }) => url.includes('/webhook/') && isTerminal(status)),
		({ taskId }) => taskId,
	);
	const ownWords = new Set(facts.ownWords);
	for (const run of facts.runs) {
		if (run.finishedAt === null) {
			books.findings.push(`run ${run.taskId} has not ended`);
			continue;
		}
		const callbacks = told.get(run.taskId) ?? [];
		const trigger = ownWords.has(wordOf(run.input)) ? 'own' : 'notified';
		const isPolled = run.key === facts.polledKey;
		if (!isPolled && callbacks.length === 0) continue;
		const name = isPolled ? 'polling' : trigger;
		const times = (given.get(keyOfEvent(name, run.taskId)) ?? []).map(({ startedAt }) => startedAt);
		const fate = isPolled
			? fateOfPolled(facts.stops, times)
			: fateOfTold(facts.stops, times, callbacks);
		if (fate === undefined) {
			const outcomes = callbacks.map(
				({ outcome, attempts }) =>
					`${outcome} (${attempts.map(({ status }) => status).join(', ')})`,
			);
			books.findings.push(
				`${name} trigger: the end of run ${run.taskId} was given ${times.length} times; callbacks: ${outcomes.join('; ')}`,
			);
		} else add(books.events, `${name}: ${fate}`);
	}
}

function keyOfEvent(trigger: GivenEvent['trigger'], taskId: string): string {
	return `${trigger} ${taskId}`;
}

function fateOfPolled(stops: Stop[], times: number[]): string | undefined {
	if (times.length === 1) return EVENT.once;
	return times.length > 1 && liesAroundStop(stops, times) ? EVENT.twiceOverStop : undefined;
}

function fateOfTold(
	stops: Stop[],
	times: number[],
	callbacks: CallbackRecord[],
): string | undefined {
	if (times.length === 1) return EVENT.once;
	if (times.length > 1) return liesAroundStop(stops, times) ? EVENT.twiceOverStop : undefined;
	if (callbacks.every(({ outcome }) => outcome !== 'accepted')) return EVENT.unheard;
	const taken = callbacks.flatMap(({ attempts }) =>
		attempts.filter(({ status = 0 }) => status >= 200 && status < 300),
	);
	return taken.every(({ at }) => isNear(stops, at)) ? EVENT.betweenStops : undefined;
}

/** Whether n8n was ended between the first time and the last, so soon after the first that it may not be stored. */
function liesAroundStop(stops: Stop[], times: number[]): boolean {
	const [first, last] = [Math.min(...times), Math.max(...times)];
	return stops.some(
		({ at, downAt }) => first >= at - NEAR && first <= downAt && last >= downAt - NEAR,
	);
}

/** Whether a moment lies shortly before n8n was ended, or while it was. */
function isNear(stops: Stop[], moment: number): boolean {
	return stops.some(({ at, backAt }) => moment >= at - NEAR && moment <= backAt);
}

function add(counts: Map<string, number>, name: string): void {
	counts.set(name, (counts.get(name) ?? 0) + 1);
}

function groupBy<T, K>(entries: readonly T[], key: (entry: T) => K): Map<K, T[]> {
	const groups = new Map<K, T[]>();
	for (const entry of entries) {
		const group = groups.get(key(entry));
		if (group === undefined) groups.set(key(entry), [entry]);
		else group.push(entry);
	}
	return groups;
}
