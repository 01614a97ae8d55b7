import { closeBooks, EVENT, ITEM, type Facts } from '../../soak/books';
import type { Stop } from '../../soak/disturb';
import type { ExecutionFacts } from '../../soak/history';
import type { CalledJob } from '../../soak/load';
import type { CallbackRecord } from '../../sandbox/callbacks';
import type { SandboxRun } from '../../sandbox/control';

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
		startedAt: BEGUN,
		job: 'job-000000',
		results: [],
		files: [],
		errors: [],
		named: new Set(),
		kept: new Set(),
		events: [],
		...further,
	};
}

function close(facts: Partial<Facts>) {
	const { items, events, findings } = closeBooks({
		jobs: [job],
		ownWords: [],
		runs: [run()],
		callbacks: [],
		executions: [],
		stops: [],
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

describe('an item', () => {
	it.each<[string, Partial<Facts>, string]>([
		['has its result', { executions: [execution({ results: [RUN], named })] }, ITEM.result],
		[
			'has an error that names its run',
			{ executions: [execution({ status: 'error', errors: [`Run ${RUN} failed`], named })] },
			ITEM.failed,
		],
		[
			'was told that its start is uncertain',
			{
				executions: [
					execution({ status: 'error', errors: ['Whether the run was started is not known'] }),
				],
			},
			ITEM.uncertain,
		],
		[
			'was refused',
			{ runs: [], executions: [execution({ status: 'error', errors: ['429'] })] },
			ITEM.refused,
		],
		[
			'was started and not waited for, so that it does not matter that its run failed',
			{
				jobs: [{ ...job, kind: 'notify', items: [{ word: 'word-000000-0', fails: true }] }],
				executions: [execution({ results: [RUN], named })],
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
		['has its result twice', { executions: [execution({ results: [RUN, RUN], named })] }],
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
		['is still asleep', { executions: [execution({ status: 'waiting', results: [RUN] })] }],
		['has no execution', {}],
		['has two executions', { executions: [execution({ results: [RUN] }), execution()] }],
		[
			'has a result though its run failed',
			{
				jobs: [{ ...job, items: [{ word: 'word-000000-0', fails: true }] }],
				executions: [execution({ results: [RUN], named })],
			},
		],
	])('is found when it %s', (_, facts) => {
		expect(close(facts).findings).toBeGreaterThan(0);
	});
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
		return moments.map((startedAt) => execution({ job: undefined, startedAt, events }));
	}

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
