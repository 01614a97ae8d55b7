import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { baseUrlField } from '../fields/requests';
import { mapConcurrently } from '../service/concurrency';
import { continuesAfter, failureItem, failureItems, toNodeError } from './failures';
import { onlyNewRows } from './newRows';
import { giveHints } from './hints';
import type { ExecutableOperation, RequestOperation } from './executable';
import { hostOf } from './host';
import { failureForAgent, leanItems } from './toolUse';
import { valuesOfItems, type ReadParam } from '../fields/field';
import { limitsOf, type ServiceClient } from '../service/http/client';
import type { JsonObject } from '../service/json/json';
import { cancelSignalOf } from '../transport/cancellation';
import { connect, connectWith, connectWithoutKey } from '../transport/client';
import { API_CREDENTIAL, credentialsOfItems, SIGNING_CREDENTIAL } from '../transport/credentials';
import { executeRuns } from './waiting/executeRuns';

/**
 * Carries an operation out for all input items: reads as many at a time as the credential allows, what may change something
 * one after the other, up to the first that fails. Pairs each result with its input item, and keeps their order. An agent that
 * uses the node as its tool gets shorter results, and the text of an error that it could not read.
 *
 * @throws NodeApiError or NodeOperationError of the first failing item. If the node goes on after failures, the item has it.
 */
export async function execute(
	context: IExecuteFunctions,
	operation: ExecutableOperation,
): Promise<INodeExecutionData[][]> {
	const isTool = hostOf(context).tool !== undefined;
	try {
		const results =
			'run' in operation
				? await executeRuns(context, operation.run)
				: await executeRequests(context, operation);
		const items = await onlyNewRows(context, results);
		giveHints(context);
		return [isTool ? leanItems(items, items !== results) : items];
	} catch (error) {
		if (!isTool) throw toNodeError(context.getNode(), error, 0);
		return [failureForAgent(context, operation, error)];
	}
}

async function executeRequests(context: IExecuteFunctions, operation: RequestOperation) {
	const items = context.getInputData();
	try {
		const { access = 'apiKey' } = operation;
		const type = access === 'signed' ? SIGNING_CREDENTIAL : API_CREDENTIAL;
		const shared = access === 'none' ? undefined : await connect(context, type);
		const own = shared && (await credentialsOfItems(context, type));
		const clientOf = (itemIndex: number, values: ReadParam): ServiceClient => {
			const data = own?.[itemIndex];
			if (data !== undefined) return connectWith(context, data, cancelSignalOf(context), type);
			return shared ?? connectWithoutKey(context, values(baseUrlField));
		};
		const failed = (error: unknown, itemIndex: number, about: JsonObject = {}) => {
			if (continuesAfter(context, error)) return [failureItem(context, error, itemIndex, about)];
			const further = { items: items.length, data: about };
			throw toNodeError(context.getNode(), error, itemIndex, further);
		};
		const valuesOf = valuesOfItems(context);
		const calls = items.map((_, itemIndex) => {
			try {
				const values = valuesOf(itemIndex);
				return { values, request: operation.request(values) };
			} catch (error) {
				return { refused: failed(error, itemIndex) };
			}
		});
		const onlyRead = calls.every(
			({ request }) => request === undefined || request.method === 'GET',
		);
		const concurrency = onlyRead ? limitsOf(shared).concurrency : 1;
		const results = await mapConcurrently(calls, concurrency, async (call, itemIndex) => {
			if (call.refused !== undefined) return call.refused;
			const { values, request } = call;
			try {
				const client = clientOf(itemIndex, values);
				const found = await operation.answer(request, { client, values, itemIndex, context });
				return found.map((result) => ({ ...result, pairedItem: { item: itemIndex } }));
			} catch (error) {
				return failed(error, itemIndex, request.about);
			}
		});
		return results.flat();
	} catch (error) {
		if (!continuesAfter(context, error)) throw toNodeError(context.getNode(), error, 0);
		return failureItems(context, error);
	}
}
