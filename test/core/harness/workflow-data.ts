import {
	type IConnections,
	type INode,
	type INodeCredentials,
	type INodeParameters,
	type INodeType,
	type IVersionedNodeType,
	type IWorkflowBase,
	type IWorkflowSettings,
	type OnError,
} from 'n8n-workflow';
import { newestVersion, SINK_TYPE, START_TYPE } from './nodes';

/** Settings of the node under test, as on its "Settings" tab. */
export interface NodeSettings {
	onError?: OnError;
	retryOnFail?: boolean;
	/** 2 to 5; n8n's default is 3. */
	maxTries?: number;
	/** Milliseconds, at most 5000; n8n's default, 1000, also stands in for 0. */
	waitBetweenTries?: number;
	alwaysOutputData?: boolean;
	executeOnce?: boolean;
}

export interface NodeUnderTest {
	type: string;
	parameters: INodeParameters;
	settings?: NodeSettings;
	typeVersion?: number;
	/** Name in the workflow; by default the display name of the node type. */
	name?: string;
	/** Also the ID of its webhooks; by default both are constants. */
	id?: string;
}

export const START_NAME = 'Start';
export const NODE_ID = '11111111-1111-4111-8111-111111111111';
export const WEBHOOK_ID = '22222222-2222-4222-8222-222222222222';

/** The name of the sink behind an output, from 0. */
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
	node: NodeUnderTest,
	type: INodeType | IVersionedNodeType,
	credentials: INodeCredentials,
): INode {
	return {
		id: node.id ?? NODE_ID,
		webhookId: node.id ?? WEBHOOK_ID,
		name: node.name ?? type.description.displayName,
		type: node.type,
		typeVersion: node.typeVersion ?? newestVersion(type),
		position: [200, 0],
		parameters: structuredClone(node.parameters),
		...node.settings,
		...(Object.keys(credentials).length > 0 ? { credentials } : {}),
	};
}

interface WorkflowParts {
	workflowId: string;
	node: INode;
	outputs: number;
	settings: IWorkflowSettings;
	probe: string;
	/** Whether a node stands before the one under test; a trigger has none. */
	withStart: boolean;
	active: boolean;
	/** Further nodes, connected to none. */
	beside: INode[];
}

/** The workflow around the node under test: Start -> node -> one sink behind each output. */
export function buildWorkflowData(parts: WorkflowParts): IWorkflowBase {
	const { workflowId, node, outputs, settings, probe, withStart, active, beside } = parts;
	const sinks = Array.from({ length: outputs }, (_, output): INode => {
		return {
			id: `sink-${output}`,
			name: sinkName(output),
			type: SINK_TYPE,
			typeVersion: 1,
			position: [400, 100 * output],
			parameters: { probe: probe === '' ? '' : `=${probe}` },
		};
	});
	const start: INode = {
		id: 'start',
		name: START_NAME,
		type: START_TYPE,
		typeVersion: 1,
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
		id: workflowId,
		name: 'Workflow under test',
		active,
		activeVersionId: active ? 'version-1' : null,
		isArchived: false,
		createdAt: now,
		updatedAt: now,
		nodes: [...(withStart ? [start] : []), node, ...sinks, ...beside],
		connections,
		settings: { executionOrder: 'v1', ...settings },
	};
}
