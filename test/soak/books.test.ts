import { closeBooks, EVENT, ITEM, type Facts } from '../../soak/books';
import type { Outage, Stop } from '../../soak/disturb';
import { FailedRequests } from '../../soak/failures';
import type { ExecutionFacts, Result } from '../../soak/history';
import type { CalledJob } from '../../soak/load';
import type { CallbackRecord } from '../../sandbox/callbacks';
import type { SandboxRun } from '../../sandbox/control';
import type { RecordedRequest } from '../../sandbox/recorder';

const RUN = '9100000000000000001';
const OTHER = '9100000000000000002';
const BEGUN = 1_000_000;

const stop: Stop = {
	signal: 'SIGKILL',
	at: BEGUN + 60_000,
	downAt: BEGUN + 60_100,
	backAt: BEGUN + 70_000,
};

const job: CalledJob = {
	name: 'job-000000',
	kind: 'asleep',
	items: [{ word: 'word-000000-0', fails: false }],
	at: BEGUN,
	isTaken: true,
};

function run(further: Partial<SandboxRun> = {}): SandboxRun {
	return {
		taskId: RUN,
		botId: '1001',
		key: 'main',
		status: 'finished',
		input: { keyword: 'word-000000-0' },
		callbackUrl: null,
		statusCallbackUrl: null,
		proxyRegion: null,
		bizCode: null,
		createdAt: BEGUN,
		finishedAt: BEGUN + 1_000,
		...further,
	};
}

function execution(further: Partial<ExecutionFacts> = {}): ExecutionFacts {
	return {
		executionId: '1',
		status: 'success',
		mode: 'webhook',
		createdAt: BEGUN,
		startedAt: BEGUN,
		stoppedAt: BEGUN + 2_000,
		retryOf: undefined,
		job: 'job-000000',
		results: [],
		errors: [],
		named: new Set(),
		kept: new Set(),
		events: [],
		...further,
	};
}

const OUTPUT = '[{"name":"lamp"}]';

function result(taskId = RUN, further: Partial<Result> = {}): Result {
	return { taskId, item: 0, output: OUTPUT, files: 0, ...further };
}

/** Requests about the item failed. */
const failures = { taskIds: new Set([RUN]), words: new Set<string>() };
const notStarted = { taskIds: new Set<string>(), words: new Set(['word-000000-0']) };

function close(facts: Partial<Facts>) {
	const { items, events, findings } = closeBooks({
		jobs: [job],
		ownWords: [],
		runs: [run()],
		callbacks: [],
		executions: [],
		stops: [],
		outages: [],
		failures: { taskIds: new Set(), words: new Set() },
		outputs: new Map([RUN, OTHER].map((taskId) => [taskId, OUTPUT])),
		polledKey: 'polled',
		...facts,
	});
	return {
		items: Object.fromEntries(items),
		events: Object.fromEntries(events),
		findings: findings.length,
	};
}

const named = new Set([RUN]);
const FAULT = `The service had a fault. Runs started: ${RUN}.`;

