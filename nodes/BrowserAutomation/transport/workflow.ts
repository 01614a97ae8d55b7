import type { INode, IWorkflowMetadata } from 'n8n-workflow';

/** Names a node among all nodes of this n8n. */
export function nodeKey(context: { getWorkflow(): IWorkflowMetadata; getNode(): INode }): string {
	return `${context.getWorkflow().id ?? ''}/${context.getNode().id}`;
}
