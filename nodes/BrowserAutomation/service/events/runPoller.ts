import { attempt, type Attempt } from '../attempt';
import { mapConcurrently } from '../concurrency';
import type { ServiceClient } from '../http/client';
import { isKeyRefusal } from '../http/retry';
import { ServiceError } from '../errors';
import type { JsonObject } from '../json/json';
import { MAX_OPEN, PollCursor } from './pollCursor';
import { eventsOf, type EventFilter, type RunEvent } from './runEvents';
import { newestOf, RunList, type ListedRun } from '../runs/runList';
import { ifKnown, readRun, readStatus } from '../runs/oneRun';
import { botIdOf } from '../runs/schemas';
import { RUN_STATUSES, type RunStatus, toRunStatus, V3_RUNS } from '../runs/runApi';

/** How many runs are read at once. */
const AT_ONCE = 8;

/** How many open runs are read one by one. If there are more, the list is read first. */
const MAX_SINGLE_READS = 10;

/** After about so many events a poll ends. The next one goes on. */
const MAX_EVENTS = 500;

/** An event, and the run as the service shows it. */
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

/** A run's status, and the events that its change makes. */
interface Reading {
	status: RunStatus;
	events: PolledEvent[];
}

/**
 * The cursor for a first poll. The present runs count as reported, except those created since `from`; those that have not ended
 * are open. Moments are in milliseconds since 1970, `now` by this machine's clock.
 *
 * @throws ServiceError or ConnectionError
 */
export async function firstCursor(
	client: ServiceClient,
	botId: string | undefined,
	from: number | undefined,
	now: number,
): Promise<PollCursor> {
	const list = new RunList(client, botId);
	const newest = from ?? (await list.findNewest())?.createdAt;
	const present = client.lastDate?.() ?? Infinity;
	const cursor = new PollCursor(Math.min(newest ?? now - 24 * 3_600_000, present));
	const record = (run: ListedRun): void =>
		cursor.runs.record(run.taskId, run.status, run.createdAt);
	const open = await list.readOpen(MAX_OPEN);
	open.filter((run) => from === undefined || run.createdAt < from).forEach(record);
	if (from !== undefined) cursor.forgetBefore(from);
	else if (newest !== undefined) {
		const recent = await list.readWhole({ from: cursor.knownFrom });
		recent.runs.forEach(record);
		cursor.advance(newestOf(recent.runs)?.createdAt ?? newest, present);
	}
	return cursor;
}

/**
 * Finds the events since the last poll from the list of runs. Make a new one for each poll. The cursor moves with
 * the events: keep both, or neither.
 */
export class RunPoller {
	readonly events: PolledEvent[] = [];
	/** Runs that could not be read although others could. They stay open: the next poll reads them. */
	readonly unread: Array<{ taskId: string; error: ServiceError }> = [];
	/** Whether the poll has ended because it found so many events: the next one goes on. */
	foundTooMany = false;
	private readonly list: RunList;

	constructor(
		private readonly options: RunPollerOptions,
		private readonly cursor: PollCursor,
	) {
		const { client, filter } = options;
		this.list = new RunList(client, filter.botId);
	}

	/**
	 * Reads what has changed since the last poll: the runs created since, oldest first and by slices of time, then the open ones.
	 *
	 * @throws ServiceError or ConnectionError when the service could not be read and nothing was found
	 */
	async poll(): Promise<this> {
		const polled = await attempt(this.checkAll());
		if (!polled.ok && this.events.length === 0) throw polled.error;
		return this;
	}

	/**
	 * Finds an example of an event: the latest run that fits and has items, among the latest runs of each fitting status.
	 *
	 * @returns its items, if any; how many runs were searched, whether one of them fitted, and the statuses searched, empty for all
	 * @throws ServiceError or ConnectionError when the service could not be read
	 */
	async sample<Item>(toItems: (events: PolledEvent[]) => Promise<Item[]>) {
		const { events } = this.options.filter;
		const fitting = RUN_STATUSES.filter((status) => {
			return eventsOf({ taskId: '', before: undefined, status }, { events }, {}).length > 0;
		});
		const isAny = fitting.length >= RUN_STATUSES.length - 1;
		const queries = isAny ? [{}] : fitting.map((status) => ({ status }));
		const read = async (query: object): Promise<ListedRun[]> => await this.list.readFirst(query);
		const runs = (await mapConcurrently(queries, AT_ONCE, read)).flat();
		const searched = { count: 0, hasFitting: false, statuses: isAny ? [] : fitting };
		for (const run of runs.sort((a, b) => b.createdAt - a.createdAt)) {
			if (!this.options.hasTime()) break;
			searched.count += 1;
			await this.checkListed([run]);
			const found = this.events.splice(0);
			searched.hasFitting ||= found.length > 0;
			const items = await toItems(found.slice(-1));
			if (items.length > 0) return { ...searched, items };
		}
		const [unread] = this.unread;
		if (unread !== undefined) throw unread.error;
		return { ...searched, items: [] };
	}

