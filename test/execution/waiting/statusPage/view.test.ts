import { randomUUID } from 'node:crypto';

import { activityOf } from '../../../../nodes/BrowserAutomation/execution/waiting/sleep/sleepers';
import type { Entry } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import {
	knownRuns,
	readShownRuns,
	viewOf,
	type ShownRun,
} from '../../../../nodes/BrowserAutomation/execution/waiting/statusPage/view';
import type { ServiceClient } from '../../../../nodes/BrowserAutomation/service/http/client';
import type { JsonObject } from '../../../../nodes/BrowserAutomation/service/json/json';
import { V2_TASKS } from '../../../../nodes/BrowserAutomation/service/runs/runApi';
import { ledgerOf, node, refusal, request, running, sleepOf } from '../ledgerOf';

beforeEach(() => jest.useFakeTimers({ now: 100_000 }));
afterEach(() => jest.useRealTimers());

const REFUSED = { status: 'refused', input: [], problem: refusal.message } as const;

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
			const items = Object.entries(runs).map(([task_id, { status = null }]) => ({
				task_id,
				status,
			}));
			return { items, limit: 100 };
		},
	};
}

/** What is shown of one run that the service describes so. */
async function shownOf(run: JsonObject, api: 'v3' | 'v2' = 'v3'): Promise<ShownRun | undefined> {
	const ledger = ledgerOf([{ taskId: '7' }], { api });
	const [shown] = await readShownRuns(node, serviceWith({ 7: run }), ledger);
	return shown;
}

const CREATED_AT = '2026-11-22T12:00:00Z';

it('tells of a run what the service says', async () => {
	const shown = await shownOf({
		status: 'paused',
		bot_name: 'Price Watcher',
		input: { keyword: 'desk lamp', pages: 3, options: { deep: true } },
		created_at: CREATED_AT,
		live_url_info: { live_url: 'https://live.example.com/7' },
		log_detail_url: 'HTTP://log.example.com/7',
		credit: 1.5,
		steps: [{}, {}],
	});

	expect(shown).toEqual({
		taskId: '7',
		status: 'paused',
		botName: 'Price Watcher',
		input: [
			['keyword', 'desk lamp'],
			['pages', '3'],
			['options', '{"deep":true}'],
		],
		createdAt: Date.parse(CREATED_AT),
		credit: 1.5,
		steps: 2,
		liveView: 'https://live.example.com/7',
		log: 'HTTP://log.example.com/7',
	});
});

it('tells of a V2 task what the service says', async () => {
	const task = {
		status: 'running',
		input_parameters: 'keyword=desk lamp; filter=price=low; nothing',
		live_url: 'https://live.example.com/7',
	};

	expect(await shownOf(task, V2_TASKS.name)).toEqual({
		taskId: '7',
		status: 'running',
		input: [
			['keyword', 'desk lamp'],
			['filter', 'price=low'],
		],
		liveView: 'https://live.example.com/7',
	});
});

it.each(['javascript:alert("https://")', 'data:text/html,<p>log</p>', '', undefined])(
	'leads only to web pages, not to %j, and leaves out what the service does not say',
	async (address) => {
		const links = { live_url_info: { live_url: address }, log_detail_url: address };
		const told = address === undefined ? {} : links;

		expect(await shownOf({ status: 'running', ...told })).toEqual({
			taskId: '7',
			status: 'running',
			input: [],
		});
	},
);

it('keeps back inputs that are for the bot alone, and shortens long ones', async () => {
	const shown = await shownOf({
		input: { password: 'hunter2', apiKey: 'k-1', full: 'x'.repeat(120), long: 'x'.repeat(121) },
	});

	expect(shown?.input).toEqual([
		['password', '••••••'],
		['apiKey', '••••••'],
		['full', 'x'.repeat(120)],
		['long', `${'x'.repeat(120)}…`],
	]);
});

const SECRET_NAMES = `password userPwd pwd2 PIN pin_code cardNumber card creditcard cvv CVC ssn IBAN
	Authorization basic-auth authToken otp smsOTP code securityCode verification_code access_token`;
const ORDINARY_NAMES = `keyword opinion author pinterest_url discard cardigan postcode country_code
	zipCode shopping business compass passengers spinner language codec`;

