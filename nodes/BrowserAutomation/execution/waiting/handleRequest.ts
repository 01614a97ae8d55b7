import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { isAccessRefusal } from '../../service/http/retry';
import { attempt } from '../../service/attempt';
import { partOf, textAt } from '../../service/json/json';
import { runsOf, type Runs, type StatusAnswer } from '../../service/runs/runs';
import { connect } from '../../transport/client';
import { SuspendedCredentialError, throwUnread } from '../../transport/credentials';
import { withSignal } from '../../transport/cancellation';
import { failureText } from '../failures';
import { contextIn, runExecutionDataOf } from '../host';
import { refuseCallback, requestOf } from '../webhook';
import { hasSuspension, keptLedger, type SuspendedLedger } from './batch/ledger';
import { recordActivity, recordCanceled } from './batch/records';
import { STATUS_PAGE_WEBHOOK, press, refuseStatusPage, showPage } from './statusPage';
import { claim } from './suspension/claim';
import { isSecret, callbackTokenOf } from './secret';
import {
	onlyThisProcessResumes,
	noteHandlesRequests,
	findOrRemember,
} from './suspension/suspensions';
import { RESUME_KEY } from './suspension/resumeCall';
import { MAX_SINGLES, watcherOf } from './suspension/watcher';

/** How long an answer to a callback may take: the service waits 30 s for it (docs/service.md: Events, rule 2). */
const ANSWER_WITHIN_MS = 20_000;

/** How long a button of the status page may take, with its repetitions, and then the poll for the page. */
const PAGE_WITHIN_MS = 60_000;

/**
 * Handles a request to the address of a suspended execution: a callback of the service, a call of this package's own, or that of a
 * person on its status page. What handles one such request, with the copy of the execution that n8n gave it, is a _handler_. A callback
 * proves nothing: the runs are read with the user's key, now or when the execution is awake. Never throws, because n8n ends an execution
 * whose handler does. Where no watcher hears a callback and the service cannot be reached, it answers 503, so that the callback comes
 * again (docs/service.md: Events).
 */
export async function handleRequest(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	noteHandlesRequests();
	try {
		return await handle(context, AbortSignal.timeout(ANSWER_WITHIN_MS));
	} catch (error) {
		const reason = failureText(context.getNode(), error);
		context.logger.warn(
			`A request for execution ${context.getExecutionId()} could not be handled: ${reason}`,
		);
		return refuseCallback(context, 503, 'This call could not be handled. Call again.');
	}
}

const NOT_NOW = 'Another call or n8n’s wait timer is resuming the execution. Call again.';

async function handle(
	context: IWebhookFunctions,
	answerDue: AbortSignal,
): Promise<IWebhookResponseData> {
	const ledger = keptLedger(contextIn(runExecutionDataOf(context), context.getNode()));
	const isPage = context.getWebhookName() === STATUS_PAGE_WEBHOOK;
	if (!hasSuspension(ledger)) {
		return isPage ? refuseStatusPage(context) : refuseStranger(context);
	}
	if (isPage) return await answerPerson(context, ledger, answerDue);
	const isOwnCall = isSecret(partOf(context.getQueryData(), RESUME_KEY), ledger.suspension.id);
	if (!isOwnCall) return await answerService(context, ledger, answerDue);
	return (
		(await resumeExecution(context, ledger, { webhookResponse: { resumed: true } }, answerDue)) ??
		refuseCallback(context, 503, NOT_NOW)
	);
}

function refuseStranger(context: IWebhookFunctions): IWebhookResponseData {
	return refuseCallback(context, 403, 'This callback belongs to no run of this execution.');
}

/**
 * Has n8n resume the execution, which executes the node again. n8n takes items for that, which the node never reads.
 *
 * @returns the answer with which n8n resumes it; undefined if another handler or n8n's wait timer does
 * @throws Error where n8n cannot tell
 */
async function resumeExecution(
	context: IWebhookFunctions,
	ledger: SuspendedLedger,
	answer: IWebhookResponseData,
	answerDue: AbortSignal,
): Promise<IWebhookResponseData | undefined> {
	const suspension = findOrRemember(ledger);
	if (!(await claim(context, suspension, answerDue))) return undefined;
	// n8n stores the ledger with the execution that it resumes.
	recordActivity(ledger, suspension.activity);
	return { ...answer, workflowData: [] };
}

async function answerService(
	context: IWebhookFunctions,
	ledger: SuspendedLedger,
	answerDue: AbortSignal,
): Promise<IWebhookResponseData> {
	const received: IWebhookResponseData = { webhookResponse: { received: true } };
	const taskId = runOfCallback(context, ledger);
	if (taskId === undefined) return refuseStranger(context);
	const shouldResume = await withSignal(answerDue, shouldResumeAfter(context, ledger, taskId));
	if (!shouldResume) return received;
	const resumed = await resumeExecution(context, ledger, received, answerDue);
	if (resumed !== undefined) return resumed;
	// n8n's wait timer may fail to resume it: then the service is to call again.
	const isLeftToTimer = findOrRemember(ledger).isTimerNear;
	return isLeftToTimer ? refuseCallback(context, 503, NOT_NOW) : received;
}

