import type { ServiceClient } from '../http/client';
import { textAt, type JsonObject } from '../json/json';
import { MAX_PAGES, readList, toPage, type Page } from '../http/pages';
import { type RunStatus, toRunStatus, V3_RUNS } from './runApi';

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
	/** Inclusive, in milliseconds since 1970, like `to`. */
	from?: number | undefined;
	to?: number | undefined;
	status?: RunStatus | undefined;
}

/** A part of the list. It is not whole when the list kept shifting while it was read, or goes on. */
interface RunListSlice {
	runs: ListedRun[];
	isWhole: boolean;
	/** Whether there are more pages than were to be read. */
	goesOn: boolean;
	/** Where it ends, in milliseconds since 1970; undefined when it goes up to now. */
	to?: number | undefined;
	/** The service's time when it was asked for the slice; undefined where it did not tell. */
	askedAt: number | undefined;
}

/** The statuses of a run that has not ended. */
const OPEN_STATUSES: readonly RunStatus[] = ['created', 'running', 'pausing', 'paused'];

/** The list of runs (docs/service.md: V3 bots and templates): of a bot, or of all. */
export class RunList {
	constructor(
		private readonly client: ServiceClient,
		private readonly botId?: string,
	) {}

	/** Reads the first page. */
	async readFirst(query: RunListQuery = {}): Promise<ListedRun[]> {
		return toListedRuns((await this.readPage(query, 1)).items);
	}

	private async readPage({ from, to, status }: RunListQuery, page: number): Promise<Page> {
		const request = V3_RUNS.listRequest({
			bot_id: this.botId,
			created_at_from: from === undefined ? undefined : new Date(from).toISOString(),
			created_at_to: to === undefined ? undefined : new Date(to).toISOString(),
			status,
			page,
			limit: V3_RUNS.listLimit,
		});
		return toPage(await this.client.send({ ...request, expects: 'list' }));
	}

	/**
	 * Reads the runs that have not ended, a hundred with each request.
	 *
	 * @param max no more is read when so many of one status were found
	 */
	async readOpen(max: number): Promise<ListedRun[]> {
		const open: ListedRun[] = [];
		for (const status of OPEN_STATUSES) {
			const readPage = async (page: number): Promise<Page> => await this.readPage({ status }, page);
			const { items } = await readList({ readPage, max });
			open.push(...toListedRuns(items));
		}
		return open;
	}

	/**
	 * Reads the oldest runs from a moment on, at most so many pages: the time is halved until they fit.
	 * What is in the past does not shift any more, and nothing is assumed about the order of the list.
	 */
	async readSlice(from: number): Promise<RunListSlice> {
		let to: number | undefined;
		for (let maxPages = SLICE_PAGES; ;) {
			const slice = await this.readWhole({ from, to }, maxPages);
			if (!slice.goesOn || maxPages === MAX_PAGES) return { ...slice, to };
			const middle = Math.floor((from + (to ?? newestCreation(slice.runs) ?? from)) / 2);
			// No halving parts runs of one moment.
			if (middle > from) to = middle;
			else maxPages = MAX_PAGES;
		}
	}

	/** Reads all runs of a span of time. When runs vanish under the reading, the list is read again. */
	async readWhole(query: RunListQuery = {}, maxPages = MAX_PAGES): Promise<RunListSlice> {
		const found = new Map<string, ListedRun>();
		let askedAt: number | undefined;
		let isWhole = false;
		let goesOn = false;
		const readPage = async (page: number): Promise<Page> => {
			const read = await this.readPage(query, page);
			askedAt ??= this.client.lastDate?.();
			return read;
		};
		for (let reading = 1; reading <= READINGS && !isWhole && !goesOn; reading++) {
			const { items, end } = await readList({ readPage, maxPages });
			for (const run of toListedRuns(items)) found.set(run.taskId, run);
			goesOn = end.next !== undefined;
			isWhole = !goesOn && !end.shrank && found.size >= (end.announced ?? 0);
		}
		return { runs: [...found.values()], isWhole, goesOn, askedAt };
	}

	/** The run that was created last, of this status or of any, whatever order the list has; undefined when there is none. */
	async findNewest(status?: RunStatus): Promise<ListedRun | undefined> {
		let newest: ListedRun | undefined;
		for (let page = 1; page <= MAX_PAGES; page++) {
			const found = newestOf(await this.readFirst({ from: newest?.createdAt, status }));
			if (found === undefined || found.createdAt <= (newest?.createdAt ?? -Infinity)) break;
			newest = found;
		}
		return newest;
	}
}

function toListedRuns(records: JsonObject[]): ListedRun[] {
	return records.flatMap((record) => {
		const taskId = textAt(record, 'task_id');
		const createdAt = Date.parse(textAt(record, 'created_at') ?? '');
		if (taskId === undefined || Number.isNaN(createdAt)) return [];
		return [{ taskId, createdAt, status: toRunStatus(record.status), record }];
	});
}

/**
 * The run that was created last. A date in the far future does not count: who goes on from there would hear of
 * no run again.
 */
function newestOf(runs: ListedRun[]): ListedRun | undefined {
	const latest = Date.now() + MS_PER_YEAR;
	const dated = runs.filter(({ createdAt }) => createdAt <= latest);
	return dated.sort((a, b) => b.createdAt - a.createdAt)[0];
}

/** When the newest of some runs was created, in milliseconds since 1970; undefined where there are none. */
export function newestCreation(runs: ListedRun[]): number | undefined {
	return newestOf(runs)?.createdAt;
}