it.each(SECRET_NAMES.split(/\s+/))('keeps back an input that is called %s', async (name) => {
	expect((await shownOf({ input: { [name]: 'hunter2' } }))?.input).toEqual([[name, '••••••']]);
});

it.each(ORDINARY_NAMES.split(/\s+/))('shows an input that is called %s', async (name) => {
	expect((await shownOf({ input: { [name]: 'lamp' } }))?.input).toEqual([[name, 'lamp']]);
});

it('shows no more than eight inputs', async () => {
	const names = Array.from({ length: 9 }, (_, index) => `name ${index}`);
	const shown = await shownOf({ input: Object.fromEntries(names.map((name) => [name, 'a'])) });

	expect(shown?.input.map(([name]) => name)).toEqual(names.slice(0, 8));
});

it('says of a run that cannot be read why, and what is known of it', async () => {
	const problem = 'It cannot be read at the moment: no answer';
	const shown = await readShownRuns(node, serviceWith({}), ledgerOf([running('7')]));

	expect(shown).toEqual([{ taskId: '7', status: 'running', input: [], problem }]);
});

it('notes how the runs stand', async () => {
	const ledger = ledgerOf([running('7')]);
	await readShownRuns(node, serviceWith({ 7: { status: 'finished' } }), ledger);

	expect(ledger.entries).toEqual([{ taskId: '7', status: 'finished' }]);
});

it('asks for no run that was refused, and shows no item whose start is still to be sent', async () => {
	const service = serviceWith({});
	const entries: Entry[] = [{ refusal }, { ...running('7'), refusal }, { request }];
	const shown = await readShownRuns(node, service, ledgerOf(entries));

	expect(shown).toEqual([REFUSED, { taskId: '7', ...REFUSED }]);
	expect(service.paths).toEqual([]);
	expect(await readShownRuns(node, service, ledgerOf([{ request }]))).toEqual([]);
});

it('shows what is most urgent now first', async () => {
	const statuses = ['finished', 'canceled', 'failed', 'new', 'created', 'running', 'pausing'];
	const runs = [...statuses, 'paused'].map((status, index) => [`${index}`, { status }] as const);
	const ledger = ledgerOf([{ refusal }, ...runs.map(([taskId]) => ({ taskId }))]);
	const shown = await readShownRuns(node, serviceWith(Object.fromEntries(runs)), ledger);

	expect(shown.map(({ status }) => status)).toEqual([
		...['paused', 'pausing', 'running', 'created', 'unknown'],
		...['refused', 'failed', 'canceled', 'finished'],
	]);
});

/** The service has so many runs, of which the last is paused, which the execution does not know yet. */
function manyRuns(count: number) {
	const taskIds = Array.from({ length: count }, (_, index) => `${index}`);
	const states = taskIds.map((id) => [id, { status: 'running' }] as const);
	const last = { [`${count - 1}`]: { status: 'paused' } };
	const service = serviceWith({ ...Object.fromEntries(states), ...last });
	return { service, ledger: ledgerOf(taskIds.map(running)) };
}

it('shows of many the twenty that are most urgent now, and asks for a list only where there are more', async () => {
	const [more, all] = [manyRuns(21), manyRuns(20)];
	const shown = await readShownRuns(node, more.service, more.ledger);

	expect(shown).toHaveLength(20);
	expect(shown[0]).toMatchObject({ taskId: '20', status: 'paused' });
	expect(more.service.paths.filter((path) => path === '/v3/bots/runs')).toHaveLength(1);
	expect(await readShownRuns(node, all.service, all.ledger)).toHaveLength(20);
	expect(all.service.paths).not.toContain('/v3/bots/runs');
});

it('shows what is known without asking the service', () => {
	const entries: Entry[] = [{ request }, { refusal }, running(), { taskId: '2', status: 'paused' }];

	expect(knownRuns(node, ledgerOf(entries))).toEqual([
		{ taskId: '2', status: 'paused', input: [] },
		{ taskId: '1', status: 'running', input: [] },
		REFUSED,
	]);
});

