import { timingSafeEqual } from 'crypto';
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { readStatuses, runFace } from '../../service/runs';
import { connect } from '../request';
import { ledgerExpression, parseLedger, type Ledger } from './ledger';
import { identityOf } from './outcomes';
import { runAgainOnWake } from './platform';
import { isAllSettled, isSettled, isStarted, note, openRuns, unstarted } from './progress';

/**
 * Handles a callback for a sleeping execution. The callback proves nothing: the open runs are read
 * again with the user's key, and the execution is woken only when there is something to go on
 * with. It never throws, because n8n ends an execution whose handler does; when the service cannot
 * be asked it answers 503, so that the callback comes again (interface: Events).
 */
export async function resume(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		return await answerCallback(context);
	} catch {
		return respond(context, 503, 'The service could not be asked about the runs. Call again.');
	}
}

async function answerCallback(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const ledger = parseLedger(context.evaluateExpression(ledgerExpression(context.getNode().name)));
	if (ledger === undefined || !isOurs(context, ledger)) {
		return respond(context, 403, 'This callback belongs to no run of this execution.');
	}
	const face = runFace(ledger.face);
	const client = await connect(context);
	const taskIds = openRuns(ledger).map(({ taskId }) => taskId);
	note(ledger, await readStatuses(client, face, taskIds));
	if (!isWorthWaking(ledger, taskIds)) {
		return { webhookResponse: { received: true, pending: openRuns(ledger).length } };
	}
	if (!runAgainOnWake(context)) {
		return respond(context, 503, 'This n8n cannot wake the node.');
	}
	return {
		webhookResponse: { received: true, pending: openRuns(ledger).length },
		workflowData: [ledger.entries.map((entry) => ({ json: identityOf(entry) }))],
	};
}

/** Whether the callback carries the nonce of the item it speaks of. */
function isOurs(context: IWebhookFunctions, ledger: Ledger): boolean {
	const { item, nonce } = query(context);
	const entry = ledger.entries[Number(item)];
	if (entry === undefined || typeof nonce !== 'string') return false;
	const given = Buffer.from(nonce);
	const expected = Buffer.from(entry.nonce);
	return given.length === expected.length && timingSafeEqual(given, expected);
}

function query(context: IWebhookFunctions): { item?: unknown; nonce?: unknown } {
	const found: unknown = context.getQueryData();
	return typeof found === 'object' && found !== null ? found : {};
}

/** Whether all runs are settled, or one has just freed a slot for an item that has no run yet. */
function isWorthWaking(ledger: Ledger, openBefore: string[]): boolean {
	if (isAllSettled(ledger)) return true;
	if (unstarted(ledger).length === 0) return false;
	return ledger.entries
		.filter(isStarted)
		.some((entry) => openBefore.includes(entry.taskId) && isSettled(ledger, entry));
}

function respond(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}
