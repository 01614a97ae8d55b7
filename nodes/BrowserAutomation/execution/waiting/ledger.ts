import type { IContextObject } from 'n8n-workflow';

import type { WaitSettings } from '../../fields/waiting';
import type { ServiceErrorFacts } from '../../service/errors';
import type { ServiceRequest } from '../../service/request';
import type { RunApiName } from '../../service/runs';
import type { RunStatus } from '../../service/runStatus';
import type { Activity } from './activity';
import type { WaitPlan } from './plan';

/** Where one item's run stands. At least one of `request`, `taskId` and `refusal` is there. */
export interface Entry {
	/** Makes this item's callback URL unguessable; left out where it follows from the ledger's `callbackKey`. */
	nonce?: string;
	/** The start that is still to be sent. */
	request?: ServiceRequest;
	/** Whether the start was to be sent in the wave that began after the ledger was stored last. */
	isDue?: boolean;
	taskId?: string;
	/** The last known status of a started run. */
	status?: RunStatus;
	/** The browser profile that a V2 task keeps its data in, if the answer to its start named it. */
	profileId?: string;
	/** Why this item has no run, or why nothing is known of it. */
	refusal?: Refusal;
}

/** A start that the service or our own checks refused, in words that outlive the execution's sleep. */
export interface Refusal {
	message: string;
	advice: string;
	facts: ServiceErrorFacts;
	/** Whether a run may have been started all the same. */
	isUncertain?: true;
}

/** One sleep of an execution. */
export interface Sleep {
	/** Random, so that no two sleeps are taken for each other. */
	id: string;
	/** Where n8n wakes it. */
	resumeUrl: string;
	/** When n8n's clock wakes the execution, in milliseconds since 1970. */
	date: number;
	/** How often the execution was woken since something last happened to its runs. */
	idleWakes: number;
}

/** The form of the ledger. Executions that fell asleep under an earlier one are woken all the same. */
export const LEDGER_VERSION = 2;

/**
 * What was started and how it is waited for. It is kept with the execution, so that a retry, a
 * restart of n8n or a wake-up finds the runs again instead of starting them twice.
 */
export interface Ledger {
	version: typeof LEDGER_VERSION;
	/** Which execution wrote this, for which node, and in which of its rounds (Loop Over Items makes many). */
	executionId: string;
	nodeId: string;
	runIndex: number;
	/** Opens the status page. */
	watchKey: string;
	/** Makes the callback URLs unguessable; missing where each entry has a nonce of its own. */
	callbackKey?: string | undefined;
	way: WaitPlan['way'];
	/** The API of its runs, under the name that stored executions have it. */
	face: RunApiName;
	settings: WaitSettings;
	/** When the first run was started, in milliseconds since 1970; missing for runs started elsewhere. */
	since?: number;
	/** When waiting began, in milliseconds since 1970. */
	begunAt: number;
	/** When waiting ends at the latest, in milliseconds since 1970. */
	deadline: number;
	/** How many of our runs were going on when a start met the plan's limit of running tasks. */
	slots?: number;
	/** Whether starts are sent in waves, each of which is stored before it is sent. */
	inWaves?: boolean;
	/** When n8n ends the execution by the workflow's time limit, in milliseconds since 1970. */
	timeout?: number | undefined;
	/** The present sleep, or the last one. */
	sleep?: Sleep;
	/** What is known of looks and callbacks at the time of falling asleep. */
	activity?: Activity;
	/** By item index. */
	entries: Entry[];
}

const KEY = 'browserAutomationRuns';

/** A ledger of version 0.1.0 of the package, which wrote no version into it. */
export interface OldLedger extends Omit<
	Ledger,
	'version' | 'nodeId' | 'way' | 'begunAt' | 'sleep'
> {
	way: 'sleep' | 'poll' | 'none';
}

function isAnyLedger(value: unknown): value is Ledger | OldLedger {
	return (
		typeof value === 'object' &&
		value !== null &&
		'entries' in value &&
		Array.isArray(value.entries) &&
		'settings' in value &&
		'deadline' in value
	);
}

/** The ledger that a node keeps with the execution, if any. */
export function keptLedger(context: IContextObject): Ledger | OldLedger | undefined {
	const found: unknown = context[KEY];
	return isAnyLedger(found) ? found : undefined;
}

/** Whether a ledger is of the present form. */
export function isPresent(ledger: Ledger | OldLedger): ledger is Ledger {
	return 'version' in ledger && ledger.version === LEDGER_VERSION;
}

/** Keeps a ledger with the execution. From then on its changes are kept too. */
export function keepLedger(context: IContextObject, ledger: Ledger): void {
	context[KEY] = ledger;
}

/** Names one round of a node in an execution, among all that this process knows. */
export function sleeperKey({ executionId, nodeId, runIndex }: Ledger): string {
	return `${executionId}/${nodeId}/${runIndex}`;
}