describe('an item', () => {
	it.each<[string, Partial<Facts>, string]>([
		['has its result', { executions: [execution({ results: [result()], named })] }, ITEM.result],
		[
			'has an error that names its run',
			{
				failures,
				executions: [execution({ status: 'error', errors: [FAULT], named })],
			},
			ITEM.failed,
		],
		[
			'was told that its start is uncertain',
			{
				failures: notStarted,
				executions: [
					execution({ status: 'error', errors: ['Whether the run was started is not known'] }),
				],
			},
			ITEM.uncertain,
		],
		[
			'was refused',
			{
				runs: [],
				failures: notStarted,
				executions: [execution({ status: 'error', errors: ['429'] })],
			},
			ITEM.refused,
		],
		[
			'was started and not waited for, so that it does not matter that its run failed',
			{
				jobs: [{ ...job, kind: 'notify', items: [{ word: 'word-000000-0', fails: true }] }],
				executions: [execution({ results: [result()], named })],
			},
			ITEM.result,
		],
		['was not taken', { runs: [], jobs: [{ ...job, isTaken: false }] }, ITEM.notTaken],
		[
			'was awake when n8n was killed, its run unknown to n8n',
			{ stops: [stop], executions: [execution({ status: 'crashed' })] },
			ITEM.crashedUnnamed,
		],
		[
			'was awake when n8n was killed, its run kept',
			{ stops: [stop], executions: [execution({ status: 'crashed', kept: named })] },
			ITEM.crashedNamed,
		],
	])('%s', (_, facts, fate) => {
		expect(close(facts)).toMatchObject({ items: { [fate]: 1 }, findings: 0 });
	});

	it.each<[string, Partial<Facts>]>([
		['was started twice', { runs: [run(), run({ taskId: OTHER })] }],
		['has its result twice', { executions: [execution({ results: [result(), result()], named })] }],
		['has neither result nor error', { executions: [execution()] }],
		['has an error that does not name its run', { executions: [execution({ errors: ['500'] })] }],
		[
			'is one of two that are uncertain, and the error speaks of one only',
			{
				jobs: [{ ...job, items: [...job.items, { word: 'word-000000-1', fails: false }] }],
				runs: [run(), run({ taskId: OTHER, input: { keyword: 'word-000000-1' } })],
				executions: [
					execution({ status: 'error', errors: ['Whether the run was started is not known'] }),
				],
			},
		],
		['crashed though n8n was not ended', { executions: [execution({ status: 'crashed' })] }],
		['is still asleep', { executions: [execution({ status: 'waiting', results: [result()] })] }],
		['has no execution', {}],
		['has two executions', { executions: [execution({ results: [result()] }), execution()] }],
		[
			'has a result though its run failed',
			{
				jobs: [{ ...job, items: [{ word: 'word-000000-0', fails: true }] }],
				executions: [execution({ results: [result()], named })],
			},
		],
	])('is found when it %s', (_, facts) => {
		expect(close(facts).findings).toBeGreaterThan(0);
	});
});

describe('an error', () => {
	const erring = execution({ status: 'error', errors: [FAULT], named });
	const outage: Outage = { from: BEGUN, to: BEGUN + 3_000 };

	it.each<[string, Partial<Facts>]>([
		['a request about its run failed', { failures }],
		['its run failed', { jobs: [{ ...job, items: [{ word: 'word-000000-0', fails: true }] }] }],
		['the service was down', { outages: [outage] }],
		['n8n was ended just before', { stops: [{ ...stop, at: BEGUN, backAt: BEGUN + 1_500 }] }],
	])('is accepted when %s', (_, facts) => {
		expect(close({ executions: [erring], ...facts })).toMatchObject({ findings: 0 });
	});

	it.each<[string, Partial<Facts>]>([
		['nothing went wrong', {}],
		['requests about other runs failed', { failures: { ...failures, taskIds: new Set([OTHER]) } }],
		['the service was down long before', { outages: [{ from: 0, to: 1_000 }] }],
		[
			'the service was down half a minute later',
			{ outages: [{ from: BEGUN + 30_000, to: BEGUN + 33_000 }] },
		],
		['n8n was ended long before', { stops: [{ ...stop, at: 0, downAt: 0, backAt: 1_000 }] }],
	])('is found when %s', (_, facts) => {
		expect(close({ executions: [erring], ...facts })).toMatchObject({ findings: 1 });
	});

	it.each(['failed: no rows', 'was cancelled', 'was still finished when the limit was reached'])(
		'that says “Run ... %s” is found whatever went wrong: the service finished it',
		(end) => {
			const untrue = { ...erring, errors: [`Run ${RUN} ${end}`] };
			const reasons = { failures, outages: [outage], stops: [{ ...stop, at: BEGUN }] };
			expect(close({ executions: [untrue], ...reasons })).toMatchObject({ findings: 1 });
		},
	);

	it('of every item of an execution is accepted when the answer to one start was cut', () => {
		const words = ['word-000000-0', 'word-000000-1'];
		const items = words.map((word) => ({ word, fails: false }));
		const runs = [run(), run({ taskId: OTHER, input: { keyword: words[1] } })];
		const all = { ...erring, named: new Set([RUN, OTHER]) };
		const facts = { jobs: [{ ...job, items }], runs, executions: [all] };
		expect(close({ ...facts, failures: { ...failures, taskIds: new Set([OTHER]) } }).findings).toBe(
			0,
		);
		expect(close(facts).findings).toBe(1);
	});

	it('of one item of a batch is no reason for another', () => {
		const batch: CalledJob = {
			...job,
			kind: 'batch',
			items: [0, 1].map((index) => ({ word: `word-000000-${index}`, fails: index === 0 })),
		};
		const runs = [
			run({ status: 'failed' }),
			run({ taskId: OTHER, input: { keyword: 'word-000000-1' } }),
		];
		const both = execution({
			errors: [`${RUN} and ${OTHER} failed`],
			named: new Set([RUN, OTHER]),
		});
		expect(close({ jobs: [batch], runs, executions: [both] }).findings).toBe(1);
	});
});

