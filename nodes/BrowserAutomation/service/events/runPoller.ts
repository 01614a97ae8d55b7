import { attempt, type Attempt } from '../attempt';
import { mapConcurrently } from '../concurrency';
import type { ServiceClient } from '../http/client';
import { NOT_AUTHORIZED } from '../http/errorCodes';
import { ServiceError } from '../errors';
import type { JsonObject } from '../json/json';
import { MAX_OPEN, PollCursor } from './pollCursor';
import { eventsOf, type EventFilter, type RunEvent } from './runEvents';
import { newestCreation, RunList, type ListedRun } from '../runs/runList';
import { ifKnown, readRun, readStatus } from '../runs/oneRun';
import { RUN_STATUSES, type RunStatus, toRunStatus, V3_RUNS } from '../runs/runApi';

/** How many requests about single runs are under way at once. */
const AT_ONCE = 8;

/** A run that is dated so far ahead of the service's present is worth a line in the log, in milliseconds. */
const FAR_AHEAD_MS = 10 * 60_000;

/** How many open runs are asked for one by one; of more the list is read. */
const MAX_SINGLE = 10;

/** How many events one poll brings at most; what is left comes with the next one. */
const MAX_EVENTS = 500;

/** Something that happened to a run, and the run as the service tells it. */
export interface PolledEvent {
	event: RunEvent;
	run: JsonObject;
}

export interface RunPollerOptions {
	client: ServiceClient;
	filter: EventFilter;
	/** Whether there is time for more requests. */
	hasTime(): boolean;
}

/** An example of an event, if there is one, and what it was looked for in. */
interface Sample {
	latest?: PolledEvent;
	/** How many runs were listed. */
	count: number;
	/** The statuses in which they were listed; empty for all. */
	statuses: readonly RunStatus[];
}

/** What was found out about a run. */
interface Reading {
	status: RunStatus;
	events: PolledEvent[];
}

/**
 * Finds out by looking at the list of runs what happened to them. Each poll takes another one. The cursor
 * that it is given moves on, and goes with its events: both are to be kept, or neither.
 */
export class RunPoller {
	readonly events: PolledEvent[] = [];
	/** Runs that could not be read although the service answers about others. They stay open, to be read by the next poll. */
	readonly unread: Array<{ taskId: string; error: ServiceError }> = [];
	/** The IDs of new runs that are dated far ahead of the service's present. */
	readonly odd: string[] = [];
	/** Where it is: it moves on with everything that is found. */
	cursor: PollCursor;
	private readonly list: RunList;

	constructor(private readonly options: RunPollerOptions) {
		const { client, filter } = options;
		this.list = new RunList(client, filter.botId);
		this.cursor = new PollCursor(filter.botId, 0);
	}

	/**
	 * The cursor of a first poll: what is there now counts as seen, and the runs still going on are open.
	 *
	 * @param from the moment from which on runs count as new, in milliseconds since 1970; by default
	 * everything that is there now is old
	 * @param now this machine's time, in milliseconds since 1970
	 */
	async begin(from: number | undefined, now: number): Promise<PollCursor> {
		const { client, filter } = this.options;
		const newest = from ?? (await this.list.findNewest())?.createdAt;
		const present = client.lastDate?.() ?? Infinity;
		const cursor = new PollCursor(filter.botId, Math.min(newest ?? now - 24 * 3_600_000, present));
		this.cursor = cursor;
		const record = (run: ListedRun): void =>
			cursor.runs.record(run.taskId, run.status, run.createdAt);
		const open = await this.list.readOpen(MAX_OPEN);
		open.filter((run) => from === undefined || run.createdAt < from).forEach(record);
		if (from !== undefined) cursor.forgetBefore(from);
		else if (newest !== undefined) {
			const there = await this.list.readWhole({ from: cursor.knownFrom });
			there.runs.forEach(record);
			cursor.advance(newestCreation(there.runs) ?? newest, present);
		}
		return cursor;
	}

	/**
	 * Looks at what has changed since the last poll: first at the runs created since, oldest first and
	 * a slice of time at once, then at the runs that were still going on. When the time is up, the
	 * cursor says where to go on. A run that cannot be read keeps no other from being told.
	 *
	 * @throws ServiceError or ConnectionError when the service could not be asked and nothing was found
	 */
	async poll(cursor: PollCursor): Promise<this> {
		this.cursor = cursor;
		const polled = await attempt(this.checkAll());
		if (!polled.ok && this.events.length === 0) throw polled.error;
		return this;
	}

	/**
	 * The latest run that fits, as an example of an event: looked for among the latest of each status that can be one.
	 *
	 * @returns also of how many runs it is the one, and their statuses where they are not of any
	 * @throws ServiceError or ConnectionError when the service could not be asked
	 */
	async sample(): Promise<Sample> {
		const { events } = this.options.filter;
		const fitting = RUN_STATUSES.filter((status) => {
			return eventsOf({ taskId: '', before: undefined, status }, { events }, {}).length > 0;
		});
		const isAny = fitting.length >= RUN_STATUSES.length - 1;
		const queries = isAny ? [{}] : fitting.map((status) => ({ status }));
		const read = async (query: object): Promise<ListedRun[]> => await this.list.readFirst(query);
		const runs = (await mapConcurrently(queries, AT_ONCE, read)).flat();
		const sample = { count: runs.length, statuses: isAny ? [] : fitting };
		for (const run of runs.sort((a, b) => b.createdAt - a.createdAt)) {
			if (!this.options.hasTime()) break;
			await this.checkListed([run]);
			const latest = this.events.at(-1);
			if (latest !== undefined) return { ...sample, latest };
		}
		const [unread] = this.unread;
		if (unread !== undefined) throw unread.error;
		return sample;
	}

