import { NodeApiError, NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import { asNodeError, failureText } from '../execution/failures';
import { isProduction, isStarting, nodeKey } from '../execution/workflow';
import { cancelOnDeactivationOption, EVENTS, ownRunOf, sourceField } from '../fields/triggers';
import { beginListening, endListening, signOf, type TriggerAddresses } from '../fields/notify';
import { valuesOfTrigger } from '../fields/field';
import { attempt } from '../service/attempt';
import { InputError } from '../service/errors';
import { callbackObstacle } from '../service/events/callback';
import { withDeadline, type ServiceClient } from '../service/http/client';
import { KEY_TEST } from '../service/http/credential';
import { isKeyRefusal } from '../service/http/retry';
import { readInputSchema } from '../service/runs/schemas';
import { connect } from '../transport/client';
import { isOwnRunKnown, leaveOwnRun, ownTaskId, startOwnRun, type UncanceledRun } from './ownRun';
import { beginTest, keepReported, keptDataOf, stateOf } from './triggerState';

/** Registrations in progress. A second one of the same trigger waits for the first, so that one run is started. */
const registering = new Map<string, Promise<true>>();

/**
 * Registers the trigger for both kinds of callbacks: starts its own run, unless it has one, or records its addresses for the
 * other nodes of the workflow (test addresses while an editor listens).
 *
 * @throws NodeApiError or NodeOperationError
 */
export async function register(context: IHookFunctions): Promise<boolean> {
	const key = registrationKey(context);
	const current =
		registering.get(key) ?? registerForPeople(context).finally(() => registering.delete(key));
	registering.set(key, current);
	return await current;
}

/** Names a trigger, apart from itself while an editor listens. */
function registrationKey(context: IHookFunctions): string {
	return `${nodeKey(context)}/${context.getMode()}`;
}

/** The same, with errors whose message n8n 1 shows: of a NodeApiError it would show the description alone (1.123: `activateWorkflow` in workflow.service.js). */
async function registerForPeople(context: IHookFunctions): Promise<true> {
	const registered = await attempt(asNodeError(context, async () => await registerBoth(context)));
	if (registered.ok) return true;
	const { error } = registered;
	if (!(error instanceof NodeApiError) || !isProduction(context)) throw error;
	const { message, description } = error;
	const shown = new NodeOperationError(context.getNode(), message, {
		description: description ?? '',
	});
	throw Object.assign(shown, { context: error.context });
}

/** Undoes what `register` did. The trigger's own run goes on unless the user wants it canceled. */
export async function unregister(context: IHookFunctions): Promise<boolean> {
	return await asNodeError(context, async () => {
		const cancels = valuesOfTrigger(context)(cancelOnDeactivationOption);
		const connected = async () => await connect(context);
		const failure = await leaveOwnRun(connected, keptDataOf(context), cancels);
		if (failure !== undefined) warnOfRun(context, failure);
		const addresses = ownAddresses(context);
		endListening(context, addresses);
		const shared = context.getWorkflowStaticData('global');
		const sign = signOf(context.getNode());
		if (shared[sign] === addresses.completed) delete shared[sign];
		return true;
	});
}

/** Says in n8n's log that the trigger's own run goes on although it was to be canceled. */
function warnOfRun(context: IHookFunctions, { taskId, error }: UncanceledRun): void {
	const node = context.getNode();
	const reason = failureText(node, error);
	context.logger.warn(
		`Run ${taskId}, which the trigger "${failureText(node, node.name)}" started, could not be canceled and goes on: ${reason}`,
	);
}

async function registerBoth(context: IHookFunctions): Promise<true> {
	const values = valuesOfTrigger(context);
	const client = await connect(context);
	const callbacks = ownAddresses(context);
	const { completed } = callbacks;
	const obstacle = callbackObstacle(completed, client.baseUrl);
	if (obstacle !== undefined) {
		throw new InputError(
			`n8n’s webhook address ${new URL(completed).origin} ${obstacle}`,
			'Set N8N_WEBHOOK_URL (in n8n 1 WEBHOOK_URL) to the public address of n8n, or use the Browser Automation Polling Trigger, which needs none.',
		);
	}
	EVENTS.read(values);
	if (!isProduction(context)) beginTest(context);
	if (values(sourceField) === 'own') {
		const kept = keptDataOf(context);
		if (isStarting(context) && ownTaskId(kept) !== undefined) return true;
		if (await isOwnRunKnown(client, kept)) return true;
		const { owner, botId, request } = ownRunOf(values);
		const schema = await readInputSchema(client, owner.of(values));
		const start = { request: request(values, schema), botId, callbacks };
		await startOwnRun(client, kept, start, registrationKey(context), isStarting(context));
		// Callbacks may have reported its first events meanwhile.
		keepReported(context, stateOf(context).memory);
		return true;
	}
	await checkKey(context, client);
	if (isProduction(context)) {
		const shared = context.getWorkflowStaticData('global');
		const sign = signOf(context.getNode());
		// Setting even the same value has n8n store all static data as it was read.
		if (shared[sign] !== completed) shared[sign] = completed;
	} else beginListening(context, callbacks);
	return true;
}

/** How long the service may take to say whether it accepts the key, in milliseconds. */
const KEY_TESTED_WITHIN_MS = 10_000;

/** @throws ServiceError where the service refuses the key. It counts as accepted where nobody waits to hear of it, and if the service fails */
async function checkKey(context: IHookFunctions, client: ServiceClient): Promise<void> {
	if (isStarting(context)) return;
	const limited = withDeadline(client, Date.now() + KEY_TESTED_WITHIN_MS);
	const tested = await attempt(limited.send(KEY_TEST));
	if (!tested.ok && isKeyRefusal(tested.error)) throw tested.error;
}

/** The trigger's addresses: those of the test webhooks while the editor listens. */
function ownAddresses(context: IHookFunctions): TriggerAddresses {
	const completed = context.getNodeWebhookUrl('default');
	const statusChanged = context.getNodeWebhookUrl('setup');
	if (completed !== undefined && statusChanged !== undefined) return { completed, statusChanged };
	throw new NodeOperationError(context.getNode(), 'n8n gave this trigger no webhook address', {
		description: 'Save the workflow, then try again.',
	});
}
