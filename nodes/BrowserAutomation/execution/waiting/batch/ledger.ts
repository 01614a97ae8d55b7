import type { IContextObject } from 'n8n-workflow';

import type { WaitSettings } from '../../../fields/waiting';
import { HelpfulError, type ServiceErrorFacts } from '../../../service/errors';
import type { ServiceRequest } from '../../../service/http/request';
import type { RunApiName, RunStatus } from '../../../service/runs/runApi';
import { namedRuns } from './runErrors';

/**
 * How to wait: asleep, with callbacks (`callback`) or where none can come without (`clock`); where n8n
 * cannot wake the execution, asking in place; or not at all.
 */
export type Way = 'callback' | 'clock' | 'inPlace' | 'none';

/** Where one item's run stands. At least one of `request`, `taskId` and `refusal` is there. */
export interface Entry {
	/** What the run was started with, as a digest; of a run that existed before, its ID. */
	origin?: string | undefined;
	/** The start that is still to be sent. */
	request?: ServiceRequest;
	/** Whether it is being sent: n8n may store the ledger at that moment, when it stops the execution. */
	isBeingSent?: true;
	taskId?: string;
	/** The last known status of a started run. */
	status?: RunStatus;
	/** The browser profile that a V2 task keeps its data in, if the answer to its start named it. */
	profileId?: string;
	/** When the run was started, in milliseconds since 1970, where it is to be canceled after some time. */
	startedAt?: number;
	/** Whether the run was there already, started for the same input. */
	isRepeated?: true;
	/** Why the node has canceled the run: the wait limit was reached, or it had gone on for too long. */
	canceledAt?: 'limit' | 'age';
	/** Why this item has no run, or why nothing is known of it. */
	refusal?: Refusal;
}

/** Why an item has no run, in words that outlive the execution's sleep. */
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

/** What happened while an execution slept, for people. Times in milliseconds since 1970. */
export interface Activity {
	/** When n8n last asked the service about the runs. */
	lookedAt?: number;
	/** When the service last called back. */
	calledBackAt?: number;
	/** When the service was last asked in vain, and what it said, without the node's secrets. */
	refusedAt?: number;
	refusal?: string;
}

/** The form of the ledger, for a later one to know it by. Each form has `runIndex` and `entries[].taskId`. */
export const LEDGER_VERSION = 1;

/**
 * What was started and how it is waited for. It is kept with the execution, so that a retry, a
 * restart of n8n or a wake-up finds the runs again instead of starting them twice. Moments are in
 * milliseconds since 1970.
 */
export interface Ledger {
	version: typeof LEDGER_VERSION;
	/** Which execution wrote this, for which node, and in which of its rounds (Loop Over Items makes many). */
	executionId: string;
	nodeId: string;
	runIndex: number;
	/** Opens the status page. */
	watchKey: string;
	/** Makes the callback URLs unguessable. */
	callbackKey: string;
	way: Way;
	/** The API of its runs. */
	api: RunApiName;
	settings: WaitSettings;
	/** When the first run was started, missing for runs started elsewhere; and the last one. */
	since?: number | undefined;
	startedAt?: number;
	/** When waiting began, and when it ends at the latest. */
	begunAt: number;
	deadline: number;
	/** Since when starts wait for a free slot of the plan. */
	queuedAt?: number;
	/** Whether a person had all of its runs canceled: nothing more is started, not by Retry either. */
	isCanceled?: true;
	/** Where starts are sent in waves, each of which is stored first: the wave goes up to this item, without it. */
	waveEnd?: number;
	/** When n8n ends the execution by the workflow's time limit. */
	timeout?: number | undefined;
	/** The present sleep, or the last one. */
	sleep?: Sleep;
	/** What is known of looks and callbacks; of the present sleep, the process's memory knows more. */
	activity?: Activity;
	/** By item index. */
	entries: Entry[];
}

const KEY = 'browserAutomationRuns';

function isLedger(value: object): value is Ledger {
	return 'version' in value && value.version === LEDGER_VERSION;
}

/**
 * The ledger that a node keeps with the execution, if any.
 *
 * @param runIndex the round of the node that it is of; any, when left out
 * @throws HelpfulError where another version of the package wrote it in a form that is not known here,
 * so that nothing that it has started is started again
 */
export function keptLedger(context: IContextObject, runIndex?: number): Ledger | undefined {
	const found: unknown = context[KEY];
	if (typeof found !== 'object' || found === null) return undefined;
	const isOther = runIndex !== undefined && 'runIndex' in found && found.runIndex !== runIndex;
	if (isOther) return undefined;
	if (isLedger(found)) return found;
	const named = JSON.stringify(found).matchAll(/(?<="taskId":")[^"]+/g);
	const taskIds = Array.from(named, ([taskId]) => taskId);
	throw new HelpfulError(
		`Another version of this package began this execution, and its notes cannot be read here. Its runs: ${namedRuns(taskIds) || 'none known'}`,
		'Nothing was started again. Install that version or a later one, then retry the execution: it goes on with these runs. Or read them with Get.',
	);
}

/** Keeps a ledger with the execution. From then on its changes are kept too. */
export function keepLedger(context: IContextObject, ledger: Ledger): void {
	context[KEY] = ledger;
}
