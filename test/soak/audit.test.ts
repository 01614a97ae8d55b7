import { closeAudit, EVENT, ITEM, type Facts } from '../../tools/soak/audit';
import type { Stop } from '../../tools/soak/faults';
import type { ExecutionFacts, Result } from '../../tools/soak/history';
import type { CalledJob } from '../../tools/soak/load';
import { FailedRequests } from '../../tools/soak/service';
import type { CallbackRecord } from '../../dev/sandbox/callbacks';
import type { SandboxRun } from '../../dev/sandbox/control';
import type { RecordedRequest } from '../../dev/sandbox/recorder';

const RUN = '9100000000000000001';
const OTHER = '9100000000000000002';
const BEGUN = 1_000_000;
const OUTPUT = '[{"name":"lamp"}]';
const UNKNOWN = 'Whether the run was started is not known';

const stop: Stop = {
	signal: 'SIGKILL',
	at: BEGUN + 60_000,
	downAt: BEGUN + 60_100,
	backAt: BEGUN + 70_000,
};

const wordOf = (index: number): string => `word-000000-${index}`;

/** A job of so many items, whose runs are to end well. */
function job(count = 1, further: Partial<CalledJob> = {}): CalledJob {
	const items = Array.from({ length: count }, (_, index) => ({
		word: wordOf(index),
		fails: false,
	}));
	return { name: 'job-000000', kind: 'asleep', items, at: BEGUN, isTaken: true, ...further };
}

/** The same, and the run of its first item is to fail. */
function failingJob(count = 1, kind: CalledJob['kind'] = 'asleep'): CalledJob {
	const { items } = job(count);
	return job(count, { kind, items: items.map((item, index) => ({ ...item, fails: index === 0 })) });
}

function run(further: Partial<SandboxRun> = {}): SandboxRun {
	return {
		...{ taskId: RUN, botId: '1001', key: 'main', status: 'finished' },
		...{ input: { keyword: wordOf(0) }, callbackUrl: null, statusCallbackUrl: null },
		...{ proxyRegion: null, bizCode: null, createdAt: BEGUN, finishedAt: BEGUN + 1_000 },
		...further,
	};
}

const secondRun = run({ taskId: OTHER, input: { keyword: wordOf(1) } });

function execution(further: Partial<ExecutionFacts> = {}): ExecutionFacts {
	return {
		...{ executionId: '1', status: 'success', mode: 'webhook', job: 'job-000000' },
		...{ createdAt: BEGUN, startedAt: BEGUN, stoppedAt: BEGUN + 2_000, retryOf: undefined },
		...{ results: [], errors: [], named: new Set(), kept: new Set(), events: [], rounds: 1 },
		...further,
	};
}

function result(taskId = RUN, further: Partial<Result> = {}): Result {
	return { taskId, item: 0, output: OUTPUT, files: 0, ...further };
}

function gave(...results: Result[]): ExecutionFacts {
	return execution({ results, named: new Set(results.map(({ taskId }) => taskId)) });
}

function erred(error: string, ...named: string[]): ExecutionFacts {
	return execution({ status: 'error', errors: [error], named: new Set(named) });
}

const named = new Set([RUN]);

/** Requests about the run of the item failed, or its start did. */
const failures = { taskIds: named, words: new Set<string>() };
const notStarted = { taskIds: new Set<string>(), words: new Set([wordOf(0)]) };

function close(facts: Partial<Facts>) {
	const { items, events, findings } = closeAudit({
		...{ jobs: [job()], ownWords: [], runs: [run()], callbacks: [], executions: [] },
		...{ stops: [], outages: [], failures: { taskIds: new Set(), words: new Set() } },
		outputs: new Map([RUN, OTHER].map((taskId) => [taskId, OUTPUT])),
		polledKey: 'polled',
		...facts,
	});
	const counted = { items: Object.fromEntries(items), events: Object.fromEntries(events) };
	return { ...counted, findings: findings.length };
}

