import type { ServiceClient } from '../http/client';
import { textAt, type JsonObject } from '../json/json';
import { MOST_PAGES, readList, toPage, type Page } from '../http/pages';
import { V3_RUNS } from './runApi';
import { toRunStatus, type RunStatus } from './runStatus';

/** How many pages a slice of the list has at most. */
const SLICE_PAGES = 2;

/** How often a list that keeps shifting under the reading is read again. */
const READINGS = 3;

/** A run from later than this machine's time and so much more has no date that tells anything. */
const MS_PER_YEAR = 366 * 24 * 3_600_000;

/** A run as the list shows it. */
export interface ListedRun {
	taskId: string;
	status: RunStatus;
	/** By the service's clock, in milliseconds since 1970. */
	createdAt: number;
	record: JsonObject;
}

/** Which part of the list to read. */
export interface RunListQuery {
	/** Only the runs of this bot. */
	botId: string | undefined;
	/** Inclusive, in milliseconds since 1970, like `to`. */
	from?: number;
	to?: number;
	status?: RunStatus;
	/** Counted from 1, which is the default. */
	page?: number;
}

export interface RunListPage {
	runs: ListedRun[];
	/** At least this many; exactly so many where the service says it. */
	totalPages: number;
	totalCount: number | undefined;
}

/** Reads one page of the list of runs (docs/service.md: V3 bots and templates). */
export async function readRunPage(
	client: ServiceClient,
	query: RunListQuery,
): Promise<RunListPage> {
	const { items, totalPages, totalCount } = await askForPage(client, query);
	const { page = 1 } = query;
	const further = totalPages === undefined && totalCount === undefined;
	const atLeast = items.length > 0 && further ? page + 1 : page;
	const before = (page - 1) * V3_RUNS.listLimit;
	const told = ((totalCount ?? 0) - before) / Math.max(1, items.length);
	return {
		runs: toListedRuns(items),
		totalPages: Math.max(totalPages ?? 0, atLeast, page - 1 + Math.ceil(told)),
		totalCount,
	};
}

async function askForPage(
	client: ServiceClient,
	{ botId, from, to, status, page = 1 }: RunListQuery,
): Promise<Page> {
	const body = await client.send({
		...V3_RUNS.listRequest({
			bot_id: botId,
			created_at_from: from === undefined ? undefined : new Date(from).toISOString(),
			created_at_to: to === undefined ? undefined : new Date(to).toISOString(),
			status,
			page,
			limit: V3_RUNS.listLimit,
		}),
		expects: 'list',
	});
	return toPage(body);
}

function toListedRuns(records: JsonObject[]): ListedRun[] {
	return records.flatMap((record) => {
		const taskId = textAt(record, 'task_id');
		const createdAt = Date.parse(textAt(record, 'created_at') ?? '');
		if (taskId === undefined || Number.isNaN(createdAt)) return [];
		return [{ taskId, createdAt, status: toRunStatus(record.status), record }];
	});
}

/** The statuses of a run that has not ended. */
const OPEN_STATUSES: readonly RunStatus[] = ['created', 'running', 'pausing', 'paused'];

/**
 * Reads the runs that have not ended, a hundred with each request.
 *
 * @param most no more is read when so many of one status were found
 */
export async function readOpenRuns(
	client: ServiceClient,
	botId: string | undefined,
	most: number,
): Promise<ListedRun[]> {
	const open: ListedRun[] = [];
	for (const status of OPEN_STATUSES) {
		for (let page = 1, found = 0; found < most; page++) {
			const { runs, totalPages } = await readRunPage(client, { botId, status, page });
			found += runs.length;
			open.push(...runs);
			if (page >= totalPages || runs.length === 0) break;
		}
	}
	return open;
}

/** A part of the list. It is not whole when the list kept shifting while it was read. */
export interface RunListSlice {
	runs: ListedRun[];
	isWhole: boolean;
	/** Where it ends, in milliseconds since 1970; undefined when it goes up to now. */
	to?: number;
	/** The service's time when it was asked for the slice; undefined where it did not tell. */
	askedAt?: number | undefined;
}

/**
 * Reads the oldest runs from a moment on, at most so many pages: the time is halved until they fit.
 * What is in the past does not shift any more, and nothing is assumed about the order of the list.
 */
export async function readRunSlice(
	client: ServiceClient,
	botId: string | undefined,
	from: number,
): Promise<RunListSlice> {
	let first = await readRunPage(client, { botId, from });
	let end = newestCreation(first.runs) ?? from;
	let to: number | undefined;
	while (first.totalPages > SLICE_PAGES) {
		const middle = Math.floor((from + end) / 2);
		if (middle <= from) break;
		to = middle;
		end = middle;
		first = await readRunPage(client, { botId, from, to });
	}
	const askedAt = client.lastDate?.();
	const query = { botId, from, ...(to !== undefined && { to }) };
	const slice =
		first.totalPages <= 1
			? { runs: first.runs, isWhole: true }
			: await readWholeRunList(client, query);
	return { ...slice, ...(to !== undefined && { to }), askedAt };
}

/** Reads all runs of a span of time. When runs vanish under the reading, the list is read again. */
export async function readWholeRunList(
	client: ServiceClient,
	query: RunListQuery,
): Promise<RunListSlice> {
	const found = new Map<string, ListedRun>();
	for (let reading = 1; reading <= READINGS; reading++) {
		const { items, end } = await readList({
			readPage: async (page) => await askForPage(client, { ...query, page }),
			most: Infinity,
			mostPages: MOST_PAGES,
			ahead: 1,
		});
		for (const run of toListedRuns(items)) found.set(run.taskId, run);
		if (end.next !== undefined) break;
		const isWhole = !end.shrank && found.size >= (end.announced ?? 0);
		if (isWhole) return { runs: [...found.values()], isWhole };
	}
	return { runs: [...found.values()], isWhole: false };
}

/** When the newest run was created, whatever order the list has; undefined when there is none. */
export async function findNewestCreation(
	client: ServiceClient,
	botId: string | undefined,
): Promise<number | undefined> {
	let newest: number | undefined;
	for (let page = 1; page <= MOST_PAGES; page++) {
		const query = { botId, ...(newest !== undefined && { from: newest }) };
		const found = newestCreation((await readRunPage(client, query)).runs);
		if (found === undefined || (newest !== undefined && found <= newest)) break;
		newest = found;
	}
	return newest;
}

/**
 * When the newest of some runs was created, in milliseconds since 1970. A date in the far future does
 * not count: who goes on from there would hear of no run again.
 */
export function newestCreation(runs: ListedRun[]): number | undefined {
	const latest = Date.now() + MS_PER_YEAR;
	const moments = runs.map(({ createdAt }) => createdAt).filter((moment) => moment <= latest);
	if (moments.length === 0) return undefined;
	return moments.reduce((found, moment) => Math.max(found, moment));
}
