import type { IExecuteFunctions, IHookFunctions, INode, IWorkflowMetadata } from 'n8n-workflow';

/** Names a node among all nodes of this n8n. */
export function nodeKey(context: { getWorkflow(): IWorkflowMetadata; getNode(): INode }): string {
	return `${context.getWorkflow().id ?? ''}/${context.getNode().id}`;
}

/** Whether n8n activates a published workflow by itself, as it starts or its leader changes: nobody has published it just now. */
export function isStarting(context: Pick<IHookFunctions, 'getActivationMode'>): boolean {
	return ['init', 'leadershipChange'].includes(context.getActivationMode());
}

/** Whether n8n executes a published (active) workflow. Else it works for the editor: it executes a step, or listens for a test event. */
export function isProduction(context: Pick<IExecuteFunctions, 'getMode'>): boolean {
	return context.getMode() !== 'manual';
}
