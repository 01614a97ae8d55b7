import {
	NodeApiError,
	NodeOperationError,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';

import { errorFacts, HelpfulError, ServiceError } from '../service/errors';
import type { JsonObject } from '../service/json';

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
				message: error.message,
				description: error.advice,
				...(httpStatus !== undefined && { httpCode: String(httpStatus) }),
				itemIndex,
			},
		);
		nodeError.context.data = errorFacts(error);
		return nodeError;
	}
	if (error instanceof HelpfulError) {
		return new NodeOperationError(node, error.message, { description: error.advice, itemIndex });
	}
	return new NodeOperationError(node, error instanceof Error ? error : String(error), {
		itemIndex,
	});
}

/**
 * An item that stands for a failure. Its keys are the three that n8n recognises as an error's, so
 * that it goes to the error output, where n8n adds the input item's own fields.
 *
 * @param details what identifies the failed thing, e.g. `{ task_id, status }`
 */
export function failureItem(
	error: unknown,
	itemIndex: number,
	details: JsonObject = {},
): INodeExecutionData {
	const message = error instanceof Error ? error.message : String(error);
	const advice = error instanceof HelpfulError ? error.advice : undefined;
	return {
		json: {
			error: message,
			...(advice !== undefined && { message: advice }),
			details: { ...details, ...errorFacts(error) },
		},
		pairedItem: { item: itemIndex },
	};
}
