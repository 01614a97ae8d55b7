import { randomUUID } from 'node:crypto';
import type { INode } from 'n8n-workflow';

import {
	LEDGER_VERSION,
	type Entry,
	type Ledger,
	type StoredSuspension,
	type StartedEntry,
	type SuspendedLedger,
} from '../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import type {
	Suspension,
	OwnSuspension,
} from '../../../nodes/BrowserAutomation/execution/waiting/suspension/suspension';
import { remember } from '../../../nodes/BrowserAutomation/execution/waiting/suspension/suspensions';
import type { WaitSettings } from '../../../nodes/BrowserAutomation/fields/waiting';
export type * from '../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';

/** Where n8n resumes an execution, today and before version 2.14. */
export const RESUME_URL = 'https://n8n.example.com/webhook-waiting/1?signature=a';
export const UNSIGNED_URL = 'https://n8n.example.com/webhook-waiting/1';

/** A start that is still to be sent. */
export const request = { method: 'POST', path: '/v3/bots/1/runs' } as const;

export const refusal = { message: 'No such bot', advice: '', facts: {} };

export function running(taskId = '1'): StartedEntry {
	return { taskId, status: 'running' };
}

/** A sleep, as far as a test needs one. */
export function suspensionWith(id: string, more: Partial<StoredSuspension> = {}): StoredSuspension {
	const usual = { suspendedAt: 0, resumeUrl: RESUME_URL, timerAt: 0, wasResumedInVain: false };
	return { id, ...usual, ...more };
}

/** A ledger of an execution that waits for runs, as far as a test needs one. */
export function ledgerOf(
	entries: readonly Entry[] = [],
	more: Partial<Ledger> = {},
	settings: Partial<WaitSettings> = {},
): Ledger {
	return {
		version: LEDGER_VERSION,
		executionId: '1',
		runIndex: 0,
		resumes: 0,
		statusPageKey: 'key',
		callbackKey: 'secret',
		waitMethod: 'callback',
		api: 'v3',
		settings: {
			output: 'simplified',
			limitMs: 1,
			atLimit: 'continue',
			isPauseEnough: false,
			failedAsOutput: false,
			cancelOnStop: false,
			cancelAtLimit: false,
			cancelOnFailedStart: false,
			waitForSlot: false,
			maxRuns: undefined,
			cancelAfterMs: undefined,
			reuseMs: undefined,
			files: undefined,
			includeInputFiles: false,
			...settings,
		},
		begunAt: 0,
		deadline: 1,
		activity: {},
		entries,
		...more,
	};
}

/** A ledger of an execution of its own that sleeps for what these entries have begun, unknown to this process. */
export function asleepWith(
	entries: readonly Entry[] = [],
	more: Partial<Ledger> = {},
	sleep: Partial<StoredSuspension> = {},
): SuspendedLedger {
	const ledger = ledgerOf(entries, { executionId: randomUUID(), ...more });
	return { ...ledger, suspension: suspensionWith(randomUUID(), sleep) };
}

/** This process puts an execution to sleep: of a published workflow, watched. */
export function fallAsleep(ledger: SuspendedLedger, how: Partial<OwnSuspension> = {}): Suspension {
	const ready = Promise.resolve();
	return remember(ledger, { account: 'a', isProduction: true, ready, ...how });
}

export const node: INode = {
	id: 'a',
	name: 'Browser Automation',
	type: 'n8n-nodes-browser-automation.browserAutomation',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
