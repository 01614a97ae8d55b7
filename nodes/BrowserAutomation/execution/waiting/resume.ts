import { timingSafeEqual } from 'crypto';
import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import type { ServiceClient } from '../../service/client';
import { readStatuses, runFace } from '../../service/runs';
import { connect } from '../request';
import { ledgerExpression, parseLedger, type Ledger } from './ledger';
import { identityOf } from './outcomes';
import { runAgainOnWake } from './platform';
import { isAllSettled, isSettled, isStarted, note, openRuns, unstarted } from './progress';
import { boardOf, forgetBoard, shareLook, type Board } from './reports';

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
	const item = ledger === undefined ? undefined : calledItem(context, ledger);
	if (ledger === undefined || item === undefined) {
		return respond(context, 403, 'This callback belongs to no run of this execution.');
	}
	const key = `${ledger.executionId}/${ledger.runIndex}`;
	const board = boardOf(key);
	board.reported.add(item);
	const client = await connect(context);
	const hasAllReports = (): boolean => unreported(ledger, board).length === 0;
	const worthWaking = await shareLook(
		board,
		() => hasAllReports() || unstarted(ledger).length > 0,
		async () => await look(client, ledger, board),
	);
	if (worthWaking !== true) return received(ledger, board);
	forgetBoard(key);
	if (!runAgainOnWake(context)) return respond(context, 503, 'This n8n cannot wake the node.');
	return {
		...received(ledger, board),
		workflowData: [ledger.entries.map((entry) => ({ json: identityOf(entry) }))],
	};
}

/** The item that a callback speaks of, if it carries that item's nonce. */
function calledItem(context: IWebhookFunctions, ledger: Ledger): number | undefined {
	const { item, nonce } = queryOf(context);
	const entry = ledger.entries[Number(item)];
	if (entry === undefined || typeof nonce !== 'string') return undefined;
	const given = Buffer.from(nonce);
	const expected = Buffer.from(entry.nonce);
	const matches = given.length === expected.length && timingSafeEqual(given, expected);
	return matches ? Number(item) : undefined;
}

function queryOf(context: IWebhookFunctions): { item?: unknown; nonce?: unknown } {
	const found: unknown = context.getQueryData();
	return typeof found === 'object' && found !== null ? found : {};
}

/** The open runs that have not called back here. */
function unreported(ledger: Ledger, board: Board): string[] {
	return openRuns(ledger)
		.filter((entry) => !board.reported.has(ledger.entries.indexOf(entry)))
		.map(({ taskId }) => taskId);
}

/**
 * Asks the service whether there is something to go on with. While runs have not reported, one of
 * them still going on is answer enough.
 */
async function look(client: ServiceClient, ledger: Ledger, board: Board): Promise<boolean> {
	const face = runFace(ledger.face);
	const openBefore = openRuns(ledger).map(({ taskId }) => taskId);
	const [silent] = unreported(ledger, board);
	if (silent !== undefined && unstarted(ledger).length === 0) {
		note(ledger, await readStatuses(client, face, [silent]));
		if (openRuns(ledger).some(({ taskId }) => taskId === silent)) return false;
	}
	const stillOpen = openRuns(ledger).map(({ taskId }) => taskId);
	note(ledger, await readStatuses(client, face, stillOpen));
	for (const entry of openRuns(ledger)) board.reported.delete(ledger.entries.indexOf(entry));
	return isWorthWaking(ledger, openBefore);
}

/** Whether all runs are settled, or one has just freed a slot for an item that has no run yet. */
function isWorthWaking(ledger: Ledger, openBefore: string[]): boolean {
	if (isAllSettled(ledger)) return true;
	if (unstarted(ledger).length === 0) return false;
	return ledger.entries
		.filter(isStarted)
		.some((entry) => openBefore.includes(entry.taskId) && isSettled(ledger, entry));
}

function received(ledger: Ledger, board: Board): IWebhookResponseData {
	return { webhookResponse: { received: true, pending: unreported(ledger, board).length } };
}

function respond(
	context: IWebhookFunctions,
	status: number,
	message: string,
): IWebhookResponseData {
	context.getResponseObject().status(status).json({ message });
	return { noWebhookResponse: true };
}