describe('results', () => {
	const two = {
		jobs: [
			{ ...job, items: [0, 1].map((index) => ({ word: `word-000000-${index}`, fails: false })) },
		],
		runs: [run(), run({ taskId: OTHER, input: { keyword: 'word-000000-1' } })],
	};
	const both = new Set([RUN, OTHER]);
	const given = (...results: Result[]) => ({ executions: [execution({ results, named: both })] });
	const [one, other] = [result(), result(OTHER, { item: 1 })];

	it('are right in the order of their items, each with its own', () => {
		expect(close({ ...two, ...given(one, other) })).toMatchObject({
			items: { [ITEM.result]: 2 },
			findings: 0,
		});
	});

	it.each<[string, Partial<Facts>]>([
		['in another order', given(other, one)],
		['paired with each other’s item', given({ ...one, item: 1 }, { ...other, item: 0 })],
		['paired with no item', given(one, { ...other, item: undefined })],
		['with another output', given({ ...one, output: '[]' }, other)],
		['without an output', given({ ...one, output: undefined }, other)],
		['with files that nobody asked for', given({ ...one, files: 4 }, other)],
		[
			'without the files that were asked for',
			{ jobs: two.jobs.map((job) => ({ ...job, kind: 'files' as const })), ...given(one, other) },
		],
	])('are found %s', (_, facts) => {
		expect(close({ ...two, ...facts }).findings).toBeGreaterThan(0);
	});

	it('are found when two executions swapped them', () => {
		const jobs = two.jobs.flatMap(({ items }) =>
			items.map((item, index) => ({ ...job, name: `job-00000${index}`, items: [item] })),
		);
		const swapped = [OTHER, RUN].map((taskId, index) =>
			execution({
				job: `job-00000${index}`,
				executionId: `${index}`,
				results: [result(taskId)],
				named: both,
			}),
		);
		expect(close({ jobs, runs: two.runs, executions: swapped }).findings).toBeGreaterThan(1);
	});
});

describe('an execution that crashed and was retried', () => {
	const crashed = execution({ status: 'crashed', startedAt: stop.at - 1_000 });
	const retry = (taskId: string) =>
		execution({
			executionId: '2',
			retryOf: '1',
			results: [result(taskId)],
			named: new Set([taskId]),
		});
	const again = [run(), run({ taskId: OTHER })];

	it('goes on with the run that it had started', () => {
		const executions = [{ ...crashed, kept: named }, retry(RUN)];
		expect(close({ stops: [stop], executions })).toMatchObject({
			items: { [ITEM.result]: 1 },
			findings: 0,
		});
	});

	it('starts a run that it did not keep again, which is counted', () => {
		const facts = { stops: [stop], runs: again, executions: [crashed, retry(OTHER)] };
		expect(close(facts)).toMatchObject({
			items: { [ITEM.startedAgain]: 1, [ITEM.result]: 1 },
			findings: 0,
		});
	});

	it('begins a run anew that had failed, which is counted', () => {
		const jobs = [{ ...job, items: [{ word: 'word-000000-0', fails: true }] }];
		const failed = again.map((one): SandboxRun => ({ ...one, status: 'failed' }));
		const executions = [
			{ ...crashed, kept: named },
			{ ...retry(OTHER), results: [], errors: [`Run ${OTHER} failed`] },
		];
		expect(close({ jobs, stops: [stop], runs: failed, executions })).toMatchObject({
			items: { [ITEM.begunAnew]: 1, [ITEM.failed]: 1 },
			findings: 0,
		});
	});

	it('says that nobody knows whether a run was started, long after n8n was ended', () => {
		const unknown = 'Whether the run was started is not known';
		const long = { stoppedAt: stop.backAt + 3_600_000, results: [], errors: [unknown] };
		const executions = [crashed, { ...retry(RUN), ...long }];
		expect(close({ stops: [stop], runs: [], executions }).findings).toBe(0);
	});

	it('is found when it starts a run again that it had kept', () => {
		const executions = [{ ...crashed, kept: named }, retry(OTHER)];
		expect(close({ stops: [stop], runs: again, executions }).findings).toBe(1);
	});
});