describe('the page', () => {
	const executionUrl = 'https://n8n.example.com/workflow/w/executions/1';
	const place = { node, workflowName: 'Prices', executionUrl };

	it.each<[string, Entry[], object]>([
		[
			'counts what is open, paused and still to be started',
			[
				running('1'),
				{ taskId: '2', status: 'paused' },
				{ taskId: '3', status: 'paused' },
				{ taskId: '4', status: 'finished' },
				{ taskId: '5', status: 'paused', refusal },
				{ refusal },
				{ request },
			],
			{ items: 7, open: 3, unstarted: 1, paused: 2, isDone: false, isFull: false },
		],
		[
			'tells when all is over',
			[{ taskId: '1', status: 'finished' }, { refusal }],
			{ items: 2, open: 0, unstarted: 0, isDone: true, nextLook: undefined },
		],
	])('%s', (_, entries, expected) => {
		expect(viewOf(ledgerOf(entries), [], place)).toMatchObject(expected);
	});

	it('tells times, what n8n has heard, the outcome of a button, and that starts wait for a slot', () => {
		const times = { since: 50_000, deadline: 900_000 };
		const sleep = sleepOf('s', { date: 300_000 });
		const ledger = ledgerOf([], { executionId: randomUUID(), ...times, queuedAt: 1, sleep });
		activityOf(ledger).lookedAt = 100_000;

		expect(viewOf(ledger, [], place, 'Run 1 was canceled.')).toMatchObject({
			...times,
			workflowName: 'Prices',
			executionUrl,
			now: 100_000,
			nextLook: 300_000,
			isFull: true,
			activity: { lookedAt: 100_000 },
			notice: 'Run 1 was canceled.',
		});
	});

	it('has words for a workflow whose name n8n does not tell', () => {
		const unnamed = { ...place, workflowName: undefined };

		expect(viewOf(ledgerOf([]), [], unnamed).workflowName).toBe('The workflow');
	});

	const chosen = { operation: 'run', botId: { value: '1', cachedResultName: 'Chosen Bot' } };

	it.each<[string, string, object, Array<string | undefined>]>([
		['the bot that all shown runs are of', 'Price Watcher', chosen, Array(2).fill('Price Watcher')],
		['the chosen bot, with runs of several', 'Chosen Bot', chosen, ['Price Watcher', 'Other']],
		['the chosen bot, where the service names none', 'Chosen Bot', chosen, [undefined]],
		['the chosen bot, where it names one of two', 'Chosen Bot', chosen, ['Other', undefined]],
		['the node where none was chosen from a list', node.name, { botId: { value: '1' } }, []],
	])('is named after %s: %s', (_, expected, parameters, botNames) => {
		const runs = botNames.map((botName): ShownRun => ({
			taskId: '7',
			status: 'running',
			input: [],
			...(botName !== undefined && { botName }),
		}));
		const chosenNode = { ...node, parameters: { ...parameters } };

		expect(viewOf(ledgerOf([]), runs, { ...place, node: chosenNode }).name).toBe(expected);
	});

	it('has diagnostics without a secret', () => {
		const sleep = sleepOf('secret-1', { resumeUrl: 'https://n8n/secret-2', date: 300_000 });
		const keys = { statusPageKey: 'secret-3', callbackKey: 'secret-4' };
		const entries: Entry[] = [{ taskId: '71', status: 'paused' }, { refusal }, { request }];
		const ledger = ledgerOf(entries, { executionId: '9', sleep, ...keys });
		const { diagnostics } = viewOf(ledger, [], place);

		expect(diagnostics.slice(-3)).toEqual([
			'item 0: 71, paused',
			'item 1: no run, refused',
			'item 2: no run, not started',
		]);
		expect(diagnostics.join()).toContain('execution 9, round 0, now 1970-01-01T00:01:40.000Z');
		expect(diagnostics.join()).toContain('next look 1970-01-01T00:05:00.000Z');
		expect(diagnostics.join()).not.toContain('secret');
		const many = ledgerOf(Array.from({ length: 201 }, () => ({ refusal })));
		const last = ['item 199: no run, refused', 'and 1 more items'];
		expect(viewOf(many, [], place).diagnostics.slice(-2)).toEqual(last);
	});
});
