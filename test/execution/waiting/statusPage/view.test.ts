import { findOrRemember } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspensions';
import {
	pollForPage,
	shownRuns,
	contentOf,
	type ShownRun,
} from '../../../../nodes/BrowserAutomation/execution/waiting/statusPage/view';
import { ServiceError } from '../../../../nodes/BrowserAutomation/service/errors';
import type { ServiceClient } from '../../../../nodes/BrowserAutomation/service/http/client';
import type { ServiceRequest } from '../../../../nodes/BrowserAutomation/service/http/request';
import type { JsonObject } from '../../../../nodes/BrowserAutomation/service/json/json';
import { runsOf } from '../../../../nodes/BrowserAutomation/service/runs/runs';
import { recordSecret } from '../../../../nodes/BrowserAutomation/transport/secrets';
import { asleepWith, node, refusal, request, running } from '../ledgerOf';
import type { Entry, Ledger, StartedEntry, SuspendedLedger } from '../ledgerOf';

beforeEach(() => jest.useFakeTimers({ now: 100_000 }));
afterEach(() => jest.useRealTimers());

/** A service that has these runs; it notes the paths that it is asked for. */
function serviceWith(runs: Record<string, JsonObject>): ServiceClient & { paths: string[] } {
	const paths: string[] = [];
	return {
		baseUrl: 'https://service.example.com',
		paths,
		send: async ({ path, query }) => {
			paths.push(path);
			const { [String(query?.task_id ?? path.split('/').at(-1))]: run } = runs;
			if (run !== undefined) return run;
			if (path !== '/v3/bots/runs') throw new Error('no answer');
			return { items: Object.entries(runs).map(([task_id, shown]) => ({ task_id, ...shown })) };
		},
	};
}

async function poll(ledger: SuspendedLedger, service: ServiceClient, mustPoll = false) {
	const connect = async () => runsOf(service, ledger.api);
	return await pollForPage(node, ledger, connect, new AbortController().signal, mustPoll);
}

/** What is shown of one run that the service describes so. */
async function shownOf(run: JsonObject, api: Ledger['api'] = 'v3'): Promise<ShownRun | undefined> {
	const ledger = asleepWith([{ taskId: '7' }], { api });
	await poll(ledger, serviceWith({ 7: run }));
	return shownRuns(node, ledger)[0];
}

const NO_DETAILS = { item: 0, taskId: '7' };
const [liveView, log] = ['https://live.example.com/7', 'HTTP://log.example.com/7'];
const times = { created_at: '2026-11-22T12:00:00Z', credit: 1.5, steps: [{}, {}] };
const told = { botName: 'Price Watcher', createdAt: Date.parse(times.created_at), steps: 2 };

it('tells of a run what the service says, but not what it was given', async () => {
	const problem = 'Login failed';
	const shown = await shownOf({
		...{ status: 'failed', bot_name: 'Price Watcher', input: { keyword: 'lamp' }, ...times },
		...{ live_url_info: { live_url: liveView }, log_detail_url: log },
		task_failure_info: { code: 1, message: problem },
	});
	const failed = { status: 'failed', credit: 1.5, failure: problem, problem };
	expect(shown).toEqual({ ...NO_DETAILS, ...told, ...failed, liveView, log });
});

it('tells of a V2 task what the service says', async () => {
	const shown = await shownOf({ status: 'running', live_url: liveView }, 'v2');
	expect(shown).toEqual({ ...NO_DETAILS, ...running('7'), liveView });
});

const NO_PAGES = ['javascript:alert("https://")', 'data:text/html,<p>log</p>', '', undefined];

it.each(NO_PAGES)('leads only to web pages: to none where the service says %j', async (address) => {
	const url = address === undefined ? {} : { live_url: address };
	const log = address === undefined ? {} : { log_detail_url: address };
	const shown = await shownOf({ status: 'running', live_url_info: url, ...log });
	expect(shown).toEqual({ ...NO_DETAILS, ...running('7') });
});

