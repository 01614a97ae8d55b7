import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { attempt } from '../../service/attempt';
import type { ServiceClient } from '../../service/client';
import { isJsonObject, textAt, type JsonObject } from '../../service/json';
import { readRun, runApi } from '../../service/runs';
import { forEachConcurrently } from '../concurrency';
import { connectForCallback } from '../../transport/credentialCache';
import { sleeperKey, type Ledger } from './ledger';
import { isSettled, isStarted } from './progress';

/** The path below the resume URL where a person can look at the runs. */
export const WATCH_PATH = 'watch';

/** How many runs are shown at most, and read at once. */
const RUNS_SHOWN = 20;

/** How often the page shows the runs anew, in seconds. */
const EVERY_SECONDS = 5;

/** What is known of a run that somebody watches. */
interface WatchedRun {
	taskId: string;
	status: string;
	liveView?: string;
	log?: string;
}

/** Where a person can look at the runs while the execution sleeps. The key keeps others out. */
export function watchUrlFor(resumeUrl: string, watchKey: string): string {
	const url = new URL(resumeUrl);
	url.pathname = `${url.pathname.replace(/\/$/, '')}/${WATCH_PATH}`;
	url.searchParams.set('key', watchKey);
	return url.toString();
}

/** Shows the runs of a sleeping execution with their live views and logs. The execution sleeps on. */
export async function showRuns(
	context: IWebhookFunctions,
	ledger: Ledger,
): Promise<IWebhookResponseData> {
	const open = ledger.entries.filter((entry) => !isSettled(ledger, entry)).filter(isStarted);
	const shown = open.slice(0, RUNS_SHOWN);
	const client = await connectForCallback(context, sleeperKey(ledger), ledger.deadline);
	const runs: WatchedRun[] = [];
	await forEachConcurrently(shown.length, RUNS_SHOWN, async (index) => {
		const entry = shown[index];
		if (entry !== undefined) runs[index] = await lookAt(client, ledger, entry.taskId);
	});
	const more = open.length - shown.length;
	const response = context.getResponseObject();
	response.writeHead(200, {
		'Content-Type': 'text/html; charset=utf-8',
		'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
		'Cache-Control': 'no-store',
		'Referrer-Policy': 'no-referrer',
	});
	response.end(toPage(runs, more));
	return { noWebhookResponse: true };
}

async function lookAt(client: ServiceClient, ledger: Ledger, taskId: string): Promise<WatchedRun> {
	const read = await attempt(async () => await readRun(client, runApi(ledger.face), taskId));
	if (!read.ok) return { taskId, status: 'cannot be read at the moment' };
	const run = read.value;
	const liveView = webAddress(run.live_url_info, 'live_url');
	const log = webAddress(run, 'log_detail_url');
	return {
		taskId,
		status: textAt(run, 'status') ?? 'unknown',
		...(liveView !== undefined && { liveView }),
		...(log !== undefined && { log }),
	};
}

function webAddress(record: JsonObject[string] | undefined, key: string): string | undefined {
	const text = isJsonObject(record) ? textAt(record, key) : undefined;
	return text !== undefined && /^https?:\/\//i.test(text) ? text : undefined;
}

function toPage(runs: WatchedRun[], more: number): string {
	const rows = runs.map(
		({ taskId, status, liveView, log }) =>
			`<tr><td>${escaped(taskId)}</td><td>${escaped(status)}</td><td>${link(liveView, 'Live view')}</td><td>${link(log, 'Log')}</td></tr>`,
	);
	const rest = more > 0 ? `<p>… and ${more} more.</p>` : '';
	const body =
		runs.length === 0
			? '<p>All runs have ended.</p>'
			: `<table><tr><th>Run</th><th>Status</th><th></th><th></th></tr>${rows.join('')}</table>${rest}`;
	return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="${EVERY_SECONDS}"><title>Runs that are waited for</title><style>body{font:16px system-ui,sans-serif;margin:2rem;color-scheme:light dark}td,th{padding:.3rem 1.5rem .3rem 0;text-align:left}</style></head><body><h1>Runs that are waited for</h1>${body}</body></html>`;
}

function link(url: string | undefined, text: string): string {
	if (url === undefined) return '';
	return `<a href="${escaped(url)}" target="_blank" rel="noreferrer">${text}</a>`;
}

function escaped(text: string): string {
	return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
