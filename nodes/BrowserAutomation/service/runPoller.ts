import type { ServiceClient } from './client';
import { RUN_NOT_FOUND } from './errorCodes';
import { hasCode } from './errors';
import { isJsonObject, textAt, type JsonObject } from './json';
import { toPage } from './pages';
import { attempt } from './attempt';
import { eventsBetween, passes, type EventFilter, type RunEvent } from './runEvents';
import { toRunStatus, type RunStatus } from './runStatus';
import { readRun, readStatus, V3_RUNS } from './runs';
import { MOST_OPEN, PollCursor } from './pollCursor';

/** The list's largest page (interface: Limits). */
const PAGE = V3_RUNS.listLimit;

/** How many pages are read at once, between two moments at which a poll may end. */
const SLICE_PAGES = 2;

/** How often a list that keeps shifting under the reading is read again. */
const READINGS = 3;

/** How many requests about single runs are under way at once. */
const AT_ONCE = 8;

/** How many events one poll brings at most; what is left comes with the next one. */
const MOST_EVENTS = 500;

const MS_PER_DAY = 86_400_000;

/** The statuses of a run that is still going on. */
const OPEN_STATUSES: readonly RunStatus[] = ['created', 'running', 'pausing', 'paused'];

/** Something that happened to a run, and the run as the service tells it. */
export interface Sighting {
	event: RunEvent;
	run: JsonObject;
}

/** What a watch over the list of runs needs. */
export interface Watching {
	client: ServiceClient;
	filter: EventFilter;
	/** Whether there is time for more requests. */
	hasTime(): boolean;
}

/** What a poll brought. The state goes with the sightings: both are to be kept, or neither. */
export interface Watched {
	state: PollCursor;
	sightings: Sighting[];
}

/**
 * Begins a watch: what is there now counts as seen, and the runs still going on are watched.
 *
 * @param from the moment from which on runs count as new, in milliseconds since 1970; by default
 * everything that is there now is old
 * @param now this machine's time, in milliseconds since 1970
 */
export async function beginWatch(
	{ client, filter }: Watching,
	from: number | undefined,
	now: number,
): Promise<PollCursor> {
	const state = new PollCursor(filter.botId);
	const newest = from ?? (await findNewest(client, filter.botId));
	state.setMark(newest ?? now - MS_PER_DAY);
	for (const status of OPEN_STATUSES) {
		for (let page = 1, found = 0; found < MOST_OPEN; page++) {
			const { runs, totalPages } = await readPage(client, { botId: filter.botId, status, page });
			found += runs.length;
			for (const run of runs) {
				if (from === undefined || run.createdAt < from)
					state.note(run.taskId, run.status, run.createdAt);
			}
			if (page >= totalPages || runs.length === 0) break;
		}
	}
	if (from !== undefined) state.forgetBefore(from);
	else if (newest !== undefined) {
		const there = await readAll(client, { botId: filter.botId, from: state.from });
		for (const run of there.runs) state.note(run.taskId, run.status, run.createdAt);
		state.advance(latest(there.runs) ?? newest);
	}
	return state;
}

/**
 * Looks at what has changed since the last poll: first at the runs created since, oldest first and a
 * slice of time at once, then at the runs that were still going on. When the time is up, the state
 * says where to go on.
 *
 * @throws ServiceError or ConnectionError when the service could not be asked and nothing was seen
 */
export async function pollRuns(watching: Watching, before: PollCursor): Promise<Watched> {
	const state = before.copy();
	const sightings: Sighting[] = [];
	const goesOn = (): boolean => watching.hasTime() && sightings.length < MOST_EVENTS;
	const work = async (): Promise<void> => {
		const seen = new Set<string>();
		let from = state.from;
		for (;;) {
			const slice = await readSlice(watching.client, state.botId, from);
			const changed = slice.runs.filter(({ taskId, status }) => state.isNews(taskId, status));
			const looks = await lookAt(watching, state, changed);
			for (const look of looks) state.note(look.taskId, look.status, look.createdAt);
			sightings.push(...looks.flatMap((look) => look.sightings));
			for (const { taskId } of slice.runs) seen.add(taskId);
			if (!slice.isWhole) return;
			const end = slice.to ?? latest(slice.runs);
			if (end !== undefined) state.advance(end);
			if (slice.to === undefined) break;
			from = slice.to;
			if (!goesOn()) return;
		}
		await lookAtOpen(watching, state, seen, goesOn, sightings);
	};
	const worked = await attempt(work);
	if (!worked.ok && sightings.length === 0) throw worked.error;
	return { state, sightings };
}