	private async checkAll(): Promise<void> {
		const { cursor } = this;
		const seen = new Set<string>();
		const { partialAt: partialBefore = -Infinity } = cursor;
		let partialAt: number | undefined;
		let { from } = cursor;
		let isPutBack = false;
		// The service's time at the first slice: runs created after it may be missing, even if a slice reaches further.
		let present = Infinity;
		for (;;) {
			const slice = await this.list.readSlice(from);
			for (const { taskId } of slice.runs) seen.add(taskId);
			// The service may list more than it was asked for.
			const isNews = ({ taskId, createdAt }: ListedRun): boolean =>
				createdAt >= cursor.knownFrom || cursor.runs.knows(taskId);
			const isDone = await this.checkListed(slice.runs.filter(isNews));
			if (!isDone) return;
			const end = slice.to ?? newestOf(slice.runs)?.createdAt ?? from;
			if (!slice.isWhole) {
				partialAt = cursor.partialAt = end;
				// The next poll reads this part again. If it is still partial then, it may stay so.
				if (partialBefore < from) break;
			}
			present = Math.min(present, slice.askedAt ?? Infinity);
			isPutBack = cursor.advance(end, present) || isPutBack;
			if (slice.to === undefined && !isPutBack) {
				cursor.partialAt = partialAt;
				break;
			}
			if (slice.to === undefined) isPutBack = false;
			from = slice.to ?? cursor.knownFrom;
			if (!this.hasBudget()) return;
		}
		await this.checkOpen(cursor.runs.taskIdsToCheck().filter((taskId) => !seen.has(taskId)));
	}

	private hasBudget(): boolean {
		this.foundTooMany = this.events.length >= MAX_EVENTS;
		return this.options.hasTime() && !this.foundTooMany;
	}

	/** Reads those runs of the list that have changed, new ones first. @returns as `check` */
	private async checkListed(listed: ListedRun[]): Promise<boolean> {
		const { runs } = this.cursor;
		const changed = listed.filter(({ taskId, status }) => runs.hasChanged(taskId, status));
		const old = changed.filter(({ taskId }) => runs.knows(taskId));
		const fresh = changed.filter(({ taskId }) => !runs.knows(taskId));
		return await this.check([...fresh, ...old], async (run) => await this.readListed(run));
	}

	private async checkOpen(taskIds: string[]): Promise<void> {
		const { runs } = this.cursor;
		const isMany = taskIds.length > MAX_SINGLE_READS;
		const listed = isMany ? await this.list.readOpen(taskIds.length) : [];
		const statuses = new Map(listed.map(({ taskId, status }) => [taskId, status]));
		const open = taskIds
			.filter((taskId) => !statuses.has(taskId) || statuses.get(taskId) !== runs.statusOf(taskId))
			.map((taskId) => ({ taskId, createdAt: 0 }));
		await this.check(open, async ({ taskId }) => await this.readOpen(taskId));
	}

	/** Reads runs, some at once. @returns whether there was time for all of them; the first ones are read in any case */
	private async check<Run extends { taskId: string; createdAt: number }>(
		runs: Run[],
		read: (run: Run) => Promise<Reading | undefined>,
	): Promise<boolean> {
		for (let first = 0; first < runs.length; first += AT_ONCE) {
			if (first > 0 && !this.hasBudget()) return false;
			const group = runs.slice(first, first + AT_ONCE);
			const checks = await Promise.all(
				group.map(async (run) => ({ run, check: await attempt(read(run)) })),
			);
			for (const { run, check } of checks) this.record(run.taskId, run.createdAt, check);
			for (const { check } of checks) {
				if (!check.ok && !concernsOneRun(check.error)) throw check.error;
			}
		}
		return true;
	}

	private record(taskId: string, createdAt: number, check: Attempt<Reading | undefined>): void {
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

	/** Reads a run whose status on the list has changed, if that makes a wanted event. */
	private async readListed({ taskId, status, record }: ListedRun): Promise<Reading> {
		const { events } = this.toReading(taskId, { ...record, status });
		if (events.length === 0) return { status, events };
		const run = await ifKnown(readRun(this.options.client, V3_RUNS, taskId));
		return this.toReading(taskId, run ?? record);
	}

	/** Reads an open run that was not on the list. Undefined when the service no longer knows it. */
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
		const { filter } = this.options;
		const status = toRunStatus(run.status);
		const change = { taskId, before: this.cursor.runs.statusOf(taskId), status };
		// The list is of the bot's runs alone, and need not name it.
		const bot_id = botIdOf(run) ?? filter.botId ?? null;
		const events = eventsOf(change, filter, { ...run, bot_id });
		return { status, events: events.map((event) => ({ event, run })) };
	}
}

/** Whether an error concerns one run, not the whole service, as far as one answer can show. */
function concernsOneRun(error: unknown): error is ServiceError {
	return error instanceof ServiceError && !isKeyRefusal(error) && error.facts.httpStatus !== 429;
}