/**
 * Whether this handler is to resume the execution after a callback. Its watcher decides, which may do so later. Without one,
 * callbacks of all runs do, or else a poll, which costs less than resuming in vain. A key that is refused, or is an expression, is a
 * reason to resume: the node reports or reads it.
 *
 * @param taskId the run that has called back
 * @throws ServiceError or ConnectionError when the service could not be asked
 */
async function shouldResumeAfter(
	context: IWebhookFunctions,
	ledger: SuspendedLedger,
	taskId: string,
): Promise<boolean> {
	const [suspension, watcher] = [findOrRemember(ledger), watcherOf(ledger)];
	if (suspension.hasEnded) return false;
	if (watcher !== undefined) return watcher.noteCallback(suspension, taskId);
	if (suspension.noteCallback(taskId)) return true;
	const { isOursUnwatched, expectsCallbacks, waitsForOtherCallbacks } = suspension;
	if (isOursUnwatched && expectsCallbacks && waitsForOtherCallbacks) return false;
	const { awaitedTaskIds, startsSince: since } = suspension;
	const polled = await attempt(async () => {
		const runs = await runsFor(context, ledger);
		const onAnswers = (answers: ReadonlyMap<string, StatusAnswer>) =>
			void suspension.noteAnswers(answers);
		await runs.readStatuses(awaitedTaskIds, { since, maxSingles: MAX_SINGLES, onAnswers });
	});
	if (polled.ok) return suspension.isWorthResuming;
	const { error } = polled;
	suspension.noteRequestError(context.getNode(), error);
	if (isAccessRefusal(error) || error instanceof SuspendedCredentialError) return true;
	throw error;
}

/** The runs with the node's credential. @throws SuspendedCredentialError where an expression keeps it from being read */
async function runsFor(context: IWebhookFunctions, { api }: SuspendedLedger): Promise<Runs> {
	const connected = connect(context);
	return runsOf(await connected.catch(async (error) => await throwUnread(context, error)), api);
}

/** Carries out the button that was pressed, if any, and shows the status page. Resumes the execution if its poll gives a reason to. */
async function answerPerson(
	context: IWebhookFunctions,
	ledger: SuspendedLedger,
	answerDue: AbortSignal,
): Promise<IWebhookResponseData> {
	if (!isSecret(partOf(context.getQueryData(), 'key'), ledger.statusPageKey))
		return refuseStatusPage(context);
	const form = context.getBodyData();
	const isPressed = requestOf(context).method !== 'GET';
	if (isPressed && textAt(form, 'action') === 'cancelAll') {
		return await cancelAll(context, ledger, answerDue);
	}
	const getRuns = async () =>
		(await runsFor(context, ledger)).endingBy(Date.now() + PAGE_WITHIN_MS);
	const notice = isPressed ? await press(context.getNode(), ledger, form, getRuns) : undefined;
	const { answered, isWorthResuming } = await showPage(context, ledger, getRuns, answerDue, notice);
	if (!isWorthResuming) return answered;
	const resumed = await attempt(resumeExecution(context, ledger, answered, answerDue));
	return (resumed.ok && resumed.value) || answered;
}

/**
 * Resumes the execution, which then cancels all of its runs and starts no more. If another call is resuming it in this process,
 * which alone resumes it, the execution cancels them once it is awake. Else the word `running` has the page press again
 * (statusPage/script.ts).
 */
async function cancelAll(
	context: IWebhookFunctions,
	ledger: SuspendedLedger,
	answerDue: AbortSignal,
): Promise<IWebhookResponseData> {
	const canceled = { webhookResponse: { canceled: true } };
	const resumed = await attempt(resumeExecution(context, ledger, canceled, answerDue));
	if (resumed.ok && resumed.value !== undefined) {
		recordCanceled(ledger);
		return resumed.value;
	}
	const suspension = findOrRemember(ledger);
	if (
		!suspension.isClaimed ||
		suspension.hasEnded ||
		!onlyThisProcessResumes(suspension.isOursInProduction)
	) {
		return refuseCallback(context, 409, 'The execution is running already.');
	}
	suspension.noteWantsAllCanceled();
	return canceled;
}

/** The ID of the run that a callback is about; undefined unless the callback has the token of its item. */
function runOfCallback(context: IWebhookFunctions, ledger: SuspendedLedger): string | undefined {
	const query: unknown = context.getQueryData();
	const itemIndex = Number(partOf(query, 'item'));
	const isRight = isSecret(partOf(query, 'token'), callbackTokenOf(ledger.callbackKey, itemIndex));
	return isRight ? ledger.entries[itemIndex]?.taskId : undefined;
}
