import type { INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { attempt } from '../../service/attempt';
import type { ServiceClient } from '../../service/client';
import { refuseCallback } from '../refuseCallback';
import { noteCallback, noteLook, noteRefusal } from './activity';
import { connectForCallback, forgetCredential } from '../../transport/credentialCache';
import { ledgerExpression, parseLedger, sleeperKey, wakeUpRecord, type Ledger } from './ledger';
import { runAgainOnWake } from './platform';
import { isWorthWaking, openTaskIds, refreshRuns, unstarted } from './progress';
import { boardOf, forgetBoard, shareLook, type Board } from './reports';
import { isSecret } from './secret';
import {
	actOnStatusPage,
	isForStatusPage,
	mayOpenStatusPage,
	refuseStatusPage,
	showStatusPage,
} from './statusPage';

/** The service gives up on an answer after 30 s (its public documentation), so ours comes before. */
const ANSWER_WITHIN_MS = 20_000;

/**
 * Handles a callback for a sleeping execution, and a person's look at its status page. The callback proves
 * nothing: the open runs are read again with the user's key, and the execution is woken only when
 * there is something to go on with. It never throws, because n8n ends an execution whose handler
 * does; when the service cannot be asked it answers 503, so that the callback comes again
 * (interface: Events).
 */
export async function resume(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	try {
		return await answerCall(context);
	} catch {
		return refuseCallback(
			context,
			503,
			'The service could not be asked about the runs. Call again.',
		);
	}
}

async function answerCall(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const ledger = parseLedger(context.evaluateExpression(ledgerExpression(context.getNode().name)));
	if (isForStatusPage(context)) {
		if (!mayOpenStatusPage(context, ledger)) return refuseStatusPage(context);
		return await answerPerson(context, ledger);
	}
	const taskId = ledger === undefined ? undefined : calledRun(context, ledger);
	if (ledger === undefined || taskId === undefined) {
		return refuseCallback(context, 403, 'This callback belongs to no run of this execution.');
	}
	noteCallback(ledger);
	const board = boardOf(sleeperKey(ledger));
	board.reported.add(taskId);
	const hasAllReports = (): boolean => unreported(ledger, board).length === 0;
	const isUrgent = (): boolean => hasAllReports() || unstarted(ledger).length > 0;
	if (!(await isWorthWakingNow(context, ledger, board, isUrgent))) return received(ledger, board);
	const woken = wake(context, ledger);
	if (woken === undefined) return refuseCallback(context, 503, 'This n8n cannot wake the node.');
	return { ...received(ledger, board), workflowData: woken };
}

/** Shows the status page, and does what its buttons say; each of them has n8n look at the runs. */
async function answerPerson(
	context: IWebhookFunctions,
	ledger: Ledger,
): Promise<IWebhookResponseData> {
	if (context.getRequestObject().method === 'GET') return await showStatusPage(context, ledger);
	const done = await actOnStatusPage(context, ledger);
	const board = boardOf(sleeperKey(ledger));
	const look = await attempt(
		async () => await isWorthWakingNow(context, ledger, board, () => true),
	);
	const woken = look.ok && look.value ? wake(context, ledger) : undefined;
	const found =
		woken === undefined ? 'n8n has looked and sleeps on.' : 'n8n goes on with the runs.';
	const notice = [done, look.ok ? found : 'The service could not be asked.'].join(' ').trim();
	const shown = await showStatusPage(context, ledger, notice);
	return woken === undefined ? shown : { ...shown, workflowData: woken };
}

async function isWorthWakingNow(
	context: IWebhookFunctions,
	ledger: Ledger,
	board: Board,
	isUrgent: () => boolean,
): Promise<boolean> {
	const found = await attempt(async () => {
		const client = await connectForCallback(context, sleeperKey(ledger), ledger.deadline);
		const looking = shareLook(board, isUrgent, async () => await look(client, ledger, board));
		return await inTime(looking);
	});
	if (!found.ok) {
		noteRefusal(ledger, found.error);
		throw found.error;
	}
	if (found.value !== undefined) noteLook(ledger);
	return found.value === true;
}

/** What n8n is given to wake the execution; undefined where it cannot. */
function wake(context: IWebhookFunctions, ledger: Ledger): INodeExecutionData[][] | undefined {
	const key = sleeperKey(ledger);
	forgetBoard(key);
	forgetCredential(key);
	if (!runAgainOnWake(context)) return undefined;
	return [ledger.entries.map((entry) => ({ json: wakeUpRecord(entry) }))];
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
	return entry !== undefined && isSecret(nonce, entry.nonce) ? entry.taskId : undefined;
}

function queryOf(context: IWebhookFunctions): { item?: unknown; nonce?: unknown } {
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
