import type { IContextObject, IDataObject } from 'n8n-workflow';

import type { ServiceErrorFacts } from '../../service/errors';
import { isJsonObject } from '../../service/json';
import type { ServiceRequest } from '../../service/request';
import type { RunApiName } from '../../service/runs';
import { toRunStatus, type RunStatus } from '../../service/runStatus';
import type { Activity } from './activity';
import type { WaitPlan } from './plan';
import type { WaitSettings } from '../../fields/waiting';

/** Where one item's run stands. At least one of `request`, `taskId` and `refusal` is there. */
export interface Entry {
	/** Makes this item's callback URL unguessable. */
	nonce: string;
	/** The start that is still to be sent. */
	request?: ServiceRequest;
	taskId?: string;
	/** The last known status of a started run. */
	status?: RunStatus;
	/** The browser profile that a V2 task keeps its data in, if the answer to its start told it. */
	profileId?: string;
	/** Why this item has no run, or why the service tells nothing of it. */
	refusal?: Refusal;
}

/** A start that the service or our own checks refused, in words that outlive the execution's sleep. */
export interface Refusal {
	message: string;
	advice: string;
	facts: ServiceErrorFacts;
}

/**
 * What was started and how it is waited for. It is kept with the execution, so that a retry, a
 * restart of n8n or a wake-up finds the runs again instead of starting them twice.
 */
export interface Ledger {
	/** Which execution wrote this, and in which of the node's rounds (Loop Over Items makes many). */
	executionId: string;
	runIndex: number;
	/** Opens the status page. */
	watchKey: string;
	way: WaitPlan['way'];
	face: RunApiName;
	settings: WaitSettings;
	/** When the first run was started, in milliseconds since 1970; missing for runs started elsewhere. */
	since?: number;
	/** When waiting ends at the latest, in milliseconds since 1970. */
	deadline: number;
	/** Whether a start met the plan's limit of running tasks. */
	full?: boolean;
	/** What is known of looks and callbacks at the time of falling asleep. */
	activity?: Activity;
	/** By item index. */
	entries: Entry[];
}

const KEY = 'browserAutomationRuns';

function isLedger(value: unknown): value is Ledger {
	return (
		typeof value === 'object' &&
		value !== null &&
		'entries' in value &&
		Array.isArray(value.entries) &&
		'settings' in value &&
		'deadline' in value
	);
}

/** The ledger that an earlier attempt at the same round of the node left, if any. */
export function findLedger(context: IContextObject, runIndex: number): Ledger | undefined {
	const found: unknown = context[KEY];
	return isLedger(found) && found.runIndex === runIndex ? found : undefined;
}

/** Keeps a ledger with the execution. From then on its changes are kept too. */
export function keepLedger(context: IContextObject, ledger: Ledger): void {
	context[KEY] = ledger;
}

/** Names a sleeping execution in this process, or rather one round of its node. */
export function sleeperKey({ executionId, runIndex }: Ledger): string {
	return `${executionId}/${runIndex}`;
}

/**
 * An expression that gives a node's ledger as JSON text, for where only expressions reach it. What
 * is in the starts still to be sent is left out: it can be large.
 */
export function ledgerExpression(nodeName: string): string {
	const name = JSON.stringify(nodeName).replace(
		/[{}]/g,
		(brace) => `\\u00${brace.charCodeAt(0).toString(16)}`,
	);
	const ledger = `$node[${name}].context["${KEY}"] ?? null`;
	return `{{ JSON.stringify(${ledger}, (key, value) => key === "request" ? "kept" : value) }}`;
}

/** Reads what `ledgerExpression` gave. */
export function parseLedger(text: unknown): Ledger | undefined {
	if (typeof text !== 'string') return undefined;
	const found: unknown = JSON.parse(text);
	return isLedger(found) ? found : undefined;
}

/** What a callback's handler gives a woken node as the input item of one entry. */
export function wakeUpRecord({ taskId, status }: Entry): IDataObject {
	return { browserAutomationWakeUp: { taskId, status } };
}

/** Notes what a callback's handler found out, where the input item is a wake-up record of the entry. */
export function noteWakeUp(entry: Entry, input: IDataObject): void {
	const record: unknown = input.browserAutomationWakeUp;
	if (!isJsonObject(record) || record.taskId !== entry.taskId) return;
	if (typeof record.status === 'string') entry.status = toRunStatus(record.status);
}
