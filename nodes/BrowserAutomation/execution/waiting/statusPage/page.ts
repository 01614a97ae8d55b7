import { isTerminal } from '../../../service/runs/runs';
import { sentences } from '../../failures';
import { html, Markup } from '../../markup';
import { SCRIPT } from './script';
import { STYLE } from './style';
import type { ShownRun, PageContent } from './view';

/** The status page, as HTML. */
export function toStatusPage(content: PageContent): string {
	const { name, runs, executionUrl, paused, open, isDone, notice } = content;
	const state = isDone ? 'Ended' : `${open} running`;
	return toDocument(
		`${paused > 0 ? 'Paused' : state} – ${name}`,
		html`<main id="page">
				<form method="post">
					${header(content)}
					${notice === undefined ? pausedNotice(content) : html`<p class="notice" role="status">${notice}</p>`}
					<h2>Why still waiting</h2>
					<ul>
						${reasonsOf(content).map((reason) => html`<li>${reason}</li>`)}
					</ul>
					${actions(content)}
					<ul>
						${runs.map((run) => card(run, content))}
					</ul>
					${checksOf(content).map((check) => html`<p class="soft">${check}</p>`)}
				</form>
				<footer>
					<p>Stopping the execution in n8n does not stop its runs: cancel them here first.</p>
					<p><a href="${executionUrl}">The execution in n8n</a></p>
				</footer>
			</main>
			<p id="connection" role="status"></p>
			${ending('done', 'Done', 'The execution has gone on. The results are in n8n.', executionUrl)}
			${ending('failed', 'Ended', 'The execution ended with an error, or was stopped. Its runs may still be going on in the service.', executionUrl)}
			<noscript>Reload this page to see how the runs stand then.</noscript>
			${new Markup(`<script>${SCRIPT}</script>`)}`,
		// A few runs are read anew as often as a person wants to see them.
		runs.length > 5 ? 15 : 5,
	);
}

/** What the page's script shows in place of the page when the execution does not wait any more. */
function ending(id: string, state: string, text: string, executionUrl: string): Markup {
	return html`<section class="ended" id="${id}" hidden>
		<h1>${state}: go back to n8n</h1>
		<p>${text}</p>
		<p class="buttons"><a class="button main" href="${executionUrl}">Go back to n8n</a></p>
	</section>`;
}

/** What a link shows that opens nothing, as HTML. */
export function toClosedPage(): string {
	return toDocument(
		'No waiting execution',
		html`<section class="ended">
			<h1>No waiting execution</h1>
			<p>This link belongs to no waiting execution. Open it anew from the node in n8n.</p>
		</section>`,
		0,
	);
}

function toDocument(title: string, content: Markup, refresh: number): string {
	return html`<!doctype html>
		<html lang="en">
			<head>
				<meta charset="utf-8" />
				<meta name="viewport" content="width=device-width,initial-scale=1" />
				<title>${title}</title>
				<style>
					${new Markup(STYLE)}
				</style>
			</head>
			<body data-refresh="${refresh}">
				${content}
			</body>
		</html>`.text;
}

function header(content: PageContent): Markup {
	const { name, workflowName, items, progress, startsSince, now, deadline } = content;
	const parts = [
		items === 1 ? undefined : progress,
		startsSince === undefined ? undefined : `Started ${span(now - startsSince)} ago`,
		deadline > now ? `n8n waits for another ${span(deadline - now)}` : 'the wait limit is reached',
	];
	const details = parts.filter((part) => part !== undefined).join(' · ');
	return html`<header>
		<p class="soft">${workflowName} sleeps in n8n</p>
		<h1>${name}</h1>
		<p class="soft">${details}</p>
	</header>`;
}

const RESUME = 'I am done: resume the run';

function pausedNotice({ paused, runs }: PageContent): Markup | undefined {
	if (paused === 0) return undefined;
	const { liveView, log } = runs.find(({ status }) => status === 'paused') ?? {};
	const inLog = 'Open the log to see where the bot stopped. Do there what it cannot';
	const inService = log === undefined ? 'Do it in the service' : inLog;
	const opening = liveView === undefined ? 'Open the log' : 'Open the live view';
	return html`<section class="paused-notice">
		<strong>Paused: a person is needed</strong>
		<p>
			${paused === 1 ? 'A run waits' : `${paused} runs wait`} for somebody to do what the bot
			cannot. ${liveView === undefined ? inService : 'Do it in the live view'}, then press
			“${RESUME}”.
		</p>
		${(liveView ?? log) && html`<p class="buttons">${link(liveView ?? log, opening, 'button main')}</p>`}
	</section>`;
}

