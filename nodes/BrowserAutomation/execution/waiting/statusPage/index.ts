import { createHash } from 'crypto';
import type { INode, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { attempt } from '../../../service/attempt';
import type { ServiceClient } from '../../../service/http/client';
import { textAt } from '../../../service/json/json';
import { runApi } from '../../../service/runs/runApi';
import { connect } from '../../../transport/client';
import { failureText } from '../../failures';
import { responseOf } from '../../webhook';
import { activityOf, noteRefusal } from '../sleep/sleepers';
import { activeRuns, type Ledger } from '../batch/ledger';
import { watcherOf } from '../sleep/watcher';
import { toClosedPage, toStatusPage } from './page';
import { SCRIPT } from './script';
import { knownRuns, readShownRuns, viewOf } from './view';

/** The path below the resume URL where a person can look at the runs. */
export const STATUS_PAGE_PATH = 'watch';

/** The webhook's name among those of the node: how its handler knows a person from the service. */
export const STATUS_PAGE_WEBHOOK = 'setup';

/** What stands in the page's address while a run is paused: the editor reads it there, before anybody opens the page. */
export const PAUSED_MARK = 'state=paused';

/** Where a person can look at the runs. The key keeps others out; the editor's waiting hint tells from here whether one is paused. */
export function statusPageUrlFor(resumeUrl: string, key: string, isPaused: boolean): string {
	const url = new URL(resumeUrl);
	url.pathname = `${url.pathname.replace(/\/$/, '')}/${STATUS_PAGE_PATH}`;
	url.searchParams.set('key', key);
	if (isPaused) url.searchParams.set('state', 'paused');
	return url.toString();
}

/** Whether a person asks for the page, or presses one of its buttons, rather than the service calling back. */
export function isForStatusPage(context: Pick<IWebhookFunctions, 'getWebhookName'>): boolean {
	return context.getWebhookName() === STATUS_PAGE_WEBHOOK;
}

/** The page that says that there is nothing to see. */
export function refuseStatusPage(context: IWebhookFunctions): IWebhookResponseData {
	return answer(context, 403, toClosedPage());
}

/**
 * Shows the runs of a sleeping execution, as the service tells of them now. Never throws.
 *
 * @param notice the outcome of what the person asked for
 * @returns an answer that leaves the execution asleep; with `workflowData` it wakes all the same
 */
export async function showStatusPage(context: IWebhookFunctions, ledger: Ledger, notice?: string) {
	const node = context.getNode();
	const reading = async () => await readShownRuns(node, await clientFor(context, ledger), ledger);
	const read = await attempt(reading);
	if (!read.ok) noteRefusal(activityOf(ledger), node, read.error);
	const runs = read.ok ? read.value : knownRuns(node, ledger);
	const { id, name: workflowName } = context.getWorkflow();
	const executionUrl = `${context.getInstanceBaseUrl()}workflow/${id}/executions/${context.getExecutionId()}`;
	const view = viewOf(ledger, runs, { node, workflowName, executionUrl }, notice);
	return answer(context, 200, toStatusPage(view));
}

/**
 * Cancels or resumes a run, where the page's form says so, e.g. `{ cancel: '7' }`. Never throws.
 *
 * @returns what came of it, for the page; empty where it was another button
 */
export async function press(
	node: INode,
	ledger: Ledger,
	form: unknown,
	connected: () => Promise<ServiceClient>,
): Promise<string> {
	const button = (['cancel', 'resume'] as const).find((name) => textAt(form, name) !== undefined);
	if (button === undefined) return '';
	const taskId = textAt(form, button) ?? '';
	const done = button === 'cancel' ? 'canceled' : 'resumed';
	if (!activeRuns(ledger).some((run) => run.taskId === taskId)) {
		return `Run ${taskId} is not one of the open runs.`;
	}
	const request = runApi(ledger.api)[`${button}Request`](taskId);
	const sent = await attempt(async () => await (await connected()).send(request));
	if (sent.ok) return `Run ${taskId} was ${done}.`;
	noteRefusal(activityOf(ledger), node, sent.error);
	return `Run ${taskId} was not ${done}. ${failureText(node, sent.error)}`;
}

/** A client of the watcher's where it is in this process: reading the credential takes n8n a tenth of a second. */
export async function clientFor(context: IWebhookFunctions, ledger: Ledger) {
	return watcherOf(ledger)?.client ?? (await connect(context));
}

const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64');

/**
 * The page's address is a key: it goes to nobody else. Nothing runs in the page but its own script,
 * nothing is loaded, and no other page can show it in a frame to have its buttons pressed.
 */
const HEADERS = {
	'Content-Type': 'text/html; charset=utf-8',
	'Content-Security-Policy': `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${SCRIPT_HASH}'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
	'Cache-Control': 'no-store',
	'Referrer-Policy': 'no-referrer',
	'X-Content-Type-Options': 'nosniff',
};

/** Answers in place of n8n, which would add a policy of its own. */
function answer(context: IWebhookFunctions, status: number, page: string): IWebhookResponseData {
	const response = responseOf(context);
	response.writeHead(status, HEADERS);
	response.end(page);
	return { noWebhookResponse: true };
}
