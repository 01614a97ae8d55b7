import type { TriggerAddresses } from './triggersOfWorkflow';
import { TtlCache } from '../service/ttlCache';

/** For how long the editor listens for a test event, in milliseconds (n8n 2.41: two minutes). */
const LISTENING_MS = 120_000;

/** How many triggers can be listened to at once. Beyond that the longest known is forgotten. */
const MOST = 1_000;

const listening = new TtlCache<TriggerAddresses>(MOST);

/** Takes note that an editor listens for a test event of a trigger, at these addresses. */
export function beginListening(workflowId: string, nodeId: string, test: TriggerAddresses): void {
	listening.set(keyOf(workflowId, nodeId), test, Date.now() + LISTENING_MS);
}

export function endListening(workflowId: string, nodeId: string): void {
	listening.delete(keyOf(workflowId, nodeId));
}

/** The test addresses of a trigger while an editor of this process listens to it. */
export function listeningAt(workflowId: string, nodeId: string): TriggerAddresses | undefined {
	return listening.get(keyOf(workflowId, nodeId));
}

function keyOf(workflowId: string, nodeId: string): string {
	return `${workflowId}/${nodeId}`;
}
