import {
	NodeHelpers,
	type FunctionsBase,
	type IExecuteFunctions,
	type IHookFunctions,
	type INode,
} from 'n8n-workflow';

import { InputError } from '../service/errors';
import type { Callbacks } from '../service/events/callback';
import { isJsonObject, partOf, textAt, type JsonObject } from '../service/json/json';
import { memoryOf } from '../service/processMemory';
import type { FieldSet } from './field';
import { choice, text } from './fieldBuilders';
import { readOptionalText, unlessNothing } from './parseValue';

/** Where a trigger takes callbacks of each kind. */
export type TriggerAddresses = Record<keyof Callbacks, string>;

/** A trigger of this workflow, by its name. */
interface ListeningTrigger extends TriggerAddresses {
	name: string;
	/** Whether an editor listens there for a test event. */
	isTest?: true;
}

/** The paths below the trigger's address, by kind of callback. */
export const COMPLETED_PATH = 'run-completed';
export const STATUS_PATH = 'run-status-changed';

const TRIGGER_PATH = new RegExp(`/(?:${COMPLETED_PATH}|${STATUS_PATH})$`);

/** Marks a call by this package instead of the service: to check the run that the query names, or all open runs. */
export const CHECK_KEY = 'check';

/** The address at which a trigger checks a run, or all open runs. */
export function checkUrl(address: string, query: Record<string, string> = {}): string {
	return `${address}?${new URLSearchParams({ [CHECK_KEY]: '', ...query }).toString()}`;
}

/** The key in the workflow's static data under which a trigger stores its address, for the other nodes of the workflow. */
export function signOf({ id }: INode): string {
	return `browserAutomationTrigger ${id}`;
}

/** For how long an editor listens for a test event, in milliseconds (n8n 2.41: two minutes). */
const LISTENING_MS = 120_000;

/** The test addresses to which editors of this process listen, by the keys of their triggers. */
const listenedTo = memoryOf<TriggerAddresses>('listeningTriggers');

function keyOf(context: FunctionsBase, { id }: INode): string {
	return `${context.getWorkflow().id ?? ''} ${id}`;
}

/** Records that an editor listens for a test event of a trigger, at these addresses. */
export function beginListening(context: IHookFunctions, addresses: TriggerAddresses): void {
	listenedTo.set(keyOf(context, context.getNode()), addresses, Date.now() + LISTENING_MS);
}

/** Records that nobody listens to a trigger at these addresses any more. */
export function endListening(context: IHookFunctions, { completed }: TriggerAddresses): void {
	const key = keyOf(context, context.getNode());
	if (listenedTo.get(key)?.completed === completed) listenedTo.delete(key);
}

/**
 * Whether a trigger of the published workflow started this execution. "Retry" goes by the execution that it repeats: n8n then
 * calls every workflow inactive and leaves out its static data (2.41.1).
 */
function isStartedByTrigger(context: FunctionsBase): boolean {
	const mode = context.getMode?.();
	const begun = mode === 'retry' ? context.getExecutionContext()?.source : mode;
	return begun === 'trigger' || begun === 'webhook';
}

/**
 * The active triggers of this workflow, with their present addresses; in a manual execution with the test
 * addresses of those to which an editor listens. Where n8n does not say whether the workflow is active, a trigger
 * counts that has stored its present address (`signOf`); another address came with an imported workflow, or n8n has
 * moved since. Workers of queue mode get neither (n8n 2.41.1), but triggers only start active workflows.
 */
export function findTriggers(context: FunctionsBase): ListeningTrigger[] {
	const shared = context.getWorkflowStaticData('global');
	const isActive = context.getWorkflow().active || isStartedByTrigger(context);
	return listenersIn(context).flatMap((node): ListeningTrigger[] => {
		const { name } = node;
		const test = context.getMode?.() === 'manual' && listenedTo.get(keyOf(context, node));
		if (test) return [{ ...test, name, isTest: true }];
		const present = addressesOf(context, node);
		const isSigned = shared[signOf(node)] === present?.completed;
		return present !== undefined && (isActive || isSigned) ? [{ ...present, name }] : [];
	});
}

/** A trigger's addresses, made as n8n makes them; undefined where n8n's own address is not known. */
export function addressesOf(context: FunctionsBase, node: INode): TriggerAddresses | undefined {
	const { id } = context.getWorkflow();
	const baseUrl = partOf(partOf(context, 'additionalData'), 'webhookBaseUrl');
	if (id === undefined || typeof baseUrl !== 'string') return undefined;
	const urlOf = (path: string): string =>
		NodeHelpers.getNodeWebhookUrl(baseUrl, id, node, path, false);
	return { completed: urlOf(COMPLETED_PATH), statusChanged: urlOf(STATUS_PATH) };
}