it('requests that failed are kept by run and by word, also once the service has forgotten them', async () => {
	const request = (path: string, further: Partial<RecordedRequest>): RecordedRequest => ({
		...{ method: 'GET', query: '', headers: {}, authorized: true, key: 'main' },
		...{ operation: undefined, body: undefined, at: BEGUN, status: undefined, fault: undefined },
		...{ path, ...further },
	});
	const start = (keyword: string, further: Partial<RecordedRequest>): RecordedRequest =>
		request('/v3/bots/1001/runs', { body: { input: { keyword } }, ...further });
	const late = request(`/v3/bots/runs/${OTHER}`, {});
	let remembered = [
		request(`/v3/bots/runs/${RUN}/status`, { status: 500 }),
		start('lamp', {}),
		start('chair', { status: 200 }),
		start('table', { status: 200, fault: 'malformedJson' }),
		late,
	];
	const failed = new FailedRequests({ requests: async () => remembered });
	await failed.look();
	remembered = [];
	late.status = 200;
	await failed.look();
	expect(failed.byRun()).toEqual({ taskIds: new Set([RUN]), words: new Set(['lamp', 'table']) });
});

describe('the end of a run that a trigger is to give', () => {
	const notified = { jobs: [], runs: [run({ statusCallbackUrl: 'http://n8n/webhook/1' })] };

	function callback(outcome: CallbackRecord['outcome'], at = BEGUN + 1_000): CallbackRecord {
		return {
			taskId: RUN,
			key: 'main',
			event: 'runStatusChanged',
			status: 'finished',
			url: 'http://n8n/webhook/1',
			attempts: outcome === 'accepted' ? [{ at, status: 200 }] : [],
			outcome,
		};
	}

	function given(...moments: number[]): ExecutionFacts[] {
		const events = [{ trigger: 'notified' as const, taskId: RUN }];
		return moments.map((createdAt) =>
			execution({ job: undefined, createdAt, startedAt: createdAt, events }),
		);
	}

	/** n8n had created it before it was ended, and carried it out when it was back. */
	const resumed = given(stop.at - 100).map((facts) => ({ ...facts, startedAt: stop.backAt }));

	it.each<[string, Partial<Facts>, string]>([
		['once', { callbacks: [callback('accepted')], executions: given(BEGUN) }, EVENT.once],
		['not, as no callback came', { callbacks: [callback('lost')] }, EVENT.unheard],
		[
			'not, as n8n was killed when it took the callback',
			{ callbacks: [callback('accepted', stop.at - 100)], stops: [stop] },
			EVENT.betweenStops,
		],
		[
			'again, as n8n was killed right after the first time',
			{
				callbacks: [callback('accepted')],
				executions: given(stop.at - 100, stop.backAt + 100),
				stops: [stop],
			},
			EVENT.twiceOverStop,
		],
		[
			'again, as n8n was ended before the first one began, and began it afterwards',
			{
				callbacks: [callback('refused')],
				executions: [...resumed, ...given(stop.backAt + 5_000)],
				stops: [stop],
			},
			EVENT.twiceOverStop,
		],
		[
			'once, by the Retry of what crashed with n8n',
			{
				callbacks: [callback('accepted')],
				executions: [
					...given(stop.at - 100).map((facts) => ({ ...facts, status: 'crashed' })),
					...given(stop.backAt).map((facts) => ({ ...facts, executionId: '2', retryOf: '1' })),
				],
				stops: [stop],
			},
			EVENT.once,
		],
	])('was given %s', (_, facts, fate) => {
		expect(close({ ...notified, ...facts })).toMatchObject({
			events: { [`notified: ${fate}`]: 1 },
			findings: 0,
		});
	});

	it.each<[string, Partial<Facts>]>([
		['not given, though n8n took the callback', { callbacks: [callback('accepted')] }],
		['given twice', { callbacks: [callback('accepted')], executions: given(BEGUN, BEGUN + 1_000) }],
		['not given by the polling trigger', { runs: [run({ key: 'polled' })] }],
	])('is found when it was %s', (_, facts) => {
		expect(close({ ...notified, ...facts }).findings).toBe(1);
	});
});
