import type { INodeExecutionData, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { attempt } from '../../service/attempt';
import type { ServiceClient } from '../../service/client';
import { isAccessRefusal } from '../../service/retry';
import { withSignal } from '../../transport/cancellation';
import { connectForCallback, forgetCredential } from '../../transport/credentialCache';
import { failureText } from '../failures';
import { refuseCallback, requestOf } from '../webhook';
import { noteCallback, noteLook, noteRefusal } from './activity';
import { isQuestion, mayWake, sleepIdOf } from './claim';
import { coalesce, forgetReports, reportsOf, type Reports } from './coalesce';
import { isPresent, keptLedger, sleeperKey, type Ledger } from './ledger';
import { runAgainOnWake, upgradeLedger } from './legacy';
import { WAVE_KEY } from './lookAgain';
import { nodeContextOf } from './platform';
import { isWorthWaking, openTaskIds, refreshRuns, unstarted } from './progress';
import { isSecret, nonceOf } from './secret';
import { noteHandler } from './sleeps';
import {
	actOnStatusPage,
	isForStatusPage,
	mayOpenStatusPage,
	refuseStatusPage,
	showStatusPage,
} from './statusPage';

/** The service gives up on an answer after 30 s (docs/service.md: Events, rule 2), so ours comes before. */
const ANSWER_WITHIN_MS = 20_000;

/**
 * Handles what comes to the address of a sleeping execution: callbacks of the service, and people with
 * its status page. A callback proves nothing: it only makes the node look, with the user's key. It
 * never throws, because n8n ends an execution whose handler does; when the service cannot be asked it
 * answers 503, so that the callback comes again (docs/service.md: Events).
 */
export async function wake(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	noteHandler();
	const handled = await attempt(async () => await handle(context));
	if (handled.ok) return handled.value;
	const reason = failureText(context.getNode(), handled.error);
	context.logger.warn(
		`A callback for execution ${context.getExecutionId()} could not be handled: ${reason}`,
	);
	return refuseCallback(context, 503, 'The service could not be asked about the runs. Call again.');
}

async function handle(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const kept = keptLedger(nodeContextOf(context));
	const isOld = kept !== undefined && !isPresent(kept);
	const ledger = isOld ? upgradeLedger(kept, context.getNode().id) : kept;
	if (isForStatusPage(context)) return await answerPerson(context, ledger);
	if (ledger === undefined) return refuseStranger(context);
	const { [WAVE_KEY]: wave } = queryOf(context);
	const isForWave = ledger.sleep !== undefined && isSecret(wave, ledger.sleep.id);
	const taskId = calledRun(context, ledger);
	if (!isForWave && taskId === undefined) return refuseStranger(context);
	const late = AbortSignal.timeout(ANSWER_WITHIN_MS);
	const reports = reportsOf(sleepIdOf(ledger));
	const isWorthIt =
		isForWave || (await isCallbackWorthWaking(context, ledger, reports, taskId ?? '', late));
	if (!isWorthIt) return received(ledger, reports);
	const isFree = await mayWake(context, ledger, late);
	if (isFree === undefined) return refuseCallback(context, 503, 'n8n is busy. Call again.');
	if (!isFree) return received(ledger, reports);
	return { ...received(ledger, reports), workflowData: carryOutAgain(context, ledger) };
}

function refuseStranger(context: IWebhookFunctions): IWebhookResponseData {
	return refuseCallback(context, 403, 'This callback belongs to no run of this execution.');
}

/**
 * Shows the status page and does what its buttons say, each of which has n8n look at the runs; or
 * answers another handler that asks for the present sleep.
 */
async function answerPerson(
	context: IWebhookFunctions,
	ledger: Ledger | undefined,
): Promise<IWebhookResponseData> {
	if (!mayOpenStatusPage(context, ledger)) return refuseStatusPage(context);
	if (isQuestion(queryOf(context))) return { webhookResponse: { sleep: sleepIdOf(ledger) } };
	if (requestOf(context).method === 'GET') return await showStatusPage(context, ledger);
	const late = AbortSignal.timeout(ANSWER_WITHIN_MS);
	const done = await actOnStatusPage(context, ledger);
	const reports = reportsOf(sleepIdOf(ledger));
	const look = await attempt(
		async () => await isWorthWakingNow(context, ledger, reports, () => true, late),
	);
	const isWorthIt = look.ok && look.value;
	const found = isWorthIt ? 'n8n goes on with the runs.' : 'n8n has looked and sleeps on.';
	const notice = [done, look.ok ? found : 'The service could not be asked.'].join(' ').trim();
	const shown = await showStatusPage(context, ledger, notice);
	// Where it may not, another handler or n8n's clock is about to.
	if (!isWorthIt || !(await mayWake(context, ledger, late))) return shown;
	return { ...shown, workflowData: carryOutAgain(context, ledger) };
}

/** Makes n8n carry the node out again; the items that it is given for that are never seen. */
function carryOutAgain(context: IWebhookFunctions, ledger: Ledger): INodeExecutionData[][] {
	forgetReports(sleepIdOf(ledger));
	forgetCredential(sleeperKey(ledger));
	if (ledger.sleep !== undefined) return [];
	runAgainOnWake(context);
	return [ledger.entries.map(() => ({ json: {} }))];
}

/**
 * Whether the callback of a run is to wake the execution. The first time that all runs have reported,
 * the rest is for the woken node to find out.
 *
 * @throws ServiceError or ConnectionError when the service had to be asked and could not be
 */
async function isCallbackWorthWaking(
	context: IWebhookFunctions,
	ledger: Ledger,
	reports: Reports,
	taskId: string,
	late: AbortSignal,
): Promise<boolean> {
	noteCallback(ledger);
	reports.reported.add(taskId);
	const hasAllReports = (): boolean => unreported(ledger, reports).length === 0;
	const isTrusted = !ledger.settings.wakeWhenPaused && ledger.sleep?.idleWakes === 0;
	if (isTrusted && hasAllReports()) return true;
	const isUrgent = (): boolean => hasAllReports() || unstarted(ledger).length > 0;
	return await isWorthWakingNow(context, ledger, reports, isUrgent, late);
}

/**
 * Looks whether there is something to go on with: a look costs less than a wake-up for nothing.
 *
 * @throws ServiceError or ConnectionError when the service could not be asked
 */
async function isWorthWakingNow(
	context: IWebhookFunctions,
	ledger: Ledger,
	reports: Reports,
	isUrgent: () => boolean,
	late: AbortSignal,
): Promise<boolean> {
	const found = await attempt(async () => {
		const client = await connectForCallback(context, sleeperKey(ledger), ledger.deadline);
		const looking = coalesce(reports, isUrgent, async () => await look(client, ledger, reports));
		return await withSignal(late, looking);
	});
	if (!found.ok) {
		noteRefusal(context.getNode(), ledger, found.error);
		throw found.error;
	}
	if (found.value !== undefined) noteLook(ledger);
	return found.value === true;
}

/**
 * Asks the service whether there is something to go on with. While runs have not reported, one of
 * them still going on is answer enough; the one started last is the likeliest. A refused key is for
 * the woken node to tell.
 *
 * @throws ServiceError or ConnectionError when the service could not be asked for the moment
 */
async function look(client: ServiceClient, ledger: Ledger, reports: Reports): Promise<boolean> {
	const openBefore = openTaskIds(ledger);
	const looked = await attempt(async () => {
		const silent = unreported(ledger, reports).at(-1);
		if (silent !== undefined && unstarted(ledger).length === 0) {
			await refreshRuns(client, ledger, [silent]);
			if (openTaskIds(ledger).includes(silent)) return false;
		}
		await refreshRuns(client, ledger, openTaskIds(ledger));
		for (const taskId of openTaskIds(ledger)) reports.reported.delete(taskId);
		return isWorthWaking(ledger, openBefore);
	});
	if (looked.ok) return looked.value;
	if (!isAccessRefusal(looked.error)) throw looked.error;
	return true;
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

/** The open runs that have not called back here. */
function unreported(ledger: Ledger, reports: Reports): string[] {
	return openTaskIds(ledger).filter((taskId) => !reports.reported.has(taskId));
}

function received(ledger: Ledger, reports: Reports): IWebhookResponseData {
	return { webhookResponse: { received: true, pending: unreported(ledger, reports).length } };
}
