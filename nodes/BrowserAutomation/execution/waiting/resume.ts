import { timingSafeEqual } from 'crypto';
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import type { ServiceClient } from '../../service/client';
import { refuseCallback } from '../refuseCallback';
import { connectForCallback, forgetCredential } from '../../transport/credentialCache';
import { ledgerExpression, parseLedger, sleeperKey, wakeUpRecord, type Ledger } from './ledger';
import { runAgainOnWake } from './platform';
import { isWorthWaking, openTaskIds, refreshRuns, unstarted } from './progress';
import { boardOf, forgetBoard, shareLook, type Board } from './reports';
import { showRuns } from './watch';

/** The service gives up on an answer after 30 s (its public documentation), so ours comes before. */
const ANSWER_WITHIN_MS = 20_000;

/**
 * Handles a callback for a sleeping execution, and a person's look at its runs. The callback proves
 * nothing: the open runs are read again with the user's key, and the execution is woken only when
 * there is something to go on with. It never throws, because n8n ends an execution whose handler
 * does; when the service cannot be asked it answers 503, so that the callback comes again
 * (interface: Events).
 */
export async function resume(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		return await answerCallback(context);
	} catch {
		return refuseCallback(
			context,
			503,
			'The service could not be asked about the runs. Call again.',
		);
	}
}

async function answerCallback(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const ledger = parseLedger(context.evaluateExpression(ledgerExpression(context.getNode().name)));
	if (isWatching(context)) {
		const mayWatch = ledger !== undefined && isSame(queryOf(context).key, ledger.watchKey);
		if (mayWatch) return await showRuns(context, ledger);
		return refuseCallback(context, 403, 'This link belongs to no waiting execution.');
	}
	const taskId = ledger === undefined ? undefined : calledRun(context, ledger);
	if (ledger === undefined || taskId === undefined) {
		return refuseCallback(context, 403, 'This callback belongs to no run of this execution.');
	}
	const key = sleeperKey(ledger);
	const board = boardOf(key);
	board.reported.add(taskId);
	const client = await connectForCallback(context, key, ledger.deadline);
	const hasAllReports = (): boolean => unreported(ledger, board).length === 0;
	const worthWaking = await inTime(
		shareLook(
			board,
			() => hasAllReports() || unstarted(ledger).length > 0,
			async () => await look(client, ledger, board),
		),
	);
	if (worthWaking !== true) return received(ledger, board);
	forgetBoard(key);
	forgetCredential(key);
	if (!runAgainOnWake(context))
		return refuseCallback(context, 503, 'This n8n cannot wake the node.');
	return {
		...received(ledger, board),
		workflowData: [ledger.entries.map((entry) => ({ json: wakeUpRecord(entry) }))],
	};
}

/** Waits for some work, but no longer than the service waits for our answer. */
async function inTime<T>(work: Promise<T>): Promise<T> {
	const limit = AbortSignal.timeout(ANSWER_WITHIN_MS);
	const late = new Promise<never>((_, reject) => {
		limit.addEventListener('abort', () => reject(limit.reason));
	});
	return await Promise.race([work, late]);
}

/** The run that a callback speaks of, if it carries that item's nonce. */
function calledRun(context: IWebhookFunctions, ledger: Ledger): string | undefined {
	const { item, nonce } = queryOf(context);
	const entry = ledger.entries[Number(item)];
	return entry !== undefined && isSame(nonce, entry.nonce) ? entry.taskId : undefined;
}

/** Whether a person looks at the runs, rather than the service calling back. */
function isWatching(context: IWebhookFunctions): boolean {
	return context.getRequestObject().method === 'GET';
}

function isSame(given: unknown, expected: string): boolean {
	if (typeof given !== 'string') return false;
	const [bytes, expectedBytes] = [Buffer.from(given), Buffer.from(expected)];
	return bytes.length === expectedBytes.length && timingSafeEqual(bytes, expectedBytes);
}

function queryOf(context: IWebhookFunctions): { item?: unknown; nonce?: unknown; key?: unknown } {
	const found: unknown = context.getQueryData();
	return typeof found === 'object' && found !== null ? found : {};
}

/** The open runs that have not called back here. */
function unreported(ledger: Ledger, board: Board): string[] {
	return openTaskIds(ledger).filter((taskId) => !board.reported.has(taskId));
}

/**
 * Asks the service whether there is something to go on with. While runs have not reported, one of
 * them still going on is answer enough; the one started last is the likeliest.
 */
async function look(client: ServiceClient, ledger: Ledger, board: Board): Promise<boolean> {
	const openBefore = openTaskIds(ledger);
	const silent = unreported(ledger, board).at(-1);
	if (silent !== undefined && unstarted(ledger).length === 0) {
		await refreshRuns(client, ledger, [silent]);
		if (openTaskIds(ledger).includes(silent)) return false;
	}
	await refreshRuns(client, ledger, openTaskIds(ledger));
	for (const taskId of openTaskIds(ledger)) board.reported.delete(taskId);
	return isWorthWaking(ledger, openBefore);
}

function received(ledger: Ledger, board: Board): IWebhookResponseData {
	return { webhookResponse: { received: true, pending: unreported(ledger, board).length } };
}
