import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { attempt } from '../../../service/attempt';
import { isAccessRefusal } from '../../../service/http/retry';
import { connect } from '../../../transport/client';
import { withSignal } from '../../../transport/cancellation';
import { failureText } from '../../failures';
import { refuseCallback, requestOf } from '../../webhook';
import { noteCallback, noteLook, noteRefusal } from './activity';
import { mayWake } from './claim';
import { keptLedger, type Ledger, type Sleep } from '../batch/ledger';
import { nodeContextOf } from '../platform';
import { isWorthWaking, openTaskIds, refreshRuns } from '../batch/progress';
import { isSecret, nonceOf } from './secret';
import { noteHandler, type Permission } from './sleeps';
import {
	isForStatusPage,
	mayOpenStatusPage,
	pressButton,
	refuseStatusPage,
	showStatusPage,
} from '../statusPage';
import { ASK_KEY, WAKE_KEY } from './wakeCall';
import { watcherOf } from './watcher';

/** The service gives up on an answer after 30 s (docs/service.md: Events, rule 2), so ours comes before. */
const ANSWER_WITHIN_MS = 20_000;

/** A ledger of an execution that is asleep. */
type Asleep = Ledger & { sleep: Sleep };

/**
 * Handles what comes to the address of a sleeping execution: callbacks of the service, this package's
 * own calls, and people with its status page. A callback proves nothing: it only makes the node look,
 * with the user's key. It never throws, because n8n ends an execution whose handler does; when the
 * service cannot be asked it answers 503, so that the callback comes again (docs/service.md: Events).
 */
export async function wake(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	noteHandler();
	try {
		return await handle(context, AbortSignal.timeout(ANSWER_WITHIN_MS));
	} catch (error) {
		const reason = failureText(context.getNode(), error);
		context.logger.warn(
			`A callback for execution ${context.getExecutionId()} could not be handled: ${reason}`,
		);
		return refuseCallback(context, 503, 'This call could not be handled. Call again.');
	}
}

async function handle(
	context: IWebhookFunctions,
	late: AbortSignal,
): Promise<IWebhookResponseData> {
	const ledger = keptLedger(nodeContextOf(context));
	const isPage = isForStatusPage(context);
	if (!isAsleep(ledger)) return isPage ? refuseStatusPage(context) : refuseStranger(context);
	if (isPage) return await answerPerson(context, ledger, late);
	const { [ASK_KEY]: asked, [WAKE_KEY]: woken } = queryOf(context);
	if (isSecret(asked, ledger.sleep.id)) return { webhookResponse: { asleep: true } };
	if (isSecret(woken, ledger.sleep.id)) {
		return answerOwnCall(context, await mayWake(context, ledger, late));
	}
	return await answerService(context, ledger, late);
}

function isAsleep(ledger: Ledger | undefined): ledger is Asleep {
	return ledger?.sleep !== undefined;
}

function refuseStranger(context: IWebhookFunctions): IWebhookResponseData {
	return refuseCallback(context, 403, 'This callback belongs to no run of this execution.');
}

/** Makes n8n carry the node out again; the items that it is given for that are never seen. */
const CARRY_OUT_AGAIN: Pick<IWebhookResponseData, 'workflowData'> = { workflowData: [] };

/** Tells the watcher that has called (wakeCall.ts reads it). */
function answerOwnCall(context: IWebhookFunctions, may: Permission): IWebhookResponseData {
	if (may === 'yes') return { webhookResponse: { woken: true }, ...CARRY_OUT_AGAIN };
	if (may === 'no') return refuseStranger(context);
	return refuseCallback(context, 503, 'Another call is waking the execution. Call again.');
}

async function answerService(
	context: IWebhookFunctions,
	ledger: Asleep,
	late: AbortSignal,
): Promise<IWebhookResponseData> {
	const received: IWebhookResponseData = { webhookResponse: { received: true } };
	const taskId = calledRun(context, ledger);
	if (taskId === undefined) return refuseStranger(context);
	noteCallback(ledger);
	const watcher = watcherOf(ledger.executionId, ledger.sleep.id);
	const looking = watcher?.hear(ledger.executionId, taskId) ?? isWorthWakingFrom(context, ledger);
	if (!(await withSignal(late, looking))) return received;
	const may = await mayWake(context, ledger, late);
	if (may === 'busy') return refuseCallback(context, 503, 'n8n is busy. Call again.');
	return may === 'yes' ? { ...received, ...CARRY_OUT_AGAIN } : received;
}