const faulty = erred(`The service had a fault. Runs started: ${RUN}.`, RUN);
const crashed = execution({ status: 'crashed', startedAt: stop.at - 1_000 });
const kept = { ...crashed, kept: named };
const ofOther = { ...failures, taskIds: new Set([OTHER]) };

describe('an item', () => {
	it.each<[string, Partial<Facts>, string]>([
		['has its result', { executions: [gave(result())] }, ITEM.result],
		['has an error that names its run', { failures, executions: [faulty] }, ITEM.failed],
		['is uncertain', { failures: notStarted, executions: [erred(UNKNOWN)] }, ITEM.uncertain],
		['was refused', { runs: [], failures: notStarted, executions: [erred('429')] }, ITEM.refused],
		[
			'was started and not waited for, so that it does not matter that its run failed',
			{ jobs: [failingJob(1, 'notify')], executions: [gave(result())] },
			ITEM.result,
		],
		['was not taken', { runs: [], jobs: [job(1, { isTaken: false })] }, ITEM.notTaken],
		['crashed with n8n, unkept', { stops: [stop], executions: [crashed] }, ITEM.crashedUnnamed],
		['crashed with n8n, its run kept', { stops: [stop], executions: [kept] }, ITEM.crashedNamed],
	])('%s', (_, facts, fate) => {
		expect(close(facts)).toMatchObject({ items: { [fate]: 1 }, findings: 0 });
	});

	it.each<[string, Partial<Facts>]>([
		['was started twice', { runs: [run(), run({ taskId: OTHER })] }],
		['has its result twice', { executions: [gave(result(), result())] }],
		['has neither result nor error', { executions: [execution()] }],
		['has an error that does not name its run', { executions: [execution({ errors: ['500'] })] }],
		[
			'is one of two that are uncertain, and the error speaks of one only',
			{ jobs: [job(2)], runs: [run(), secondRun], executions: [erred(UNKNOWN)] },
		],
		['crashed though n8n was not ended', { executions: [crashed] }],
		['is still asleep', { executions: [execution({ status: 'waiting', results: [result()] })] }],
		['has no execution', {}],
		['has two executions', { executions: [gave(result()), execution()] }],
		['has a result though its run failed', { jobs: [failingJob()], executions: [gave(result())] }],
	])('is found when it %s', (_, facts) => {
		expect(close(facts).findings).toBeGreaterThan(0);
	});
});

describe('an error', () => {
	const outage = { from: BEGUN, to: BEGUN + 3_000 };
	const later = { from: BEGUN + 30_000, to: BEGUN + 33_000 };

	it.each<[string, Partial<Facts>, number]>([
		['a request about its run failed', { failures }, 0],
		['its run failed', { jobs: [failingJob()] }, 0],
		['the service was down', { outages: [outage] }, 0],
		['n8n was ended just before', { stops: [{ ...stop, at: BEGUN, backAt: BEGUN + 1_500 }] }, 0],
		['nothing went wrong', {}, 1],
		['requests about other runs failed', { failures: ofOther }, 1],
		['the service was down long before', { outages: [{ from: 0, to: 1_000 }] }, 1],
		['the service was down half a minute later', { outages: [later] }, 1],
		['n8n was ended long before', { stops: [{ ...stop, at: 0, downAt: 0, backAt: 1_000 }] }, 1],
	])('when %s: findings', (_, facts, findings) => {
		expect(close({ executions: [faulty], ...facts })).toMatchObject({ findings });
	});

	it.each(['failed: no rows', 'was cancelled', 'was still finished when the limit was reached'])(
		'that says “Run ... %s” is found whatever went wrong: the service finished it',
		(end) => {
			const reasons = { failures, outages: [outage], stops: [{ ...stop, at: BEGUN }] };
			const executions = [erred(`Run ${RUN} ${end}`, RUN)];
			expect(close({ executions, ...reasons })).toMatchObject({ findings: 1 });
		},
	);

	it('of every item of an execution is accepted when the answer to one start was cut', () => {
		const executions = [erred('The service had a fault', RUN, OTHER)];
		const facts = { jobs: [job(2)], runs: [run(), secondRun], executions };
		const cut = { ...facts, failures: ofOther };
		expect([close(cut).findings, close(facts).findings]).toEqual([0, 1]);
	});

	it('of one item of a batch is no reason for another', () => {
		const runs = [run({ status: 'failed' }), secondRun];
		const executions = [{ ...erred('They failed', RUN, OTHER), status: 'success' }];
		expect(close({ jobs: [failingJob(2, 'batch')], runs, executions }).findings).toBe(1);
	});
});

