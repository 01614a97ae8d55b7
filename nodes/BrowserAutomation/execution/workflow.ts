import type { IExecuteFunctions, INode, IWorkflowMetadata } from 'n8n-workflow';

/** Names a node among all nodes of this n8n. */
export function nodeKey(context: { getWorkflow(): IWorkflowMetadata; getNode(): INode }): string {
	return `${context.getWorkflow().id ?? ''}/${context.getNode().id}`;
}

/** Whether n8n executes a published (active) workflow. Else it works for the editor: it executes a step, or listens for a test event. */
export function isProduction(context: Pick<IExecuteFunctions, 'getMode'>): boolean {
	return context.getMode() !== 'manual';
}