/** The address at which the trigger that a run notifies checks it, in any workflow of this n8n; undefined where there is none. */
export function checkUrlFor(
	context: IExecuteFunctions,
	callbacks: unknown,
	query: Record<string, string>,
): string | undefined {
	const baseUrl = partOf(partOf(context, 'additionalData'), 'webhookBaseUrl');
	const names = ['status_change_callback_url', 'callback_url'];
	const address = names
		.flatMap((name) => textAt(callbacks, name) ?? [])
		.find((url) => url.startsWith(`${String(baseUrl)}/`) && TRIGGER_PATH.test(url));
	return address === undefined ? undefined : checkUrl(address, query);
}

/**
 * The trigger to be notified: the one of this name, or the only one. One that an editor listens to
 * has precedence.
 *
 * @throws InputError when there is none, or more than one
 */
function chooseTrigger(triggers: ListeningTrigger[], name: string | undefined): TriggerAddresses {
	const named = triggers.filter((trigger) => [undefined, trigger.name].includes(name));
	const tested = named.filter(({ isTest }) => isTest);
	const [only, ...others] = tested.length > 0 ? tested : named;
	if (only !== undefined && others.length === 0) return only;
	const names = triggers.map((trigger) => `"${trigger.name}"`).join(', ');
	if (triggers.length > 0) {
		throw new InputError(
			only === undefined
				? `No active Browser Automation Trigger of this workflow is named "${name}"`
				: `This workflow has more than one active Browser Automation Trigger: ${names}`,
			`Enter the name of the one to notify under 'Trigger Name', e.g. ${names}.`,
		);
	}
	throw new InputError(
		'No Browser Automation Trigger of this workflow is active',
		"Add a Browser Automation Trigger that listens to runs started elsewhere, and publish (activate) the workflow; publish it again if the address of this n8n has changed. To try the workflow without it, set 'Also Notify' to 'Nobody Else'.",
	);
}

export const notifyField = choice('notify', 'Also Notify', {
	default: 'none',
	description: 'Who else is notified of the run’s events',
	choices: {
		none: 'Nobody Else',
		trigger: [
			'Trigger in This Workflow',
			'A Browser Automation Trigger that you add to this workflow. Publish (activate) the workflow with it.',
		],
		urls: ['URLs', 'URLs that you enter below'],
	},
});

/** Chooses the trigger whose addresses a run gets. */
const triggerNameField = text('triggerName', 'Trigger Name', {
	description: 'Needed only if this workflow has several triggers',
	placeholder: 'e.g. Browser Automation Trigger',
	showWhen: { notify: ['trigger'] },
	read: (raw, label, context) => chooseTrigger(findTriggers(context), readOptionalText(raw, label)),
});

const completedUrlField = text('callbackUrl', 'Completion Callback URL', {
	description:
		'URL to call when the run ends. With it, this node notices the end up to half a minute later.',
	placeholder: 'e.g. https://example.com/run-completed',
	showWhen: { notify: ['urls'] },
	read: unlessNothing(readOptionalText),
});

const statusUrlField = text('statusChangeCallbackUrl', 'Status Callback URL', {
	description: 'URL to call each time the run’s status changes, its end included',
	placeholder: 'e.g. https://example.com/run-status',
	showWhen: { notify: ['urls'] },
	read: unlessNothing(readOptionalText),
});

/** Who else is called about a run. */
export const NOTIFY: FieldSet<Callbacks> = {
	fields: [notifyField, triggerNameField, completedUrlField, statusUrlField],
	read: (values) => {
		const notify = values(notifyField);
		if (notify === 'none') return {};
		if (notify === 'trigger') return values(triggerNameField);
		return { completed: values(completedUrlField), statusChanged: values(statusUrlField) };
	},
};

/** The nodes of the workflow that take callbacks of runs started elsewhere. */
function listenersIn(context: FunctionsBase): INode[] {
	const nodes = partOf(partOf(context, 'workflow'), 'nodes');
	return Object.values(isJsonObject(nodes) ? nodes : {})
		.filter(isNode)
		.filter(({ type, disabled }) => type.endsWith('.browserAutomationTrigger') && disabled !== true)
		.filter(({ parameters }) => parameters.source !== 'own');
}

function isNode(value: unknown): value is INode & JsonObject {
	return typeof partOf(value, 'type') === 'string' && partOf(value, 'parameters') !== undefined;
}
