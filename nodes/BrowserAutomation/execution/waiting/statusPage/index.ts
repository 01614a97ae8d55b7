import { createHash } from 'crypto';
import type { INode, IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { attempt } from '../../../service/attempt';
import { isAccessRefusal } from '../../../service/http/retry';
import { textAt } from '../../../service/json/json';
import type { Runs } from '../../../service/runs/runs';
import { failureText } from '../../failures';
import { html, type Markup } from '../../markup';
import { responseOf } from '../../webhook';
import { findOrRemember } from '../suspension/suspensions';
import { openRuns, type Ledger, progressOf, type SuspendedLedger } from '../batch/ledger';
import { signsResumeUrls, resumeUrlAt } from '../platform';
import { toClosedPage, toStatusPage } from './page';
import { SCRIPT } from './script';
import { pollForPage, shownRuns, contentOf } from './view';

/** The path below the resume URL where a person can look at the runs. */
export const STATUS_PAGE_PATH = 'watch';

/** The webhook's name among those of the node, by which its handler knows a person from the service. n8n allows no others than `default` and `setup`. */
export const STATUS_PAGE_WEBHOOK = 'setup';

/** What stands in the page's address for the editor's waiting text, which knows nothing else: that a run is paused, and how far several items are. */
const PAUSED = ['state', 'paused'] as const;
export const PAUSED_MARK = PAUSED.join('=');
export const PROGRESS_KEY = 'progress';

/** Where a person can see the runs. The key keeps others out. */
export function statusPageUrlFor(resumeUrl: string, ledger: Ledger): string {
	const url = resumeUrlAt(STATUS_PAGE_PATH, resumeUrl);
	url.searchParams.set('key', ledger.statusPageKey);
	if (ledger.entries.some(({ status }) => status === 'paused')) url.searchParams.set(...PAUSED);
	// The progress ends a sentence in the editor.
	if (ledger.entries.length > 1) url.searchParams.set(PROGRESS_KEY, `${progressOf(ledger)}.`);
	return url.toString();
}

/** A hint that leads to the page. n8n before 2.14 does not tell its editor the address (n8n 1.123, `waitingNodeTooltip`). */
export function statusPageHint(url: string): Markup | undefined {
	if (signsResumeUrls(url)) return undefined;
	return html`<a href="${url}" target="_blank">Open the status page</a> to watch, resume or cancel.`;
}

/** The page that says that there is nothing to see. */
export function refuseStatusPage(context: IWebhookFunctions): IWebhookResponseData {
	return sendPage(context, 403, toClosedPage());
}

/**
 * Polls the runs of a suspended execution and shows them. Never throws.
 *
 * @param notice what came of the button that a person has pressed, if any
 * @returns `answered`: says to n8n that the page was sent, and has it resume the execution only with `workflowData` added
 */
export async function showPage(
	context: IWebhookFunctions,
	ledger: SuspendedLedger,
	getRuns: () => Promise<Runs>,
	answerDue: AbortSignal,
	notice?: string,
) {
	const node = context.getNode();
	const polled = await pollForPage(node, ledger, getRuns, answerDue, notice !== undefined);
	if (!polled.ok) findOrRemember(ledger).noteRequestError(node, polled.error);
	// A refused key is for the node to report.
	const isWorthResuming = polled.ok ? polled.value : isAccessRefusal(polled.error);
	const checked = polled.ok ? 'n8n has checked, and goes on sleeping.' : NOT_ASKED;
	const found = isWorthResuming ? 'n8n goes on with the runs.' : checked;
	const { id, name: workflowName } = context.getWorkflow();
	const executionUrl = `${context.getInstanceBaseUrl()}workflow/${id}/executions/${context.getExecutionId()}`;
	const titles = { node, workflowName, executionUrl };
	const text = notice === undefined ? undefined : `${notice} ${found}`.trim();
	const content = contentOf(ledger, shownRuns(node, ledger), titles, text);
	return { answered: sendPage(context, 200, toStatusPage(content)), isWorthResuming };
}

const NOT_ASKED = 'The service could not be asked: n8n asks again by itself.';

/** Cancels or resumes a run, e.g. by `{ cancel: '7' }`. Never throws. @returns what came of it; empty for another button */
export async function press(
	node: INode,
	ledger: SuspendedLedger,
	form: unknown,
	getRuns: () => Promise<Runs>,
): Promise<string> {
	const button = (['cancel', 'resume'] as const).find((name) => textAt(form, name) !== undefined);
	if (button === undefined) return '';
	const taskId = textAt(form, button) ?? '';
	const done = button === 'cancel' ? 'canceled' : 'resumed';
	if (!openRuns(ledger).some((run) => run.taskId === taskId)) {
		return `Run ${taskId} is not one of the open runs.`;
	}
	const sent = await attempt(async () => await (await getRuns())[button](taskId));
	if (sent.ok)
		return `Run ${taskId} ${sent.value === false ? 'had ended already' : `was ${done}`}.`;
	findOrRemember(ledger).noteRequestError(node, sent.error);
	return `Run ${taskId} was not ${done}. ${failureText(node, sent.error)}`;
}

const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64');

/** The page's address is a key: it goes to nobody else. Only the page's own script runs, nothing is loaded, no frame shows it. */
const HEADERS = {
	'Content-Type': 'text/html; charset=utf-8',
	'Content-Security-Policy': `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${SCRIPT_HASH}'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
	'Cache-Control': 'no-store',
	'Referrer-Policy': 'no-referrer',
	'X-Content-Type-Options': 'nosniff',
};

/** Sends a page in place of n8n, which would add a policy of its own. */
function sendPage(context: IWebhookFunctions, status: number, page: string): IWebhookResponseData {
	const response = responseOf(context);
	response.writeHead(status, HEADERS);
	response.end(page);
	return { noWebhookResponse: true };
}