describe('results', () => {
	const two = { jobs: [job(2)], runs: [run(), secondRun] };
	const given = (...results: Result[]) => ({ executions: [gave(...results)] });
	const [one, other] = [result(), result(OTHER, { item: 1 })];

	it('are right in the order of their items, each with its own', () => {
		const closed = close({ ...two, ...given(one, other) });
		expect(closed).toMatchObject({ items: { [ITEM.result]: 2 }, findings: 0 });
	});

	it.each<[string, Partial<Facts>]>([
		['in another order', given(other, one)],
		['paired with each other’s item', given({ ...one, item: 1 }, { ...other, item: 0 })],
		['paired with no item', given(one, { ...other, item: undefined })],
		['with another output', given({ ...one, output: '[]' }, other)],
		['without an output', given({ ...one, output: undefined }, other)],
		['with files that nobody asked for', given({ ...one, files: 4 }, other)],
		['without files asked for', { jobs: [job(2, { kind: 'files' })], ...given(one, other) }],
		['of the run of another job', { jobs: [job()], ...given(one, { ...other, item: undefined }) }],
		['of a node that went on twice', { executions: [{ ...gave(one, other), rounds: 2 }] }],
	])('are found %s', (_, facts) => {
		expect(close({ ...two, ...facts }).findings).toBeGreaterThan(0);
	});
});

describe('an execution that crashed and was retried', () => {
	const retry = (taskId: string, further: Partial<ExecutionFacts> = {}): ExecutionFacts => ({
		...gave(result(taskId)),
		...{ executionId: '2', retryOf: '1', ...further },
	});
	const again = [run(), run({ taskId: OTHER })];
	const bothFailed = {
		runs: again.map((one): SandboxRun => ({ ...one, status: 'failed' })),
		executions: [kept, retry(OTHER, { results: [], errors: [`Run ${OTHER} failed`] })],
	};
	const late = { stoppedAt: stop.backAt + 3_600_000, results: [], errors: [UNKNOWN] };

	it.each<[string, Partial<Facts>, string[]]>([
		['goes on with the run that it had started', { executions: [kept, retry(RUN)] }, [ITEM.result]],
		[
			'starts a run that it did not keep again, which is counted',
			{ runs: again, executions: [crashed, retry(OTHER)] },
			[ITEM.startedAgain, ITEM.result],
		],
		[
			'begins a run anew that had failed, which is counted',
			{ jobs: [failingJob()], ...bothFailed },
			[ITEM.begunAnew, ITEM.failed],
		],
		[
			'says that nobody knows whether a run was started, long after n8n was ended',
			{ runs: [], executions: [crashed, retry(RUN, late)] },
			[ITEM.refused],
		],
	])('%s', (_, facts, fates) => {
		const items = Object.fromEntries(fates.map((fate) => [fate, 1]));
		expect(close({ stops: [stop], ...facts })).toMatchObject({ items, findings: 0 });
	});

	it('is found when it starts a run again that it had kept', () => {
		const executions = [kept, retry(OTHER)];
		expect(close({ stops: [stop], runs: again, executions }).findings).toBe(1);
	});
});

