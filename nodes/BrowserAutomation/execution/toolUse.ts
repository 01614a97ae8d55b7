import type { IExecuteFunctions, INodeExecutionData, NodeOperationError } from 'n8n-workflow';

import { condense, withoutNoise } from '../service/condense';
import { isJsonObject, type JsonObject } from '../service/json';
import { titledError, toNodeError } from './failures';

/** The longest answer that an agent gets, in characters of JSON: about 10,000 tokens. */
const MOST_CHARACTERS = 40_000;

const HOW_TO_GET_THE_REST =
	'Ask for less: fewer results in the input, a filter, or a smaller limit. The whole output of a run is behind the links in its output_files, where it has them.';

/** Whether an AI agent uses the node as its tool. */
export function isUsedAsTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}

/**
 * Items as a model should read them: without nulls, steps and files (which stay as links), and not
 * too long. What was left out is told at the end.
 */
export function leanItems(items: INodeExecutionData[]): INodeExecutionData[] {
	const told = items.map(({ json }) => objectOf(withoutNoise(objectOf(json))));
	const { value, cuts } = condense(told, MOST_CHARACTERS);
	const lean = value.map((json, index) => ({ json, ...pairing(items[index]) }));
	if (cuts.length === 0) return lean;
	const note = { shown: cuts, to_get_the_rest: HOW_TO_GET_THE_REST };
	return [...lean, { json: { shortened: note }, ...pairing(items.at(-1)) }];
}

function objectOf(json: unknown): JsonObject {
	return isJsonObject(json) ? json : {};
}

function pairing(item: INodeExecutionData | undefined): Pick<INodeExecutionData, 'pairedItem'> {
	return item?.pairedItem === undefined ? {} : { pairedItem: item.pairedItem };
}

/** An error whose message says what to do, too: of an error, an agent is shown nothing but that. */
export function actionableError(context: IExecuteFunctions, error: unknown): NodeOperationError {
	const told = toNodeError(context.getNode(), error, 0);
	const { message, description: advice } = told;
	const { itemIndex } = told.context;
	const isNew = typeof advice === 'string' && advice !== '' && !message.includes(advice);
	return titledError(context.getNode(), isNew ? `${message}. ${advice}` : message, {
		...(typeof itemIndex === 'number' && { itemIndex }),
	});
}