it('shows no item whose start is still to be sent, and asks for no run that was refused', async () => {
	const service = serviceWith({});
	const ledger = asleepWith([{ refusal }, { ...running('7'), refusal }, { request }]);
	await poll(ledger, service);
	const refused = { status: 'refused', problem: refusal.message };

	expect(shownRuns(node, ledger)).toEqual([
		{ item: 0, ...refused },
		{ item: 1, taskId: '7', ...refused },
	]);
	expect(service.paths).toEqual([]);
});

it('tells no secret in why an item was refused', () => {
	recordSecret(node, 'app-earlier-4711');
	const ledger = asleepWith([{ refusal: { ...refusal, message: 'no app-earlier-4711' } }]);
	expect(shownRuns(node, ledger)[0]?.problem).toBe('no (hidden)');
});

it('shows what is most urgent now first, of many the first twenty, with one request for all', async () => {
	const statuses = ['finished', 'canceled', 'failed', 'new', 'created', 'pausing', 'paused'];
	const others = Array.from({ length: 15 }, () => 'running');
	const runs = [...statuses, ...others].map((status, index) => [`${index}`, { status }] as const);
	const ledger = asleepWith([{ refusal }, ...runs.map(([taskId]) => ({ taskId }))]);
	const service = serviceWith(Object.fromEntries(runs));
	await poll(ledger, service);

	const [first, second, ...rest] = shownRuns(node, ledger).map(({ status }) => status);
	expect([first, second]).toEqual(['paused', 'pausing']);
	expect(rest).toEqual([...others, 'created', 'unknown', 'refused']);
	expect(service.paths).toEqual(['/v3/bots/runs']);
});

it('is one poll for all who have the page open, and another where a person asks for it', async () => {
	const ledger = asleepWith([running('7')]);
	const service = serviceWith({ 7: { status: 'running' } });
	await Promise.all([poll(ledger, service), poll(ledger, service)]);
	expect(service.paths).toHaveLength(1);
	await poll(ledger, service, true);
	expect(service.paths).toHaveLength(2);
	jest.setSystemTime(103_999);
	await poll(ledger, service);
	expect(service.paths).toHaveLength(2);
	jest.setSystemTime(104_000);
	await poll(ledger, service);
	expect(service.paths).toHaveLength(3);
});

it('is one poll, too, while that takes long', async () => {
	const [ledger, service] = [asleepWith([running('7')]), serviceWith({ 7: { status: 'running' } })];
	let answer: () => void = () => undefined;
	const held = new Promise<void>((resolve) => (answer = resolve));
	const slow = {
		...service,
		send: async (asked: ServiceRequest) => await held.then(async () => await service.send(asked)),
	};
	const first = poll(ledger, slow);
	jest.setSystemTime(105_000);
	const second = poll(ledger, slow);
	answer();
	await Promise.all([first, second]);
	expect(service.paths).toHaveLength(1);
});

it('takes no run for gone that the service does not know for a moment', async () => {
	const ledger = asleepWith([running('7')]);
	const unknown = new ServiceError('unknown', '', { code: 10112, httpStatus: 404 });
	const service = { ...serviceWith({}), send: async () => await Promise.reject(unknown) };
	await poll(ledger, service);
	expect(ledger.entries).toEqual([{ taskId: '7', status: 'unknown' }]);
});

it.each([
	['when the execution was suspended', 'paused'],
	['since', 'running'],
] as const)('tells that a run that had paused, %s, goes on, unawaited', async (_, status) => {
	const runs = { 7: { status: 'paused' }, 8: { status: 'running' } };
	const entries = [{ taskId: '7', status }, running('8')];
	const asleep = asleepWith(entries);
	const ledger = { ...asleep, settings: { ...asleep.settings, isPauseEnough: true } };
	await poll(ledger, serviceWith(runs));
	runs[7].status = 'running';
	await poll(ledger, serviceWith(runs), true);
	expect(shownRuns(node, ledger).map((run) => run.status)).toEqual(['running', 'running']);
});

