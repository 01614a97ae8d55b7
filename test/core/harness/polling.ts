import {
	UnexpectedError,
	type IDataObject,
	type INodeExecutionData,
	type INodeTypes,
	type IWorkflowBase,
} from 'n8n-workflow';
import { contextOf, createAdditionalData, PollContext, type Surroundings } from './core-bridge';
import { createWorkflow } from './execution';

export interface PollResult {
	/** The items that start the workflow, by output; `null`: nothing new. */
	items: INodeExecutionData[][] | null;
	/** The error `poll()` threw: n8n records a failed execution and polls again at the next time. */
	error: unknown;
	/** The errors that it gave n8n for failed executions of their own, beside the items. */
	failures: Error[];
}

export interface Poll {
	/**
	 * `manual`: "Fetch test event" in the editor; `activation`, `start`: the first poll when activating, or as n8n starts;
	 * by default a poll of an active workflow.
	 */
	mode?: 'trigger' | 'manual' | 'activation' | 'start';
	/**
	 * Static data as a workflow has it in memory while it is active: each poll goes on from what the last
	 * one left there, whether n8n has stored it or not.
	 */
	keep?: IDataObject;
	/** What `getPollBudgetMs()` answers, in milliseconds; n8n-core's default is 5 minutes. */
	budget?: number;
}

const ACTIVATIONS = {
	manual: 'manual',
	activation: 'activate',
	start: 'init',
	trigger: 'update',
} as const;

/**
 * Polls once, with a workflow built from what is stored, as n8n's scheduler does. Static data of the
 * node can be read while `poll()` runs and not afterwards. Except in the mode `trigger` an
 * error of the node is thrown: a user waits for the answer, or n8n activates the workflow.
 */
export async function pollOnce(
	nodeTypes: INodeTypes,
	surroundings: Surroundings,
	workflowData: IWorkflowBase,
	nodeName: string,
	{ mode = 'trigger', keep = {}, budget }: Poll,
): Promise<PollResult> {
	const workflow = createWorkflow(workflowData, nodeTypes, JSON.parse(JSON.stringify(keep)));
	const node = workflow.getNode(nodeName);
	if (node === null) throw new Error(`The workflow has no node "${nodeName}".`);
	const type = nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
	if (type.poll === undefined) throw new Error(`Node type ${node.type} does not poll.`);

	let isPolling = true;
	const failures: Error[] = [];
	const context = new PollContext(
		workflow,
		node,
		createAdditionalData(surroundings, { workflowId: workflow.id }),
		mode === 'manual' ? 'manual' : 'trigger',
		ACTIVATIONS[mode],
		undefined,
		(error) => void failures.push(error),
		undefined,
		undefined,
		() => {
			if (isPolling) return workflow.getStaticData('node', node);
			throw new UnexpectedError('Poll node read its static data outside of a poll');
		},
		budget === undefined ? undefined : () => budget,
	);
	try {
		return { items: await type.poll.call(contextOf(context)), error: undefined, failures };
	} catch (error) {
		if (mode !== 'trigger') throw error;
		return { items: null, error, failures };
	} finally {
		isPolling = false;
		Object.assign(keep, JSON.parse(JSON.stringify(workflow.staticData)));
	}
}
