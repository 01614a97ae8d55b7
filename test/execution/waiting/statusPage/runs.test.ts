import type { Entry } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import {
	knownRuns,
	readShownRuns,
	type ShownRun,
} from '../../../../nodes/BrowserAutomation/execution/waiting/statusPage/view';
import type { ServiceClient } from '../../../../nodes/BrowserAutomation/service/http/client';
import type { JsonObject } from '../../../../nodes/BrowserAutomation/service/json/json';
import { V2_TASKS } from '../../../../nodes/BrowserAutomation/service/runs/runApi';
import { ledgerOf } from '../ledgerOf';
import { node } from './node';

const request = { method: 'POST', path: '/v3/bots/1/runs' } as const;
const refusal = { message: 'No such bot', advice: '', facts: {} };

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

it('leaves out what the service does not say', async () => {
	expect(await shownOf({ status: 'running' })).toEqual({
		taskId: '7',
		status: 'running',
		input: [],
	});
});

it.each(['javascript:alert("https://")', 'data:text/html,<p>log</p>', ''])(
	'leads only to web pages, not to %j',
	async (address) => {
		const shown = await shownOf({
			status: 'running',
			live_url_info: { live_url: address },
			log_detail_url: address,
		});

		expect(shown).toEqual({ taskId: '7', status: 'running', input: [] });
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
	const ledger = ledgerOf([{ taskId: '7', status: 'running' }]);

	expect(await readShownRuns(node, serviceWith({}), ledger)).toEqual([
		{
			taskId: '7',
			status: 'running',
			input: [],
			problem: 'It cannot be read at the moment: no answer',
		},
	]);
});

it('notes how the runs stand', async () => {
	const ledger = ledgerOf([{ taskId: '7', status: 'running' }]);
	await readShownRuns(node, serviceWith({ 7: { status: 'finished' } }), ledger);

	expect(ledger.entries).toEqual([{ taskId: '7', status: 'finished' }]);
});

it('asks for no run that was refused, and shows no item whose start is still to be sent', async () => {
	const service = serviceWith({});
	const entries: Entry[] = [{ refusal }, { taskId: '7', status: 'running', refusal }, { request }];

	expect(await readShownRuns(node, service, ledgerOf(entries))).toEqual([
		{ status: 'refused', input: [], problem: 'No such bot' },
		{ taskId: '7', status: 'refused', input: [], problem: 'No such bot' },
	]);
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

describe('of many runs', () => {
	/** So many runs of which the last is paused, which the execution does not know yet. */
	function manyRuns(count: number) {
		const taskIds = Array.from({ length: count }, (_, index) => `${index}`);
		const states = taskIds.map((id) => [id, { status: 'running' }] as const);
		const last = `${count - 1}`;
		const service = serviceWith({ ...Object.fromEntries(states), [last]: { status: 'paused' } });
		const entries: Entry[] = taskIds.map((taskId) => ({ taskId, status: 'running' }));
		return { service, ledger: ledgerOf(entries), last };
	}

	it('shows the twenty that are most urgent now', async () => {
		const { service, ledger, last } = manyRuns(21);
		const shown = await readShownRuns(node, service, ledger);

		expect(shown).toHaveLength(20);
		expect(shown[0]).toMatchObject({ taskId: last, status: 'paused' });
		expect(service.paths.filter((path) => path === '/v3/bots/runs')).toHaveLength(1);
	});

	it('asks for no list where all are shown', async () => {
		const { service, ledger } = manyRuns(20);

		expect(await readShownRuns(node, service, ledger)).toHaveLength(20);
		expect(service.paths).not.toContain('/v3/bots/runs');
	});
});

it('shows what is known without asking the service', () => {
	const running: Entry = { taskId: '7', status: 'running' };
	const paused: Entry = { taskId: '8', status: 'paused' };

	expect(knownRuns(node, ledgerOf([{ request }, { refusal }, running, paused]))).toEqual([
		{ taskId: '8', status: 'paused', input: [] },
		{ taskId: '7', status: 'running', input: [] },
		{ status: 'refused', input: [], problem: 'No such bot' },
	]);
});
