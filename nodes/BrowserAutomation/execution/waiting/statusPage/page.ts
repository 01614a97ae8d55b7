import { isTerminal } from '../../../service/runs/runStatus';
import { sumOf } from '../batch/outcomes';
import { html, Markup } from '../../markup';
import { SCRIPT } from './script';
import type { ShownRun } from './shownRuns';
import { STYLE } from './style';
import type { StatusPage } from './view';

/** Up to this many runs are read anew as often as a person wants to see them. */
const FEW_RUNS = 5;
const REFRESH_SECONDS = 5;
const SLOW_REFRESH_SECONDS = 15;

/** Exactly the script: the browser runs it by its hash. */
const SCRIPT_ELEMENT = new Markup(`<script>${SCRIPT}</script>`);

/** The status page, as HTML. */
export function toStatusPage(status: StatusPage): string {
	const { runs, executionUrl } = status;
	const refresh = runs.length > FEW_RUNS ? SLOW_REFRESH_SECONDS : REFRESH_SECONDS;
	return toDocument(
		titleOf(status),
		html`<main id="page">
				${header(status)} ${notice(status)} ${pausedNote(status)} ${reasons(status)}
				${actions(status)}
				<ul>
					${runs.map((run) => card(run, status))}
				</ul>
				${facts(status)}
				<footer>
					<p>Stopping the execution in n8n does not stop its runs: cancel them here first.</p>
					<p><a href="${executionUrl}">The execution in n8n</a></p>
				</footer>
			</main>
			<p id="connection" role="status"></p>
			<details class="diagnostics">
				<summary>Diagnostics to copy, as of when this page was opened</summary>
				<pre>${status.diagnostics.join('\n')}</pre>
			</details>
			<section class="ended" id="done" hidden>
				<h1>Done: go back to n8n</h1>
				<p>The execution has gone on. The results are in n8n.</p>
				${wayBack(executionUrl)}
			</section>
			<section class="ended" id="failed" hidden>
				<h1>Ended: go back to n8n</h1>
				<p>
					The execution ended with an error, or was stopped. Its runs may still be going on in the
					service.
				</p>
				${wayBack(executionUrl)}
			</section>
			<noscript>Reload this page to see how the runs stand then.</noscript>
			${SCRIPT_ELEMENT}`,
		refresh,
	);
}

/** What a link shows that opens nothing. */
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

function wayBack(executionUrl: string): Markup {
	return html`<p class="buttons">
		<a class="button main" href="${executionUrl}">Go back to n8n</a>
	</p>`;
}

function titleOf({ name, paused, open, isOver }: StatusPage): string {
	if (paused > 0) return `Paused – ${name}`;
	return isOver ? `Ended – ${name}` : `${open} running – ${name}`;
}

function header(status: StatusPage): Markup {
	const { name, workflowName, items, open, since, now, deadline } = status;
	const ended = items - open - status.unstarted;
	const parts = [
		items === 1 ? undefined : `${ended} of ${items} runs ended`,
		since === undefined ? undefined : `Started ${span(now - since)} ago`,
		deadline > now ? `n8n waits for another ${span(deadline - now)}` : 'the wait limit is reached',
	];
	const details = parts.filter((part) => part !== undefined).join(' · ');
	return html`<header>
		<p class="soft">${workflowName} sleeps in n8n</p>
		<h1>${name}</h1>
		<p class="soft">${details}</p>
	</header>`;
}

function notice({ notice: text }: StatusPage): Markup | undefined {
	return text === undefined ? undefined : html`<p class="notice" role="status">${text}</p>`;
}

/** Until the page is shown anew, the outcome of a button stands in its place. */
function pausedNote({ paused, runs, notice: outcome }: StatusPage): Markup | undefined {
	if (paused === 0 || outcome !== undefined) return undefined;
	const liveView = runs.find(({ status }) => status === 'paused')?.liveView;
	return html`<section class="paused-note">
		<strong>Paused: a person is needed</strong>
		<p>
			${paused === 1 ? 'A run waits' : `${paused} runs wait`} for somebody to do what the bot
			cannot. Do it in the ${liveView === undefined ? 'service' : 'live view'}, then resume the run.
		</p>
		${
			liveView === undefined
				? undefined
				: html`<p class="buttons">${link(liveView, 'Open the live view', 'button main')}</p>`
		}
	</section>`;
}

function card(run: ShownRun, { name: shownName, now }: StatusPage): Markup {
	const { taskId, status, botName, createdAt, input, liveView, log, problem } = run;
	const age = createdAt === undefined ? '' : `created ${span(now - createdAt)} ago`;
	const soFar = [age, usedBy([run])].filter((text) => text !== '').join(', ');
	return html`<li class="card">
		<div class="line">
			<span class="badge ${status}">${status}</span>
			<strong>${taskId === undefined ? 'No run' : `Run ${taskId}`}</strong>
			<span class="soft">${botName === shownName ? undefined : botName} ${soFar}</span>
		</div>
		${problem === undefined ? undefined : html`<p>${problem}</p>`} ${inputList(input)}
		<div class="buttons">
			${link(liveView, 'Live view', 'button')} ${link(log, 'Log', 'button')}
			${taskId === undefined || status !== 'paused' ? undefined : resumeButton(taskId)}
			${taskId === undefined || !isOpen(status) ? undefined : cancelButton(taskId)}
		</div>
	</li>`;
}

