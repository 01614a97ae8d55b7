import type { ServiceClient } from '../http/client';
import { textAt, type JsonObject } from '../json/json';
import { MOST_PAGES, readList, toPage, type Page } from '../http/pages';
import { V3_RUNS } from './runApi';
import { toRunStatus, type RunStatus } from './runStatus';

/** How many pages a slice of the list has at most. The last one may be asked for in vain. */
const SLICE_PAGES = 3;

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
interface RunListQuery {
	/** Only the runs of this bot. */
	botId: string | undefined;
	/** Inclusive, in milliseconds since 1970, like `to`. */
	from?: number;
	to?: number;
	status?: RunStatus;
}

/** Reads the first page of the list of runs (docs/service.md: V3 bots and templates). */
export async function readRunPage(
	client: ServiceClient,
	query: RunListQuery,
): Promise<ListedRun[]> {
	return toListedRuns((await askForPage(client, query, 1)).items);
}

async function askForPage(
	client: ServiceClient,
	{ botId, from, to, status }: RunListQuery,
	page: number,
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
		const { items } = await readList({
			readPage: async (page) => await askForPage(client, { botId, status }, page),
			most,
			mostPages: MOST_PAGES,
			ahead: 1,
		});
		open.push(...toListedRuns(items));
	}
	return open;
}

/** A part of the list. It is not whole when the list kept shifting while it was read, or goes on. */
export interface RunListSlice {
	runs: ListedRun[];
	isWhole: boolean;
	/** Whether there are more pages than were to be read. */
	goesOn: boolean;
	/** Where it ends, in milliseconds since 1970; undefined when it goes up to now. */
	to?: number;
	/** The service's time when it was asked for the slice; undefined where it did not tell. */
	askedAt: number | undefined;
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
	let query: RunListQuery = { botId, from };
	for (let mostPages = SLICE_PAGES; ;) {
		const { to } = query;
		const slice = await readWholeRunList(client, query, mostPages);
		if (!slice.goesOn || mostPages === MOST_PAGES) {
			return { ...slice, ...(to !== undefined && { to }) };
		}
		const middle = Math.floor((from + (to ?? newestCreation(slice.runs) ?? from)) / 2);
		// No halving parts runs of one moment.
		if (middle <= from) mostPages = MOST_PAGES;
		else query = { botId, from, to: middle };
	}
}

/** Reads all runs of a span of time. When runs vanish under the reading, the list is read again. */
export async function readWholeRunList(
	client: ServiceClient,
	query: RunListQuery,
	mostPages = MOST_PAGES,
): Promise<RunListSlice> {
	const found = new Map<string, ListedRun>();
	let askedAt: number | undefined;
	let isWhole = false;
	let goesOn = false;
	for (let reading = 1; reading <= READINGS && !isWhole && !goesOn; reading++) {
		const { items, end } = await readList({
			readPage: async (page) => {
				const read = await askForPage(client, query, page);
				askedAt ??= client.lastDate?.();
				return read;
			},
			most: Infinity,
			mostPages,
			ahead: 1,
		});
		for (const run of toListedRuns(items)) found.set(run.taskId, run);
		goesOn = end.next !== undefined;
		isWhole = !goesOn && !end.shrank && found.size >= (end.announced ?? 0);
	}
	return { runs: [...found.values()], isWhole, goesOn, askedAt };
}

/** When the newest run was created, whatever order the list has; undefined when there is none. */
export async function findNewestCreation(
	client: ServiceClient,
	botId: string | undefined,
): Promise<number | undefined> {
	let newest: number | undefined;
	for (let page = 1; page <= MOST_PAGES; page++) {
		const query = { botId, ...(newest !== undefined && { from: newest }) };
		const found = newestCreation(await readRunPage(client, query));
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