function reasonsOf(content: PageContent) {
	const { isDone, items, open, paused, unstarted, waitsForSlot, queueText = '', runs } = content;
	const more = items - unstarted - runs.length;
	const reasons = [
		isDone ? 'Nothing is left to wait for: n8n continues.' : '',
		paused > 0 ? `${counted(paused, 'run is', 'runs are')} paused.` : '',
		open > paused ? `${counted(open - paused, 'run has', 'runs have')} not ended.` : '',
		unstarted > 0
			? `${counted(unstarted, 'item has', 'items have')} no run yet${waitsForSlot ? ': the plan’s limit of running tasks is reached' : ''}.`
			: '',
		queueText,
		more > 0 ? `${counted(more, 'more run is', 'more runs are')} not shown here.` : '',
	];
	return reasons.filter((reason) => reason !== '');
}

function actions({ open, unstarted }: PageContent): Markup {
	const runs = open === 1 ? 'the run' : `all ${open} runs`;
	const question = sentences(
		open === 0 ? '' : `Cancel ${runs} in the service?`,
		unstarted === 0 ? '' : 'Items that have no run yet will get none.',
	);
	return html`<div class="buttons">
		${button('action', 'check', 'Check now', '')}
		${open + unstarted < 2 ? undefined : button('action', 'cancelAll', 'Cancel all runs', 'danger', question)}
	</div>`;
}

const NOT_KNOWN =
	'The service has not said yet how this run stands, or with a status that this package does not know.';

function card(run: ShownRun, { name: shownName, now, items }: PageContent): Markup {
	const { taskId, status, item, botName, createdAt, log } = run;
	const { problem = status === 'unknown' ? NOT_KNOWN : undefined } = run;
	const age = createdAt === undefined ? '' : `created ${span(now - createdAt)} ago`;
	const itemText = items === 1 ? '' : `item ${item + 1} of ${items}`;
	const facts = [botName === shownName ? '' : botName, itemText, age, usedBy(run)];
	const question = `Cancel run ${taskId} in the service?`;
	const isUnended = status !== 'refused' && !isTerminal(status);
	const buttons = [
		isUnended ? link(run.liveView, 'Live view', 'button') : undefined,
		link(log, 'Log', 'button'),
		status === 'paused' ? button('resume', taskId, RESUME, 'main') : undefined,
		isUnended ? button('cancel', taskId, 'Cancel run', 'danger', question) : undefined,
	].filter((shown) => shown !== undefined);
	return html`<li class="card">
		<div class="line">
			<span class="badge ${status}">${status}</span>
			<strong>${taskId === undefined ? 'No run' : `Run ${taskId}`}</strong>
			<span class="soft">${facts.filter(Boolean).join(', ')}</span>
		</div>
		${problem === undefined ? undefined : html`<p>${problem}</p>`}
		${buttons.length > 0 ? html`<div class="buttons">${buttons}</div>` : undefined}
	</li>`;
}

/** A button of the page's form. @param question is asked before it is pressed */
function button(
	name: string,
	value: string | undefined,
	label: string,
	cssClass: string,
	question?: string,
): Markup | undefined {
	if (value === undefined) return undefined;
	return html`<button
		class="${cssClass}"
		id="${name}-${value}"
		name="${name}"
		value="${value}"
		${question === undefined ? undefined : html`data-confirm="${question}"`}
	>
		${label}
	</button>`;
}

/** What a run has used so far, as far as the service tells; empty where it tells nothing. */
function usedBy({ credit, steps }: ShownRun): string {
	const used = [
		credit === undefined ? '' : counted(credit, 'credit', 'credits'),
		steps === undefined ? '' : counted(steps, 'step', 'steps'),
	];
	return used.filter(Boolean).join(', ');
}

/** When n8n has asked the service and asks again, and the last error. */
function checksOf({ activity, now, nextPoll }: PageContent): string[] {
	const { polledAt, requestFailedAt, requestError } = activity;
	const last = polledAt === undefined ? 'not yet' : `${span(now - polledAt)} ago`;
	// n8n's wait timer may be a minute late.
	const left = span(Math.max(nextPoll - now, 1_000));
	const next = nextPoll > now ? `in at most ${left}` : 'in less than a minute';
	const checks = [`Last checked: ${last}. Next check: ${next}.`];
	if (requestFailedAt === undefined) return checks;
	return [...checks, `Last error, ${span(now - requestFailedAt)} ago: ${requestError}`];
}

function link(url: string | undefined, text: string, cssClass: string): Markup | undefined {
	if (url === undefined) return undefined;
	return html`<a class="${cssClass}" href="${url}" target="_blank" rel="noopener noreferrer"
		>${text}</a
	>`;
}

function counted(count: number, one: string, many: string): string {
	return `${count} ${count === 1 ? one : many}`;
}

/** A span of time in words, e.g. `2 h 5 min`. */
function span(milliseconds: number): string {
	const seconds = Math.max(0, Math.round(milliseconds / 1000));
	if (seconds < 60) return `${seconds} s`;
	const minutes = Math.floor(seconds / 60);
	if (minutes < 10) return `${minutes} min ${seconds % 60} s`;
	return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
