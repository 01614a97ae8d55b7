import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';

import { errorFacts, HelpfulError, ServiceError } from '../service/errors';
import { textAt, type JsonObject } from '../service/json';

/**
 * The error as n8n shows it: what happened, what to do, and the service's code, words and trace ID
 * under its details. Never holds the API key.
 */
export function toNodeError(
	node: INode,
	error: unknown,
	itemIndex: number,
): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	if (error instanceof ServiceError) {
		const { httpStatus } = error.facts;
		const nodeError = new NodeApiError(
			node,
			{},
			{
				message: asFailure(error.message),
				description: error.advice,
				...(httpStatus !== undefined && { httpCode: String(httpStatus) }),
				itemIndex,
			},
		);
		nodeError.context.data = errorFacts(error);
		return nodeError;
	}
	if (error instanceof HelpfulError) {
		return new NodeOperationError(node, asFailure(error.message), {
			description: error.advice,
			itemIndex,
		});
	}
	return new NodeOperationError(node, error instanceof Error ? error : String(error), {
		itemIndex,
	});
}

/** n8n takes an error with the word "canceled" for a stop by the user, and stores no failure. */
function asFailure(message: string): string {
	return message.replaceAll('canceled', 'cancelled');
}

/**
 * An item that stands for a failure. Its keys are the three that n8n recognises as an error's, so
 * that it goes to the error output, where n8n adds the input item's own fields.
 *
 * @param details what identifies the failed thing, e.g. `{ task_id, status }`
 */
export function failureItem(
	context: IExecuteFunctions,
	error: unknown,
	itemIndex: number,
	details: JsonObject = {},
): INodeExecutionData {
	const message = error instanceof Error ? error.message : String(error);
	const advice = error instanceof HelpfulError ? error.advice : undefined;
	const json = {
		error: message,
		...(advice !== undefined && { message: advice }),
		details: { ...details, ...errorFacts(error) },
	};
	return { json: failureJson(context, json), pairedItem: { item: itemIndex } };
}

/**
 * The JSON of an item that stands for a failure, as this node has to give it. To the error output
 * older n8n sends only items with nothing but `error` and `message`, so the trace ID goes there.
 */
export function failureJson(context: IExecuteFunctions, json: IDataObject): IDataObject {
	if (context.getNode().onError !== 'continueErrorOutput') return json;
	const { error, message, details } = json;
	const traceId = textAt(details, 'traceId');
	const trace = traceId === undefined ? [] : [`Trace ID: ${traceId}`];
	const told = [message, ...trace].filter((text) => text !== undefined && text !== '').join(' ');
	return told === '' ? { error } : { error, message: told };
}