/**
 * The latest run that fits, as an example of an event. Undefined when none of the newest runs fits.
 */
export async function sampleEvent({ client, filter }: Watching): Promise<Sighting | undefined> {
	const { botId, events } = filter;
	for (let page = 1; page <= SLICE_PAGES; page++) {
		const { runs, totalPages } = await readPage(client, { botId, page });
		for (const { taskId, status, record } of runs.sort((a, b) => b.createdAt - a.createdAt)) {
			const happened = eventsBetween(taskId, undefined, status);
			const wanted = events.flatMap((name) => happened.find(({ event }) => event === name) ?? []);
			const event = wanted.find((candidate) => passes(filter, candidate, record));
			if (event !== undefined) return { event, run: await readRun(client, V3_RUNS, taskId) };
		}
		if (page >= totalPages) break;
	}
	return undefined;
}

/** A run as the list shows it. */
interface ListedRun {
	taskId: string;
	status: RunStatus;
	/** By the service's clock, in milliseconds since 1970. */
	createdAt: number;
	record: JsonObject;
}

/** What came of looking at a run that has changed. */
interface Look extends Omit<ListedRun, 'record'> {
	sightings: Sighting[];
}

/** Looks at changed runs closely, as far as somebody wants to know of them. */
async function lookAt(watching: Watching, state: PollCursor, runs: ListedRun[]): Promise<Look[]> {
	const looks: Look[] = [];
	for (let first = 0; first < runs.length; first += AT_ONCE) {
		const some = runs.slice(first, first + AT_ONCE);
		looks.push(
			...(await Promise.all(some.map(async (run) => await lookClosely(watching, state, run)))),
		);
	}
	return looks;
}

async function lookClosely(
	{ client, filter }: Watching,
	state: PollCursor,
	{ taskId, status, createdAt, record }: ListedRun,
): Promise<Look> {
	const before = state.statusOf(taskId);
	const isWanted = eventsBetween(taskId, before, status).some((event) =>
		passes(filter, event, record),
	);
	if (!isWanted) return { taskId, status, createdAt, sightings: [] };
	const read = await attempt(async () => await readRun(client, V3_RUNS, taskId));
	if (!read.ok && !hasCode(read.error, RUN_NOT_FOUND)) throw read.error;
	const run = read.ok ? read.value : record;
	const now = read.ok ? toRunStatus(run.status) : status;
	const sightings = eventsBetween(taskId, before, now)
		.filter((event) => passes(filter, event, run))
		.map((event) => ({ event, run }));
	return { taskId, status: now, createdAt, sightings };
}

/** Asks for the statuses of the open runs that the list has not shown, longest unasked first. */
async function lookAtOpen(
	watching: Watching,
	state: PollCursor,
	seen: ReadonlySet<string>,
	goesOn: () => boolean,
	sightings: Sighting[],
): Promise<void> {
	const unseen = state.openTaskIds().filter((taskId) => !seen.has(taskId));
	for (let first = 0; first < unseen.length && goesOn(); first += AT_ONCE) {
		const taskIds = unseen.slice(first, first + AT_ONCE);
		const looks = await Promise.all(
			taskIds.map(async (taskId) => await lookAtOne(watching, state, taskId)),
		);
		looks.forEach((look, index) => {
			const taskId = taskIds[index] ?? '';
			if (look === undefined) state.forget(taskId);
			else state.note(taskId, look.status, look.createdAt);
		});
		sightings.push(...looks.flatMap((look) => look?.sightings ?? []));
	}
}

/** Looks at an open run. Undefined when the service does not know it any more. */
async function lookAtOne(
	watching: Watching,
	state: PollCursor,
	taskId: string,
): Promise<Look | undefined> {
	const { client } = watching;
	const read = await attempt(async () => await readStatus(client, V3_RUNS, taskId));
	if (!read.ok) {
		if (hasCode(read.error, RUN_NOT_FOUND)) return undefined;
		throw read.error;
	}
	const status = read.value;
	const unchanged: Look = { taskId, status, createdAt: 0, sightings: [] };
	if (!state.isNews(taskId, status)) return unchanged;
	const detail = await attempt(async () => await readRun(client, V3_RUNS, taskId));
	if (!detail.ok) {
		if (hasCode(detail.error, RUN_NOT_FOUND)) return undefined;
		throw detail.error;
	}
	const run = detail.value;
	const now = toRunStatus(run.status);
	const events = eventsBetween(taskId, state.statusOf(taskId), now);
	const wanted = events.filter((event) => passes(watching.filter, event, run));
	return { ...unchanged, status: now, sightings: wanted.map((event) => ({ event, run })) };
}