	private async checkAll(): Promise<void> {
		const { cursor } = this;
		const seen = new Set<string>();
		let { from } = cursor;
		let isPutBack = false;
		// When the first slice was read: it may lack runs created since, even if it reaches into the future.
		let present = Infinity;
		for (;;) {
			const slice = await this.list.readSlice(from);
			for (const { taskId } of slice.runs) seen.add(taskId);
			const isDone = await this.checkListed(slice.runs);
			if (!slice.isWhole || !isDone) return;
			const end = slice.to ?? newestCreation(slice.runs);
			present = Math.min(present, slice.askedAt ?? Infinity);
			isPutBack = cursor.advance(end ?? from, present) || isPutBack;
			if (slice.to === undefined && !isPutBack) break;
			if (slice.to === undefined) isPutBack = false;
			from = slice.to ?? cursor.knownFrom;
			if (!this.goesOn()) return;
		}
		await this.checkOpen(cursor.runs.openTaskIds().filter((taskId) => !seen.has(taskId)));
	}

	private goesOn(): boolean {
		return this.options.hasTime() && this.events.length < MAX_EVENTS;
	}

	/** Looks at those runs of the list that have changed; first at those that were never looked at. */
	private async checkListed(listed: ListedRun[]): Promise<boolean> {
		const { runs } = this.cursor;
		const changed = listed.filter(({ taskId, status }) => runs.hasChanged(taskId, status));
		const old = changed.filter(({ taskId }) => runs.knows(taskId));
		const fresh = changed.filter(({ taskId }) => !runs.knows(taskId));
		const ahead = (this.options.client.lastDate?.() ?? Infinity) + FAR_AHEAD_MS;
		this.odd.push(...fresh.flatMap((run) => (run.createdAt > ahead ? run.taskId : [])));
		return await this.check([...fresh, ...old], async (run) => await this.readListed(run));
	}

	/** Looks at runs that are still going on and that the list has not shown. */
	private async checkOpen(taskIds: string[]): Promise<void> {
		const { runs } = this.cursor;
		const isMany = taskIds.length > MAX_SINGLE;
		const listed = isMany ? await this.list.readOpen(taskIds.length) : [];
		const statuses = new Map(listed.map(({ taskId, status }) => [taskId, status]));
		const open = taskIds
			.filter((taskId) => !statuses.has(taskId) || statuses.get(taskId) !== runs.statusOf(taskId))
			.map((taskId) => ({ taskId, createdAt: 0 }));
		await this.check(open, async ({ taskId }) => await this.readOpen(taskId));
	}

	/**
	 * Looks at runs, some at once, and each by itself: one that cannot be read is to be read again.
	 *
	 * @returns whether there was time for all of them; some are looked at in any case
	 */
	private async check<Run extends { taskId: string; createdAt: number }>(
		runs: Run[],
		read: (run: Run) => Promise<Reading | undefined>,
	): Promise<boolean> {
		for (let first = 0; first < runs.length; first += AT_ONCE) {
			if (first > 0 && !this.goesOn()) return false;
			const group = runs.slice(first, first + AT_ONCE);
			const checks = await Promise.all(
				group.map(async (run) => ({ run, check: await attempt(read(run)) })),
			);
			for (const { run, check } of checks) this.take(run.taskId, run.createdAt, check);
			for (const { check } of checks) {
				if (!check.ok && !concernsOneRun(check.error)) throw check.error;
			}
		}
		return true;
	}

	private take(taskId: string, createdAt: number, check: Attempt<Reading | undefined>): void {
		if (!check.ok) {
			if (!concernsOneRun(check.error)) return;
			this.unread.push({ taskId, error: check.error });
			this.cursor.runs.record(taskId, undefined, createdAt);
		} else if (check.value === undefined) {
			this.cursor.runs.forget(taskId);
		} else {
			this.cursor.runs.record(taskId, check.value.status, createdAt);
			this.events.push(...check.value.events);
		}
	}

	/** Reads a run that the list shows in another status, as far as somebody wants to know of it. */
	private async readListed({ taskId, status, record }: ListedRun): Promise<Reading> {
		const { events } = this.toReading(taskId, { ...record, status });
		if (events.length === 0) return { status, events };
		const run = await ifKnown(readRun(this.options.client, V3_RUNS, taskId));
		return this.toReading(taskId, run ?? record);
	}

	/** Reads an open run that the list has not shown. Undefined when the service does not know it any more. */
	private async readOpen(taskId: string): Promise<Reading | undefined> {
		const { client } = this.options;
		const { runs } = this.cursor;
		if (runs.statusOf(taskId) !== undefined) {
			const status = await ifKnown(readStatus(client, V3_RUNS, taskId));
			if (status === undefined) return undefined;
			if (!runs.hasChanged(taskId, status)) return { status, events: [] };
		}
		const run = await ifKnown(readRun(client, V3_RUNS, taskId));
		return run === undefined ? undefined : this.toReading(taskId, run);
	}

	private toReading(taskId: string, run: JsonObject): Reading {
		const status = toRunStatus(run.status);
		const change = { taskId, before: this.cursor.runs.statusOf(taskId), status };
		const events = eventsOf(change, this.options.filter, run);
		return { status, events: events.map((event) => ({ event, run })) };
	}
}

/** Whether the service failed to tell of this run only, as far as one answer can show that. */
function concernsOneRun(error: unknown): error is ServiceError {
	if (!(error instanceof ServiceError)) return false;
	const { code, httpStatus } = error.facts;
	return code !== NOT_AUTHORIZED && httpStatus !== NOT_AUTHORIZED && httpStatus !== 429;
}
