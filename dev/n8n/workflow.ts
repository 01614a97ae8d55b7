import { readFileSync } from 'node:fs';
import { NODE_VERSION } from '../../nodes/BrowserAutomation/execution/webhook';
import { isRecord } from './json';

/** A node of a workflow, with whatever else n8n's export says about it. */
export interface WorkflowNode {
	name: string;
	/** For example `n8n-nodes-base.manualTrigger`. */
	type: string;
	[further: string]: unknown;
}

/** A workflow in n8n's export format. */
export interface WorkflowDefinition {
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
	[further: string]: unknown;
}

/** What a node needs beyond name and type to be placed in a workflow. */
export interface NodeSketch {
	name: string;
	type: string;
	typeVersion?: number;
	parameters?: Record<string, unknown>;
	[further: string]: unknown;
}

const OWN_TYPE = /^n8n-nodes-browser-automation\.browserAutomation(PollingTrigger)?/;

/** The version that a new node gets in the editor, for the nodes of this package; of others the first one, unless stated. */
function versionOf({ type, typeVersion = 1 }: NodeSketch): number {
	const own = OWN_TYPE.exec(type);
	if (own === null) return typeVersion;
	return own[1] === undefined ? NODE_VERSION : 1;
}

/** A workflow whose nodes follow each other in one line. Nodes of this package have the version that users get, whatever is stated. */
export function workflowOf(name: string, sketches: NodeSketch[]): WorkflowDefinition {
	const nodes = sketches.map((sketch, index) => ({
		position: [index * 220, 0],
		parameters: {},
		...sketch,
		typeVersion: versionOf(sketch),
	}));
	const connections = sketches
		.slice(1)
		.map((next, index) => [
			sketches[index]?.name ?? '',
			{ main: [[{ node: next.name, type: 'main', index: 0 }]] },
		]);
	return { name, nodes, connections: Object.fromEntries(connections) };
}

/** Reads an exported workflow. Throws when the file holds something else. */
export function readWorkflowFile(file: string): WorkflowDefinition {
	const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
	if (!isWorkflowDefinition(content)) throw new Error(`${file} is not an exported workflow`);
	return content;
}

export function isWorkflowDefinition(value: unknown): value is WorkflowDefinition {
	return (
		isRecord(value) &&
		typeof value.name === 'string' &&
		isRecord(value.connections) &&
		Array.isArray(value.nodes) &&
		value.nodes.every(
			(node) => isRecord(node) && typeof node.name === 'string' && typeof node.type === 'string',
		)
	);
}

/** Points the nodes to the given credentials, wherever they name one of the same type and name. */
export function withCredentials(
	definition: WorkflowDefinition,
	credentials: Array<{ credentialId: string; name: string; type: string }>,
): WorkflowDefinition {
	const nodes = definition.nodes.map((node) => {
		if (!isRecord(node.credentials)) return node;
		const linked = Object.entries(node.credentials).map(([type, reference]) => {
			const found = credentials.find(
				(credential) =>
					credential.type === type && isRecord(reference) && credential.name === reference.name,
			);
			return [type, found === undefined ? reference : { id: found.credentialId, name: found.name }];
		});
		return { ...node, credentials: Object.fromEntries(linked) };
	});
	return { ...definition, nodes };
}
