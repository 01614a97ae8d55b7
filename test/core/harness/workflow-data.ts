import {
	type IConnections,
	type INode,
	type INodeCredentials,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type IWorkflowBase,
	type WorkflowExecuteMode,
	type OnError,
} from 'n8n-workflow';
import type { CredentialData } from './credentials';
import { SINK_TYPE, START_TYPE } from './nodes';

export interface NodeOptions {
	nodeType: string;
	parameters?: INodeParameters;
	/** Replaces the harness's credentials; `{}` = the node has none. */
	credentials?: CredentialData;
	/** Name of the node in the workflow; by default its display name. */
	name?: string;
	/** ID of the node and of its webhooks; by default the same for all nodes. */
	id?: string;
	/** Workflows with the same ID share static data; default `workflow-1`. */
	workflowId?: string;
}

export interface RunOptions extends NodeOptions {
	/** Input items; by default one empty item. */
	items?: INodeExecutionData[];
	onError?: OnError;
	/** More settings of the node, as on its "Settings" tab. */
	settings?: Partial<INode>;
	/** `trigger` and `webhook` are production, `manual` is the editor; default `trigger`. */
	mode?: WorkflowExecuteMode;
	executionTimeout?: number;
	/** As in the settings of a workflow, e.g. "America/New_York". */
	timezone?: string;
	/** Whether n8n makes a workflow of the node alone, as its AI Assistant has it do; default false. */
	alone?: boolean;
	signal?: AbortSignal;
	/** Further nodes of the workflow, connected to none, e.g. the node of a `WebhookTrigger`. */
	beside?: INode[];
	/** Whether the workflow counts as active; default true. n8n says false in manual executions. */
	active?: boolean;
	/** How the Webhook responds that stands before the node; by default no Webhook does. */
	responseMode?: 'onReceived' | 'lastNode' | 'responseNode';
	/** Expression resolved for every item behind the node, e.g. `{{ $('Start').item.json.id }}`. */
	probe?: string;
}

export type WorkflowOptions = Omit<RunOptions, 'items' | 'mode'>;

export const START_NAME = 'Start';
const NODE_ID = '11111111-1111-4111-8111-111111111111';
const WEBHOOK_ID = '22222222-2222-4222-8222-222222222222';

export function sinkName(output: number): string {
	return `Output ${output}`;
}

/** How many outputs the node has in a workflow; an error output, if switched on, is the last. */
export function countOutputs(type: INodeType, onError: OnError | undefined): number {
	const { outputs } = type.description;
	const declared = Array.isArray(outputs) ? outputs.length : 2;
	return declared + (onError === 'continueErrorOutput' ? 1 : 0);
}

export function buildNode(
	options: NodeOptions & Pick<RunOptions, 'onError' | 'settings'>,
	type: INodeType,
	credentials: INodeCredentials,
): INode {
	const { id, name, nodeType, parameters = {}, settings, onError } = options;
	return {
		id: id ?? NODE_ID,
		webhookId: id ?? WEBHOOK_ID,
		name: name ?? type.description.displayName,
		type: nodeType,
		typeVersion: Math.max(...[type.description.version].flat()),
		position: [200, 0],
		parameters: structuredClone(parameters),
		...settings,
		...(onError !== undefined && { onError }),
		...(Object.keys(credentials).length > 0 && { credentials }),
	};
}

/** The workflow around the node under test: Start, unless it is a trigger -> node -> one sink behind each output. */
export function buildWorkflowData(
	options: WorkflowOptions,
	node: INode,
	outputs: number,
	withStart: boolean,
): IWorkflowBase {
	const { probe, executionTimeout, timezone, active = true, beside = [] } = options;
	const sinks = Array.from({ length: outputs }, (_, output): INode => ({
		...{ id: `sink-${output}`, name: sinkName(output), type: SINK_TYPE, typeVersion: 1 },
		position: [400, 100 * output],
		parameters: { probe: probe === undefined ? '' : `=${probe}` },
	}));
	const start: INode = {
		...{ id: 'start', name: START_NAME, type: START_TYPE, typeVersion: 1 },
		position: [0, 0],
		parameters: {},
	};
	const connections: IConnections = {
		[node.name]: { main: sinks.map(({ name }) => [{ node: name, type: 'main', index: 0 }]) },
	};
	if (withStart)
		connections[START_NAME] = { main: [[{ node: node.name, type: 'main', index: 0 }]] };
	const now = new Date();
	return {
		id: options.workflowId ?? 'workflow-1',
		name: 'Workflow under test',
		active,
		activeVersionId: active ? 'version-1' : null,
		isArchived: false,
		createdAt: now,
		updatedAt: now,
		nodes: [...(withStart ? [start] : []), node, ...sinks, ...beside],
		connections,
		settings: {
			executionOrder: 'v1',
			...(executionTimeout !== undefined && { executionTimeout }),
			...(timezone !== undefined && { timezone }),
		},
	};
}
