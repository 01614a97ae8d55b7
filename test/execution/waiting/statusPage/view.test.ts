import { randomUUID } from 'node:crypto';

import { activityOf } from '../../../../nodes/BrowserAutomation/execution/waiting/sleep/sleepers';
import type { Entry } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import {
	viewOf,
	type ShownRun,
} from '../../../../nodes/BrowserAutomation/execution/waiting/statusPage/view';
import { ledgerOf } from '../ledgerOf';
import { node } from './node';

const request = { method: 'POST', path: '/v3/bots/1/runs' } as const;
const refusal = { message: 'No such bot', advice: '', facts: {} };
const executionUrl = 'https://n8n.example.com/workflow/w/executions/1';
const place = { node, workflowName: 'Prices', executionUrl };

beforeEach(() => jest.useFakeTimers({ now: 100_000 }));
afterEach(() => jest.useRealTimers());

it('counts what is open, paused and still to be started', () => {
	const entries: Entry[] = [
		{ taskId: '1', status: 'running' },
		{ taskId: '2', status: 'paused' },
		{ taskId: '3', status: 'paused' },
		{ taskId: '4', status: 'finished' },
		{ taskId: '5', status: 'paused', refusal },
		{ refusal },
		{ request },
	];

	expect(viewOf(ledgerOf(entries), [], place)).toMatchObject({
		items: 7,
		open: 3,
		unstarted: 1,
		paused: 2,
		isDone: false,
	});
});

it('tells when all is over', () => {
	const ledger = ledgerOf([{ taskId: '1', status: 'finished' }, { refusal }]);

	expect(viewOf(ledger, [], place)).toMatchObject({ open: 0, isDone: true });
});

it('tells times, what n8n has heard, and the outcome of a button', () => {
	const sleep = { id: 's', resumeUrl: 'https://n8n.example.com', date: 300_000, isIdle: false };
	const times = { since: 50_000, deadline: 900_000 };
	const ledger = ledgerOf([], { executionId: randomUUID(), ...times, sleep });
	activityOf(ledger).lookedAt = 100_000;

	expect(viewOf(ledger, [], place, 'Run 1 was canceled.')).toMatchObject({
		...times,
		workflowName: 'Prices',
		executionUrl,
		now: 100_000,
		nextLook: 300_000,
		activity: { lookedAt: 100_000 },
		notice: 'Run 1 was canceled.',
	});
});

it('knows no next look of an execution that has not slept yet', () => {
	expect(viewOf(ledgerOf([]), [], place).nextLook).toBeUndefined();
});

it('says that starts wait for a free slot only where the plan’s limit was met', () => {
	expect(viewOf(ledgerOf([{ request }], { queuedAt: 1 }), [], place).isFull).toBe(true);
	expect(viewOf(ledgerOf([{ request }]), [], place).isFull).toBe(false);
});

it('has words for a workflow whose name n8n does not tell', () => {
	const unnamed = { ...place, workflowName: undefined };

	expect(viewOf(ledgerOf([]), [], unnamed).workflowName).toBe('The workflow');
});

describe('is named after', () => {
	/** The name of the page for runs of these bots. */
	function nameOf(botNames: Array<string | undefined>, parameters = {}): string {
		const runs = botNames.map((botName): ShownRun => ({
			taskId: '7',
			status: 'running',
			input: [],
			...(botName !== undefined && { botName }),
		}));
		return viewOf(ledgerOf([]), runs, { ...place, node: { ...node, parameters } }).name;
	}

	const chosen = {
		operation: 'run',
		botId: { mode: 'list', value: '1', cachedResultName: 'Chosen Bot' },
	};

	it('the bot that all shown runs are of', () => {
		expect(nameOf(['Price Watcher', 'Price Watcher'], chosen)).toBe('Price Watcher');
	});

	it.each([
		['of several bots', ['Price Watcher', 'Product Scraper']],
		['of a bot that the service does not name', [undefined]],
		['of which some have no bot named', ['Price Watcher', undefined]],
	])('the bot that was chosen in the node, with runs %s', (_, botNames) => {
		expect(nameOf(botNames, chosen)).toBe('Chosen Bot');
	});

	it('the node where none was chosen from a list', () => {
		expect(nameOf([], { botId: { mode: 'id', value: '1' } })).toBe('Browser Automation');
	});
});

it('has diagnostics without a secret', () => {
	const sleep = { id: 'secret-1', resumeUrl: 'https://n8n/secret-2', date: 300_000, isIdle: false };
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
	expect(viewOf(many, [], place).diagnostics.at(-1)).toBe('and 1 more items');
});
