import type { IExecuteFunctions } from 'n8n-workflow';

/**
 * Whether n8n works for a published (active) workflow, rather than for the editor, which executes a
 * step or listens for a test event.
 */
export function isProduction(context: Pick<IExecuteFunctions, 'getMode'>): boolean {
	return context.getMode() !== 'manual';
}