function inputList(input: ShownRun['input']): Markup | undefined {
	if (input.length === 0) return undefined;
	return html`<dl>
		${input.map(
			([name, value]) =>
				html`<dt>${name}</dt>
					<dd>${value}</dd>`,
		)}
	</dl>`;
}

function isOpen(status: ShownRun['status']): boolean {
	return status !== 'refused' && !isTerminal(status);
}

function resumeButton(taskId: string): Markup {
	return html`<form method="post">
		<button class="main" id="resume-${taskId}" name="resume" value="${taskId}">
			I am done: resume the run
		</button>
	</form>`;
}

function cancelButton(taskId: string): Markup {
	return html`<form method="post">
		<button
			class="danger"
			id="cancel-${taskId}"
			name="cancel"
			value="${taskId}"
			data-confirm="Cancel run ${taskId} in the service?"
		>
			Cancel run
		</button>
	</form>`;
}

function reasons(status: StatusPage): Markup {
	return html`<h2>Why still waiting</h2>
		<ul>
			${reasonsOf(status).map((reason) => html`<li>${reason}</li>`)}
		</ul>`;
}

function reasonsOf({
	isOver,
	items,
	open,
	unstarted,
	isFull,
	inLine = '',
	paused,
	runs,
	activity,
	now,
}: StatusPage) {
	const more = items - unstarted - runs.length;
	const { refusedAt = 0, lookedAt = 0, refusal } = activity;
	const reasons = [
		isOver ? 'All runs have ended. n8n continues at its next check, or at once with Look now.' : '',
		open > paused ? `${counted(open - paused, 'run has', 'runs have')} not ended.` : '',
		paused > 0 ? `${counted(paused, 'run is', 'runs are')} paused until somebody resumes it.` : '',
		unstarted > 0
			? `${counted(unstarted, 'item has', 'items have')} no run yet${isFull ? ': the plan’s limit of running tasks is reached' : ''}.`
			: '',
		inLine,
		refusedAt > lookedAt
			? `The service could not be asked ${span(now - refusedAt)} ago: ${refusal}`
			: '',
		more > 0 ? `${counted(more, 'more run is', 'more runs are')} not shown here.` : '',
	];
	return reasons.filter((reason) => reason !== '');
}

function actions({ open, unstarted, isOver }: StatusPage): Markup {
	const also = unstarted === 0 ? '' : ' Items that have no run yet will get none.';
	return html`<form method="post" class="buttons">
		<button id="look" name="action" value="look" class="${isOver ? 'main' : ''}">Look now</button>
		${
			open < 2
				? undefined
				: html`<button
						class="danger"
						id="cancel-all"
						name="action"
						value="cancelAll"
						data-confirm="Cancel all ${open} runs in the service?${also}"
					>
						Cancel all runs
					</button>`
		}
	</form>`;
}

/** What runs have used so far, as far as the service tells; empty where it tells nothing. */
function usedBy(runs: ShownRun[]): string {
	const used = (['credit', 'steps'] as const).map((what): [string, number[]] => [
		what === 'credit' ? 'credits' : what,
		runs.flatMap((run) => run[what] ?? []),
	]);
	return used
		.filter(([, amounts]) => amounts.length > 0)
		.map(([unit, amounts]) => `${sumOf(amounts)} ${unit}`)
		.join(', ');
}

function facts({ activity, now, nextLook, runs }: StatusPage): Markup {
	const { lookedAt, calledBackAt, refusedAt, refusal } = activity;
	const used = usedBy(runs);
	const ago = (time: number | undefined, unknown: string): string =>
		time === undefined ? unknown : `${span(now - time)} ago`;
	return html`<h2>What n8n has heard</h2>
		<dl>
			${
				used === ''
					? undefined
					: html`<dt>Used so far</dt>
							<dd>${used}</dd>`
			}
			<dt>Last look</dt>
			<dd>${ago(lookedAt, 'not known here')}</dd>
			<dt>Next look</dt>
			<dd>${lookIn(nextLook, now)}</dd>
			<dt>Last callback</dt>
			<dd>${ago(calledBackAt, 'none known here')}</dd>
			<dt>Last refusal</dt>
			<dd>${refusedAt === undefined ? 'none known here' : `${ago(refusedAt, '')}: ${refusal}`}</dd>
		</dl>`;
}

/** When n8n looks by its clock, which may be a minute late. */
function lookIn(nextLook: number | undefined, now: number): string {
	if (nextLook === undefined) return 'at the next callback';
	return nextLook > now ? `in about ${span(nextLook - now)}` : 'in less than a minute';
}

function link(url: string | undefined, text: string, look: string): Markup | undefined {
	if (url === undefined) return undefined;
	return html`<a class="${look}" href="${url}" target="_blank" rel="noopener noreferrer"
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
	if (minutes < 60) return `${minutes} min`;
	return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