interface ListQuery {
	botId: string | undefined;
	/** Inclusive, in milliseconds since 1970, like `to`. */
	from?: number;
	to?: number;
	status?: RunStatus;
	page?: number;
}

interface ListedPage {
	runs: ListedRun[];
	totalPages: number;
	totalCount: number | undefined;
}

async function readPage(
	client: ServiceClient,
	{ botId, from, to, status, page = 1 }: ListQuery,
): Promise<ListedPage> {
	const body = await client.send({
		method: 'GET',
		path: '/v3/bots/runs',
		query: {
			bot_id: botId,
			created_at_from: from === undefined ? undefined : new Date(from).toISOString(),
			created_at_to: to === undefined ? undefined : new Date(to).toISOString(),
			status,
			page,
			limit: PAGE,
		},
	});
	const { items, limit, totalPages } = toPage(body, PAGE);
	const total = isJsonObject(body) ? body.total_count : undefined;
	return {
		runs: items.flatMap((record) => toListedRun(record) ?? []),
		totalPages: totalPages ?? (items.length < limit ? page : page + 1),
		totalCount: typeof total === 'number' ? total : undefined,
	};
}

function toListedRun(record: JsonObject): ListedRun | undefined {
	const taskId = textAt(record, 'task_id');
	const createdAt = Date.parse(textAt(record, 'created_at') ?? '');
	if (taskId === undefined || Number.isNaN(createdAt)) return undefined;
	return { taskId, createdAt, status: toRunStatus(record.status), record };
}

/** A part of the list. It is not whole when the list kept shifting while it was read. */
interface Slice {
	runs: ListedRun[];
	isWhole: boolean;
	/** Where it ends; undefined when it goes up to now. */
	to?: number;
}

/**
 * The oldest runs from a moment on, at most so many pages: the time is halved until they fit. What
 * is in the past does not shift any more, and nothing is assumed about the order of the list.
 */
async function readSlice(
	client: ServiceClient,
	botId: string | undefined,
	from: number,
): Promise<Slice> {
	let first = await readPage(client, { botId, from });
	let end = latest(first.runs) ?? from;
	let to: number | undefined;
	while (first.totalPages > SLICE_PAGES) {
		const middle = Math.floor((from + end) / 2);
		if (middle <= from) break;
		to = middle;
		end = middle;
		first = await readPage(client, { botId, from, to });
	}
	const query = { botId, from, ...(to !== undefined && { to }) };
	const slice = first.totalPages <= 1 ? wholePage(first) : await readAll(client, query);
	return { ...slice, ...(to !== undefined && { to }) };
}

function wholePage({ runs }: ListedPage): Slice {
	return { runs, isWhole: true };
}

/** All runs of a span of time. When runs vanish from the list under the reading, it is read again. */
async function readAll(client: ServiceClient, query: ListQuery): Promise<Slice> {
	const found = new Map<string, ListedRun>();
	for (let reading = 1; reading <= READINGS; reading++) {
		let total = 0;
		let isSteady = true;
		for (let page = 1; ; page++) {
			const { runs, totalPages, totalCount = total } = await readPage(client, { ...query, page });
			for (const run of runs) found.set(run.taskId, run);
			isSteady &&= totalCount >= total;
			total = totalCount;
			if (page >= totalPages || runs.length === 0) break;
		}
		if (isSteady && found.size >= total) return { runs: [...found.values()], isWhole: true };
	}
	return { runs: [...found.values()], isWhole: false };
}

/** When the newest run was created, whatever order the list has; undefined when there is none. */
async function findNewest(
	client: ServiceClient,
	botId: string | undefined,
): Promise<number | undefined> {
	let newest: number | undefined;
	for (;;) {
		const { runs } = await readPage(client, {
			botId,
			...(newest !== undefined && { from: newest }),
		});
		const found = latest(runs);
		if (found === undefined || (newest !== undefined && found <= newest)) return newest;
		newest = found;
	}
}

function latest(runs: ListedRun[]): number | undefined {
	return runs.length === 0 ? undefined : Math.max(...runs.map(({ createdAt }) => createdAt));
}
