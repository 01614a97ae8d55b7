import { NodeOperationError, type IHookFunctions } from 'n8n-workflow';

import { toNodeError } from '../execution/failures';
import { createInputSchemas } from '../execution/inputSchemas';
import { isProduction } from '../execution/mode';
import { nodeKey } from '../transport/nodeKey';
import { connect } from '../transport/client';
import { callbackObstacle } from '../service/events/callback';
import { InputError } from '../service/errors';
import { signOf, type TriggerAddresses } from '../fields/triggersOfWorkflow';
import { beginListening, endListening, listeningAt } from '../fields/listeningTriggers';
import { readEventSettings } from '../fields/events';
import { keptDataOf } from './keptData';
import { isOwnRunKnown, leaveOwnRun, ownTaskId, startOwnRun } from './ownRun';
import {
	cancelsOwnRun,
	ownBotId,
	ownRunRequest,
	ownRunSubject,
	startsOwnRun,
} from '../fields/ownRun';
import { valuesOfTrigger } from '../fields/values';

/** Registrations under way: another one of the same trigger joins in, so that one run is started. */
const registering = new Map<string, Promise<void>>();

/**
 * Whether the trigger is registered: its own run is known to the service, or its addresses are there
 * for the other nodes of the workflow.
 *
 * @throws NodeApiError when the service refuses to tell
 */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
	return await asNodeError(context, async () => {
		const values = valuesOfTrigger(context);
		if (startsOwnRun(values)) {
			return await isOwnRunKnown(await connect(context), keptDataOf(context));
		}
		const shared = context.getWorkflowStaticData('global');
		return shared[signOf(context.getNode())] === addressesOf(context).completedUrl;
	});
}

/**
 * Registers the trigger for both kinds of callbacks at once: starts its own run, or leaves its
 * addresses for the other nodes of the workflow. Done again, it changes nothing.
 *
 * @throws NodeApiError or NodeOperationError saying what keeps the service from calling back
 */
export async function register(context: IHookFunctions): Promise<boolean> {
	const key = `${nodeKey(context)}/${context.getMode()}`;
	const current =
		registering.get(key) ??
		asNodeError(context, async () => await registerBoth(context)).finally(() =>
			registering.delete(key),
		);
	registering.set(key, current);
	await current;
	return true;
}

/** Takes back what `register` did. The trigger's own run goes on unless the user wants it canceled. */
export async function unregister(context: IHookFunctions): Promise<boolean> {
	return await asNodeError(context, async () => {
		const values = valuesOfTrigger(context);
		const kept = keptDataOf(context);
		if (ownTaskId(kept) !== undefined) {
			await leaveOwnRun(await connect(context), kept, cancelsOwnRun(values));
		}
		const node = context.getNode();
		const workflowId = context.getWorkflow().id ?? '';
		const { completedUrl } = addressesOf(context);
		if (listeningAt(workflowId, node.id)?.completedUrl === completedUrl) {
			endListening(workflowId, node.id);
		}
		const shared = context.getWorkflowStaticData('global');
		const sign = signOf(node);
		if (shared[sign] === completedUrl) delete shared[sign];
		return true;
	});
}

async function registerBoth(context: IHookFunctions): Promise<void> {
	const values = valuesOfTrigger(context);
	const client = await connect(context);
	const addresses = addressesOf(context);
	const obstacle = callbackObstacle(addresses.completedUrl, client.baseUrl);
	if (obstacle !== undefined) {
		throw new InputError(
			`n8n’s webhook address ${new URL(addresses.completedUrl).origin} ${obstacle}`,
			'Set N8N_WEBHOOK_URL (in n8n 1 WEBHOOK_URL) to the public address of n8n, or use the Browser Automation Polling Trigger, which needs none.',
		);
	}
	readEventSettings(values);
	if (startsOwnRun(values)) {
		const kept = keptDataOf(context);
		if (await isOwnRunKnown(client, kept)) return;
		const { completedUrl, statusUrl } = addresses;
		const { schema } = await createInputSchemas(client, undefined).at(ownRunSubject(values));
		await startOwnRun(client, kept, {
			request: ownRunRequest(values, schema),
			callbacks: { completed: completedUrl, statusChanged: statusUrl },
			botId: ownBotId(values),
		});
		return;
	}
	if (!isProduction(context)) {
		beginListening(context.getWorkflow().id ?? '', context.getNode().id, addresses);
		return;
	}
	context.getWorkflowStaticData('global')[signOf(context.getNode())] = addresses.completedUrl;
}

function addressesOf(context: IHookFunctions): TriggerAddresses {
	const completedUrl = context.getNodeWebhookUrl('default');
	const statusUrl = context.getNodeWebhookUrl('setup');
	if (completedUrl === undefined || statusUrl === undefined) {
		throw new NodeOperationError(context.getNode(), 'n8n gave this trigger no webhook address', {
			description: 'Save the workflow, then try again.',
		});
	}
	return { name: context.getNode().name, completedUrl, statusUrl };
}

async function asNodeError<T>(context: IHookFunctions, work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		throw toNodeError(context.getNode(), error, 0);
	}
}