it('requests that failed are kept by run and by word, also once the service has forgotten them', async () => {
	const request = (path: string, further: Partial<RecordedRequest> = {}): RecordedRequest => ({
		...{ method: 'GET', query: '', headers: {}, authorized: true, key: 'main' },
		...{ operation: undefined, body: undefined, at: BEGUN, status: undefined, fault: undefined },
		...{ path, ...further },
	});
	const start = (keyword: string, further: Partial<RecordedRequest>): RecordedRequest =>
		request('/v3/bots/1001/runs', { body: { input: { keyword } }, ...further });
	const late = request(`/v3/bots/runs/${OTHER}`);
	let remembered = [
		request(`/v3/bots/runs/${RUN}/status`, { status: 500 }),
		start('lamp', {}),
		start('chair', { status: 200 }),
		start('table', { status: 200, fault: 'malformedJson' }),
		late,
	];
	const failed = new FailedRequests({ requests: async () => remembered });
	await failed.read();
	remembered = [];
	late.status = 200;
	await failed.read();
	expect(failed.byRun()).toEqual({ taskIds: new Set([RUN]), words: new Set(['lamp', 'table']) });
});

describe('the end of a run that a trigger is to give', () => {
	const url = 'http://n8n/webhook/1';

	function reported(outcome: CallbackRecord['outcome'], at = BEGUN + 1_000): Partial<Facts> {
		const attempts = outcome === 'accepted' ? [{ at, status: 200 }] : [];
		const what = {
			taskId: RUN,
			key: 'main',
			event: 'runStatusChanged',
			status: 'finished',
		} as const;
		return { callbacks: [{ ...what, url, attempts, outcome }] };
	}

	function given(...moments: number[]): ExecutionFacts[] {
		const events = [{ trigger: 'notified' as const, taskId: RUN }];
		return moments.map((createdAt) => {
			return execution({ job: undefined, createdAt, startedAt: createdAt, events });
		});
	}

	/** n8n had created it before it was ended. */
	const [before = execution()] = given(stop.at - 100);
	const retried = given(stop.backAt).map((one) => ({ ...one, executionId: '2', retryOf: '1' }));

	it.each<[string, Partial<Facts>, ExecutionFacts[], string]>([
		['once', reported('accepted'), given(BEGUN), EVENT.once],
		['not, as no callback came', reported('lost'), [], EVENT.unheard],
		['not, as n8n died meanwhile', reported('accepted', stop.at - 100), [], EVENT.betweenStops],
		[
			'again, as n8n was killed right after the first time',
			reported('accepted'),
			[before, ...given(stop.backAt + 100)],
			EVENT.twiceOverStop,
		],
		[
			'again, as n8n was ended before the first one began, and began it afterwards',
			reported('refused'),
			[{ ...before, startedAt: stop.backAt }, ...given(stop.backAt + 5_000)],
			EVENT.twiceOverStop,
		],
		[
			'once, by the Retry of what crashed with n8n',
			reported('accepted'),
			[{ ...before, status: 'crashed' }, ...retried],
			EVENT.once,
		],
	])('was given %s', (_, callbacks, executions, fate) => {
		const runs = [run({ statusCallbackUrl: url })];
		const closed = close({ jobs: [], runs, stops: [stop], executions, ...callbacks });
		expect(closed).toMatchObject({ events: { [`notified: ${fate}`]: 1 }, findings: 0 });
	});

	it.each<[string, Partial<Facts>]>([
		['not given, though n8n took the callback', reported('accepted')],
		['given twice', { ...reported('accepted'), executions: given(BEGUN, BEGUN + 1_000) }],
		['not given by the polling trigger', { runs: [run({ key: 'polled' })] }],
	])('is found when it was %s', (_, facts) => {
		expect(close({ jobs: [], runs: [run()], ...facts }).findings).toBe(1);
	});
});