it('believes no details that lag behind an end', async () => {
	const ledger = asleepWith([{ taskId: '7', status: 'finished' }, running('8')]);
	const service = serviceWith({ 7: { status: 'running' }, 8: { status: 'running' } });
	for (let count = 0; count < 2; count++) await poll(ledger, service, true);
	expect(ledger.entries[0]?.status).toBe('finished');
});

it('reads a run that has ended once', async () => {
	const ledger = asleepWith([running('7'), running('8')]);
	const service = serviceWith({ 7: { status: 'finished' }, 8: { status: 'running' } });
	await poll(ledger, service);
	await poll(ledger, service, true);
	expect(service.paths.sort()).toEqual(['7', '8', '8'].map((id) => `/v3/bots/runs/${id}`));
});

describe('the page', () => {
	const executionUrl = 'https://n8n.example.com/workflow/w/executions/1';
	const place = { node, workflowName: 'Prices', executionUrl };

	const paused = (taskId: string): StartedEntry => ({ taskId, status: 'paused' });
	const finished: Entry = { taskId: '4', status: 'finished' };
	const ALL_KINDS: Entry[] = [
		...[running('1'), paused('2'), paused('3'), finished],
		...[{ ...paused('5'), refusal }, { refusal }, { request }],
	];
	const COUNTED = {
		progress: '3 of 7 runs ended, 2 failed',
		...{ items: 7, open: 3, unstarted: 1, paused: 2, isDone: false, waitsForSlot: false },
	};
	const OVER = { progress: '2 of 2 runs ended, 1 failed', open: 0, isDone: true };

	it.each<[string, Entry[], object]>([
		['counts what is open, paused and still to be started', ALL_KINDS, COUNTED],
		['tells when all is over', [finished, { refusal }], OVER],
	])('%s', (_, entries, expected) => {
		expect(contentOf(asleepWith(entries), [], place)).toMatchObject(expected);
	});

	it('tells that starts wait because the service asked for it, not for a slot', () => {
		const slowed = asleepWith([{ request }], { queuedAt: 1, slowed: { until: 1, times: 1 } });
		const queueText = expect.stringContaining('asked to slow down');
		expect(contentOf(slowed, [], place)).toMatchObject({ waitsForSlot: false, queueText });
		const inLine = contentOf(asleepWith([{ request }], { queuedAt: 1 }), [], place);
		expect(inLine).toMatchObject({ waitsForSlot: true, queueText: undefined });
	});

	it.each([
		['the watcher', { account: 'a', dueAt: 104_000 }, 104_000],
		['the watcher at the wait limit', { account: 'a' }, 200_000],
		['n8n’s wait timer, where no watcher does', { account: undefined }, 300_000],
	])('tells when the runs are polled next: by %s', (_, watching, nextPoll) => {
		const ledger = asleepWith([], { deadline: 200_000 }, { timerAt: 300_000 });
		Object.assign(findOrRemember(ledger).watching, watching);

		expect(contentOf(ledger, [], place).nextPoll).toBe(nextPoll);
	});

	const chosen = { operation: 'run', botId: { value: '1', cachedResultName: 'Chosen Bot' } };

	it.each<[string, string, object, Array<string | undefined>]>([
		['the bot that all shown runs are of', 'Price Watcher', chosen, Array(2).fill('Price Watcher')],
		['the chosen bot, where the service names none', 'Chosen Bot', chosen, [undefined]],
		['the chosen bot, where it names one of two', 'Chosen Bot', chosen, ['Other', undefined]],
		['the node where none was chosen from a list', node.name, { botId: { value: '1' } }, []],
	])('is named after %s: %s', (_, expected, parameters, botNames) => {
		const shown: ShownRun = { ...NO_DETAILS, status: 'running' };
		const runs = botNames.map((botName) => ({ ...shown, ...(botName && { botName }) }));
		const chosenNode = { ...node, parameters: { ...parameters } };

		expect(contentOf(asleepWith([]), runs, { ...place, node: chosenNode }).name).toBe(expected);
	});
});
