import type { CallbackRecord } from '../../dev/sandbox/callbacks';
import type { SandboxRun } from '../../dev/sandbox/control';
import { isTerminal } from '../../dev/sandbox/runs';
import { printTable } from '../bench/figures';
import type { Outage, Stop } from './faults';
import type { ExecutionFacts, GivenEvent, Result } from './history';
import type { CalledJob } from './load';
import type { Item } from './plan';
import { wordOf, type Failures } from './service';
import { FILES_OF_A_RESULT } from './workflows';

/** Everything that the audit is made from. */
export interface Facts {
	jobs: CalledJob[];
	/** Words of the runs that a trigger was to start itself. */
	ownWords: string[];
	runs: SandboxRun[];
	callbacks: CallbackRecord[];
	executions: ExecutionFacts[];
	stops: Stop[];
	/** When the service took no requests, and whose requests failed. */
	outages: Outage[];
	failures: Failures;
	/** What runs put out, as JSON, by their IDs. */
	outputs: ReadonlyMap<string, string>;
	/** The key of the runs that the polling trigger tells of. */
	polledKey: string;
}

/** What became of all items and events, counted, and what should not have been. */
export interface Audit {
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
	startedAgain: 'n8n ended while it was awake, run not kept: started again by Retry',
	begunAnew: 'n8n ended while it was awake, run had failed: begun anew by Retry',
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
const MAX_AWAKE = 300_000;

/** How long n8n goes on asking after the service's trouble is over, in milliseconds. */
const PATIENCE = 15_000;

/** How an error says so of its own item, and of others by their numbers. */
const UNKNOWN = /(?:run|it) was started is not known/i;
const UNKNOWN_OTHERS = /is not known \(counted from 0\): ([\d, ]+)/;

/** Fates that something must have gone wrong for. */
const ERRORS: ReadonlySet<string | undefined> = new Set([
	ITEM.failed,
	ITEM.refused,
	ITEM.uncertain,
]);

/** Compares what the service was asked for with what n8n holds. */
export function closeAudit(facts: Facts): Audit {
	const audit: Audit = { items: new Map(), events: new Map(), executions: new Map(), findings: [] };
	const runsByWord = groupBy(facts.runs, ({ input }) => wordOf(input));
	const executionsByJob = groupBy(facts.executions, ({ job }) => job);
	for (const job of facts.jobs) {
		const executions = executionsByJob.get(job.name) ?? [];
		closeJob(audit, facts, job, executions, runsByWord);
	}
	for (const word of facts.ownWords) {
		const started = runsByWord.get(word)?.length ?? 0;
		if (started > 1) audit.findings.push(`${word}: the trigger started ${started} runs`);
	}
	closeExecutions(audit, facts);
	closeEvents(audit, facts);
	return audit;
}

function closeJob(
	audit: Audit,
	facts: Facts,
	job: CalledJob,
	executions: ExecutionFacts[],
	runsByWord: Map<string, SandboxRun[]>,
): void {
	const [original, ...more] = executions.filter(({ retryOf }) => retryOf === undefined);
	const execution = executions.filter(({ retryOf }) => retryOf !== undefined).at(-1) ?? original;
	const isRetried = execution !== undefined && execution !== original;
	const { findings } = audit;
	if (more.length > 0) findings.push(`${job.name}: ${more.length + 1} executions`);
	if (execution === undefined && job.isTaken && !isNear(facts.stops, job.at)) {
		const empty = facts.executions.filter(({ status, kept, job: of }) => {
			return status === 'crashed' && of === undefined && kept.size === 0;
		});
		const ids = empty.map(inWords).join('; ');
		findings.push(
			`${job.name}: n8n said at ${clock(job.at)} that it began, and has no execution; crashed ones that name nothing: ${ids}`,
		);
	}
	let silent = 0;
	let uncertain = 0;
	const erring: Item[] = [];
	for (const item of job.items) {
		const runs = runsByWord.get(item.word) ?? [];
		const [first, second, ...others] = runs;
		const wasKept = first !== undefined && original?.kept.has(first.taskId) !== false;
		const isAgain = isRetried && (!wasKept || first.status === 'failed');
		if (second !== undefined && (!isAgain || others.length > 0)) {
			findings.push(`${item.word} (${job.kind}): started ${runs.length} times`);
			continue;
		}
		if (second !== undefined) add(audit.items, wasKept ? ITEM.begunAnew : ITEM.startedAgain);
		const fate = fateOf(isToFail(job, item), second ?? first, execution);
		if (fate === undefined) silent += 1;
		else add(audit.items, fate);
		if (fate === ITEM.uncertain) uncertain += 1;
		const isExpected =
			(isToFail(job, item) && fate === ITEM.failed) ||
			(isRetried && fate === ITEM.uncertain) ||
			(isRetried && fate === ITEM.refused && saidUncertain(execution.errors) > 0);
		if (ERRORS.has(fate) && !isExpected) erring.push(item);
	}
	if (execution === undefined) return;
	const names = `${job.name} (${job.kind}), execution ${execution.executionId} (${execution.status})`;
	const said = execution.errors.join(' | ').slice(0, 600);
	silent += Math.max(0, uncertain - saidUncertain(execution.errors));
	if (silent > 0) {
		findings.push(
			`${names}: ${silent} of ${job.items.length} items with no result and no error, or more than one; ${said}`,
		);
	}
	const baseless = erring.filter((item) => !hasReason(facts, job, execution, item, runsByWord));
	if (baseless.length > 0) {
		findings.push(`${names}: ${baseless.length} items ended with an error for no reason; ${said}`);
	}
	closeResults(audit, facts, job, execution, names, runsByWord);
}

const FINDINGS_SHOWN = 40;

export function printAudit({ findings, ...counts }: Audit): void {
	for (const [title, counted] of Object.entries(counts)) {
		printTable(
			[title, 'count'],
			[...counted].sort().map(([name, count]) => [name, String(count)]),
		);
	}
	console.log(`\nNot as promised: ${findings.length}`);
	for (const finding of findings.slice(0, FINDINGS_SHOWN)) console.log(`  ${finding}`);
}

/** Kinds of which each item has a fate of its own, as errors leave by the error output. */
const OWN_FATES: ReadonlySet<string> = new Set(['batch', 'files']);

/** Whether a request about the item failed, or about one that takes the whole execution with it. */
function hasReason(
	{ failures, stops, outages }: Facts,
	job: CalledJob,
	{ stoppedAt = 0, errors }: ExecutionFacts,
	item: Item,
	runsByWord: Map<string, SandboxRun[]>,
): boolean {
	const own = runsByWord.get(item.word) ?? [];
	if (own.some((run) => isBelied(run, errors))) return false;
	if (stops.some(({ at, backAt }) => stoppedAt >= at - NEAR && stoppedAt <= backAt + PATIENCE)) {
		return true;
	}
	if (outages.some((outage) => meets(job, stoppedAt, outage))) return true;
	const concerned = OWN_FATES.has(job.kind) ? [item] : job.items;
	return concerned.some((one) => {
		const runs = runsByWord.get(one.word) ?? [];
		return (
			isToFail(job, one) ||
			failures.words.has(one.word) ||
			runs.some(({ taskId }) => failures.taskIds.has(taskId))
		);
	});
}

/** Whether errors tell of a run's end though it finished: no trouble is a reason for that. */
function isBelied({ taskId, status }: SandboxRun, errors: string[]): boolean {
	const reported = new RegExp(`Run ${taskId} (?:failed|was)\\b`);
	return status === 'finished' && errors.some((text) => reported.test(text));
}

/** Whether the service was down when an execution began or ended; starts of a batch are sent at any time. */
function meets({ at, kind }: CalledJob, stoppedAt: number, { from, to }: Outage): boolean {
	if (kind === 'batch') return from <= stoppedAt && to >= at;
	return [at, stoppedAt].some((moment) => moment >= from - NEAR && moment <= to + PATIENCE);
}

/** Results stand in the order of the items, each with its own item, its run's output and its files. */
function closeResults(
	{ findings }: Audit,
	{ outputs }: Facts,
	job: CalledJob,
	{ results, status, rounds }: ExecutionFacts,
	names: string,
	runsByWord: Map<string, SandboxRun[]>,
): void {
	if (status === 'crashed') return;
	const places = new Map(
		job.items.flatMap(({ word }, index) =>
			(runsByWord.get(word) ?? []).map(({ taskId }) => [taskId, index] as const),
		),
	);
	const order = results.map(({ taskId }) => places.get(taskId));
	const count = (isWrong: (result: Result, index: number) => boolean): number =>
		results.filter(isWrong).length;
	const files = job.kind === 'files' ? FILES_OF_A_RESULT : 0;
	const isWaitedFor = job.kind !== 'notify';
	if (rounds > 1) findings.push(`${names}: the node went on ${rounds} times`);
	const wrongs: Array<[number, string]> = [
		[count((_, index) => order[index] === undefined), 'of runs of others'],
		[count((_, index) => (order[index] ?? 0) < (order[index - 1] ?? 0)), 'in another order'],
		[count(({ item }, index) => item !== order[index]), 'paired with another item'],
		[count((result) => result.files !== files), 'with other files than asked for'],
		[
			count(({ taskId, output }) => isWaitedFor && output !== outputs.get(taskId)),
			'with another output than the run’s',
		],
	];
	for (const [number, what] of wrongs) {
		if (number > 0) findings.push(`${names}: ${number} of ${results.length} results ${what}`);
	}
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
	const given = results.filter(({ taskId }) => taskId === run.taskId).length;
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

function closeExecutions(audit: Audit, { executions, stops }: Facts): void {
	for (const { executionId, status, startedAt: begun = 0, job } of executions) {
		add(audit.executions, status);
		const what = `execution ${executionId} (${job ?? 'of a trigger'})`;
		if (['new', 'running', 'waiting'].includes(status)) {
			audit.findings.push(`${what} is still ${status}, since ${new Date(begun).toISOString()}`);
		}
		const wasAwake = stops.some(({ at, downAt }) => begun <= downAt && begun >= at - MAX_AWAKE);
		if (status === 'crashed' && !wasAwake) {
			audit.findings.push(`${what} crashed, though n8n was not ended`);
		}
	}
}

function closeEvents(audit: Audit, facts: Facts): void {
	// A crashed execution gives its event by its retry.
	const retried = new Set(facts.executions.map(({ retryOf }) => retryOf));
	const final = facts.executions.filter(({ executionId }) => !retried.has(executionId));
	const given = groupBy(
		final.flatMap((execution) => execution.events.map((event) => ({ ...event, execution }))),
		({ trigger, taskId }) => keyOfEvent(trigger, taskId),
	);
	const reported = groupBy(
		facts.callbacks.filter(({ url, status }) => url.includes('/webhook/') && isTerminal(status)),
		({ taskId }) => taskId,
	);
	const ownWords = new Set(facts.ownWords);
	for (const run of facts.runs) {
		if (run.finishedAt === null) {
			audit.findings.push(`run ${run.taskId} has not ended`);
			continue;
		}
		const callbacks = reported.get(run.taskId) ?? [];
		const trigger = ownWords.has(wordOf(run.input)) ? 'own' : 'notified';
		const isPolled = run.key === facts.polledKey;
		if (!isPolled && callbacks.length === 0) continue;
		const name = isPolled ? 'polling' : trigger;
		const executions = (given.get(keyOfEvent(name, run.taskId)) ?? []).map(
			({ execution }) => execution,
		);
		// What n8n had created before a stop may have begun after it.
		const times = executions.map(({ createdAt = 0 }) => createdAt);
		const fate = fateOfEvent(facts.stops, times, isPolled ? undefined : callbacks);
		if (fate === undefined) {
			const attempts = callbacks.map(
				({ outcome, attempts }) =>
					`${outcome} (${attempts.map(({ at, status }) => `${clock(at)}: ${status ?? 'no answer'}`).join(', ')})`,
			);
			audit.findings.push(
				`${name} trigger: the end of run ${run.taskId} was given ${times.length} times: ${executions.map(inWords).join('; ')}; callbacks: ${attempts.join('; ')}`,
			);
		} else add(audit.events, `${name}: ${fate}`);
	}
}

/** An execution that gave an event. */
function inWords(execution: ExecutionFacts): string {
	const { executionId, mode, status, createdAt, startedAt, retryOf } = execution;
	const again = retryOf === undefined ? '' : `, a retry of ${retryOf}`;
	return `execution ${executionId} (${mode}, ${status}${again}), created ${clock(createdAt)}, begun ${clock(startedAt)}`;
}

function clock(moment: number | undefined): string {
	return moment === undefined ? 'never' : new Date(moment).toISOString().slice(11, 23);
}

function keyOfEvent(trigger: GivenEvent['trigger'], taskId: string): string {
	return `${trigger} ${taskId}`;
}

/** @param callbacks undefined where the polling trigger gives it, which hears of each end */
function fateOfEvent(
	stops: Stop[],
	times: number[],
	callbacks: CallbackRecord[] | undefined,
): string | undefined {
	if (times.length === 1) return EVENT.once;
	if (times.length > 1) return liesAroundStop(stops, times) ? EVENT.twiceOverStop : undefined;
	if (callbacks === undefined) return undefined;
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
