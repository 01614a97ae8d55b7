import { InputError } from '../service/errors';
import { isJsonObject, textAt, type JsonObject } from '../service/json/json';

/** Where a trigger takes callbacks, as it tells the other nodes of its workflow. */
export interface TriggerAddresses {
	/** The trigger's name in the workflow. */
	name: string;
	completedUrl: string;
	statusUrl: string;
	/** Whether an editor listens there for a test event. */
	isTest?: boolean;
}

/** Where a trigger takes callbacks of each kind, below its own address. */
export const COMPLETED_PATH = 'run-completed';
export const STATUS_PATH = 'run-status-changed';

/** The key under which triggers leave their addresses for the other nodes of their workflow. */
export const TRIGGERS_KEY = 'browserAutomationTriggers';

/** Adds a trigger's addresses to what the workflow's nodes share, by the trigger's node ID. */
export function leaveAddresses(left: unknown, nodeId: string, own: TriggerAddresses): JsonObject {
	return { ...(isJsonObject(left) ? left : {}), [nodeId]: { ...own } };
}

/** Takes a trigger's addresses out of what the workflow's nodes share. */
export function takeAddresses(left: unknown, nodeId: string): JsonObject {
	const others = isJsonObject(left) ? { ...left } : {};
	delete others[nodeId];
	return others;
}

/** Whether a trigger left exactly these addresses. */
export function hasAddresses(left: unknown, nodeId: string, own: TriggerAddresses): boolean {
	const found = isJsonObject(left) ? toAddresses(left[nodeId]) : undefined;
	return found?.completedUrl === own.completedUrl && found.statusUrl === own.statusUrl;
}

/** The addresses that triggers left. */
export function addressesIn(left: unknown): TriggerAddresses[] {
	return Object.values(isJsonObject(left) ? left : {}).flatMap((entry) => toAddresses(entry) ?? []);
}

/**
 * The trigger to be notified: the one of this name, or the only one. One that an editor listens to
 * goes before the others.
 *
 * @throws InputError when there is none, or more than one
 */
export function chooseTrigger(
	triggers: TriggerAddresses[],
	name: string | undefined,
): TriggerAddresses {
	const named = triggers.filter((trigger) => name === undefined || trigger.name === name);
	const listenedTo = named.filter(({ isTest }) => isTest === true);
	const [only, ...others] = listenedTo.length > 0 ? listenedTo : named;
	if (only !== undefined && others.length === 0) return only;
	const names = triggers.map((trigger) => `"${trigger.name}"`).join(', ');
	if (only !== undefined) {
		throw new InputError(
			`This workflow has more than one active Browser Automation Trigger: ${names}`,
			'Enter the name of the one to notify under Trigger Name.',
		);
	}
	if (triggers.length > 0) {
		throw new InputError(
			`No active Browser Automation Trigger of this workflow is named "${name}"`,
			`Enter one of ${names} under Trigger Name, or nothing if there is only one.`,
		);
	}
	throw new InputError(
		'No Browser Automation Trigger of this workflow is active',
		'Add a Browser Automation Trigger that listens to runs started elsewhere, and publish (activate) the workflow; publish it again if the address of this n8n has changed. To try the workflow without it, set Notify to None.',
	);
}

function toAddresses(entry: unknown): TriggerAddresses | undefined {
	if (!isJsonObject(entry)) return undefined;
	const completedUrl = textAt(entry, 'completedUrl');
	const statusUrl = textAt(entry, 'statusUrl');
	if (completedUrl === undefined || statusUrl === undefined) return undefined;
	const isTest = entry.isTest === true;
	return { name: textAt(entry, 'name') ?? '', completedUrl, statusUrl, ...(isTest && { isTest }) };
}
