import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { isAccessRefusal } from '../../../service/http/retry';
import { attempt } from '../../../service/attempt';
import { connect } from '../../../transport/client';
import { withSignal } from '../../../transport/cancellation';
import { failureText } from '../../failures';
import { refuseCallback, requestOf } from '../../webhook';
import { keptLedger } from '../batch/ledger';
import { isWorthWaking, openTaskIds, refreshRuns } from '../batch/progress';
import { nodeContextOf } from '../platform';
import {
	isForStatusPage,
	mayOpenStatusPage,
	pressButton,
	refuseStatusPage,
	showStatusPage,
} from '../statusPage';
import { mayWake } from './claim';
import { noteHandler } from './hold';
import { isSecret, nonceOf } from './secret';
import { activityOf, isAsleep, noteRefusal, type AsleepLedger, type Claim } from './sleepers';
import { ASK_KEY, WAKE_KEY } from './wakeCall';
import { watcherOf } from './watcher';

/** The service gives up on an answer after 30 s (docs/service.md: Events, rule 2), so ours comes before. */
const ANSWER_WITHIN_MS = 20_000;

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
	if (ledger === undefined || !isAsleep(ledger)) {
		return isPage ? refuseStatusPage(context) : refuseStranger(context);
	}
	if (isPage) return await answerPerson(context, ledger, late);
	const { [ASK_KEY]: asked, [WAKE_KEY]: woken } = queryOf(context);
	if (isSecret(asked, ledger.sleep.id)) return { webhookResponse: { asleep: true } };
	if (isSecret(woken, ledger.sleep.id)) return await answerWatcher(context, ledger, late);
	return await answerService(context, ledger, late);
}

function refuseStranger(context: IWebhookFunctions): IWebhookResponseData {
	return refuseCallback(context, 403, 'This callback belongs to no run of this execution.');
}

/** Makes n8n carry the node out again; the items that it is given for that are never seen. */
function carryOutAgain(ledger: AsleepLedger, answer: IWebhookResponseData): IWebhookResponseData {
	// n8n stores the ledger with the execution that it wakes.
	ledger.activity = activityOf(ledger);
	return { ...answer, workflowData: [] };
}

/** Answers this package's own call to wake the execution, as the watcher reads it (wakeCall.ts). */
async function answerWatcher(
	context: IWebhookFunctions,
	ledger: AsleepLedger,
	late: AbortSignal,
): Promise<IWebhookResponseData> {
	const claim = await mayWake(context, ledger, late);
	if (claim === 'mine') return carryOutAgain(ledger, { webhookResponse: { woken: true } });
	if (claim === 'over') return refuseStranger(context);
	return refuseCallback(context, 503, 'Another call is waking the execution. Call again.');
}

async function answerService(
	context: IWebhookFunctions,
	ledger: AsleepLedger,
	late: AbortSignal,
): Promise<IWebhookResponseData> {
	const received: IWebhookResponseData = { webhookResponse: { received: true } };
	const taskId = calledRun(context, ledger);
	if (taskId === undefined) return refuseStranger(context);
	activityOf(ledger).calledBackAt = Date.now();
	const watched = watcherOf(ledger)?.hear(ledger.sleep.id, taskId);
	if (!(await withSignal(late, watched ?? isWorthWakingFrom(context, ledger)))) return received;
	const claim = await mayWake(context, ledger, late);
	if (claim === 'busy') return refuseCallback(context, 503, 'n8n is busy. Call again.');
	return claim === 'mine' ? carryOutAgain(ledger, received) : received;
}

/**
 * Whether a process that does not watch the execution is to wake it: a look costs less than a wake-up
 * for nothing. The callback of the only run is trusted once; the woken node looks for itself. A refused
 * key is for the woken node to tell.
 *
 * @throws ServiceError or ConnectionError when the service could not be asked
 */
async function isWorthWakingFrom(
	context: IWebhookFunctions,
	ledger: AsleepLedger,
): Promise<boolean> {
	const isTrusting = !ledger.settings.wakeWhenPaused && ledger.sleep.idleWakes === 0;
	if (isTrusting && ledger.entries.length === 1) return true;
	const openBefore = openTaskIds(ledger);
	const looked = await attempt(async () => {
		await refreshRuns(await connect(context), ledger, openBefore);
	});
	const activity = activityOf(ledger);
	if (looked.ok) {
		activity.lookedAt = Date.now();
		return isWorthWaking(ledger, openBefore);
	}
	noteRefusal(activity, context.getNode(), looked.error);
	if (isAccessRefusal(looked.error)) return true;
	throw looked.error;
}

/** Shows the status page and does what its buttons say. */
async function answerPerson(
	context: IWebhookFunctions,
	ledger: AsleepLedger,
	late: AbortSignal,
): Promise<IWebhookResponseData> {
	if (!mayOpenStatusPage(context, ledger)) return refuseStatusPage(context);
	if (requestOf(context).method === 'GET') return await showStatusPage(context, ledger);
	const { cancelsAll, notice } = await pressButton(context, ledger);
	if (cancelsAll) return await cancelAll(context, ledger, late);
	const watched = watcherOf(ledger)?.lookAt(ledger.sleep.id);
	const looked = await attempt(withSignal(late, watched ?? isWorthWakingFrom(context, ledger)));
	const claim = looked.ok && looked.value ? await mayWake(context, ledger, late) : undefined;
	if (claim === 'busy' && notice === '') return atWork(context);
	const shown = await showStatusPage(
		context,
		ledger,
		`${notice} ${found(looked.ok, claim)}`.trim(),
	);
	return claim === 'mine' ? carryOutAgain(ledger, shown) : shown;
}

/** What came of a look. Where this handler may not wake the execution, another one does, or has done so. */
function found(isAnswered: boolean, claim: Claim | undefined): string {
	if (!isAnswered) return 'The service could not be asked.';
	if (claim === undefined) return 'n8n has checked, and goes on sleeping.';
	return claim === 'busy' ? 'n8n is busy: press Look now.' : 'n8n goes on with the runs.';
}

/** Has the page press again in a moment (statusPage/script.ts). */
function atWork(context: IWebhookFunctions): IWebhookResponseData {
	return refuseCallback(context, 409, 'The execution is running already.');
}

/**
 * Has the execution cancel all of its runs and start no more. Only the handler that wakes it can tell it
 * so: n8n answers when it has, and otherwise the page presses again (statusPage/script.ts).
 */
async function cancelAll(
	context: IWebhookFunctions,
	ledger: AsleepLedger,
	late: AbortSignal,
): Promise<IWebhookResponseData> {
	if ((await mayWake(context, ledger, late)) !== 'mine') return atWork(context);
	ledger.isCanceled = true;
	return carryOutAgain(ledger, { webhookResponse: { canceled: true } });
}

/** The run that a callback is about, if the callback has that item's nonce. */
function calledRun(context: IWebhookFunctions, ledger: AsleepLedger): string | undefined {
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