/**
 * Whether a process that does not watch the execution is to wake it: a look costs less than a wake-up
 * for nothing. The callback of the only run is trusted once; the woken node looks for itself. A refused
 * key is for the woken node to tell.
 *
 * @throws ServiceError or ConnectionError when the service could not be asked
 */
async function isWorthWakingFrom(context: IWebhookFunctions, ledger: Asleep): Promise<boolean> {
	const isTrusting = !ledger.settings.wakeWhenPaused && ledger.sleep.idleWakes === 0;
	if (isTrusting && ledger.entries.length === 1) return true;
	const openBefore = openTaskIds(ledger);
	const looked = await attempt(async () => {
		await refreshRuns(await connect(context), ledger, openBefore);
	});
	if (!looked.ok) {
		noteRefusal(context.getNode(), ledger, looked.error);
		if (isAccessRefusal(looked.error)) return true;
		throw looked.error;
	}
	noteLook(ledger);
	return isWorthWaking(ledger, openBefore);
}

/** Shows the status page and does what its buttons say. */
async function answerPerson(
	context: IWebhookFunctions,
	ledger: Asleep,
	late: AbortSignal,
): Promise<IWebhookResponseData> {
	if (!mayOpenStatusPage(context, ledger)) return refuseStatusPage(context);
	if (requestOf(context).method === 'GET') return await showStatusPage(context, ledger);
	const { cancelsAll, notice } = await pressButton(context, ledger);
	if (cancelsAll) return await cancelAll(context, ledger, late);
	const looked = await attempt(lookNow(context, ledger, late));
	const isWorthIt = looked.ok && looked.value;
	const may = isWorthIt ? await mayWake(context, ledger, late) : 'busy';
	const asked = looked.ok ? 'n8n has looked and sleeps on.' : 'The service could not be asked.';
	// Where this handler may not wake it, another one does, or has done so.
	const found = may === 'busy' ? asked : 'n8n goes on with the runs.';
	const shown = await showStatusPage(context, ledger, `${notice} ${found}`.trim());
	return may === 'yes' ? { ...shown, ...CARRY_OUT_AGAIN } : shown;
}

/**
 * Has the execution cancel all of its runs and start no more. Only the handler that wakes it can tell it
 * so: n8n answers when it has, and otherwise the page presses again (statusPage/script.ts).
 */
async function cancelAll(
	context: IWebhookFunctions,
	ledger: Asleep,
	late: AbortSignal,
): Promise<IWebhookResponseData> {
	if ((await mayWake(context, ledger, late)) !== 'yes') {
		return refuseCallback(context, 409, 'The execution is running already.');
	}
	ledger.isCanceled = true;
	return { webhookResponse: { canceled: true }, ...CARRY_OUT_AGAIN };
}

/** Looks at the runs for a person, and says whether there is something to go on with. */
async function lookNow(
	context: IWebhookFunctions,
	ledger: Asleep,
	late: AbortSignal,
): Promise<boolean> {
	const watcher = watcherOf(ledger.executionId, ledger.sleep.id);
	const looking = watcher?.lookAt(ledger.executionId) ?? isWorthWakingFrom(context, ledger);
	return await withSignal(late, looking);
}

/** The run that a callback is about, if the callback has that item's nonce. */
function calledRun(context: IWebhookFunctions, ledger: Ledger): string | undefined {
	const { item, nonce } = queryOf(context);
	const itemIndex = Number(item);
	const entry = ledger.entries[itemIndex];
	if (entry === undefined || !isSecret(nonce, nonceOf(ledger, itemIndex))) return undefined;
	return entry.taskId;
}

function queryOf(context: IWebhookFunctions): Record<string, unknown> {
	const found: unknown = context.getQueryData();
	return typeof found === 'object' && found !== null ? { ...found } : {};
}
