import type { ServiceClient } from '../http/client';
import { textAt, type JsonObject } from '../json/json';
import { MAX_PAGES, readList, toPage, type Page } from '../http/pages';
import { momentOf } from '../schema/dateTime';
import { type RunStatus, toRunStatus, V3_RUNS } from './runApi';

/** How many pages a slice of the list may have. The last one may be empty. */
const SLICE_PAGES = 3;

/** How often a list is read that changes during the reading. */
const READINGS = 3;

/** A run dated this far after this machine's time has no useful date, in milliseconds. */
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

/** A part of the list. It is not whole where it goes on, or changed during each reading. */
interface RunListSlice {
	runs: ListedRun[];
	isWhole: boolean;
	/** Whether there are more pages than `maxPages`. */
	goesOn: boolean;
	/** Its end, in milliseconds since 1970. Undefined where it goes up to now. */
	to?: number | undefined;
	/** The service's time at the first request. Undefined where it did not state it. */
	askedAt: number | undefined;
}

/** The statuses of a run that has not ended. */
const OPEN_STATUSES: readonly RunStatus[] = ['created', 'running', 'pausing', 'paused'];

/** The list of runs of a bot, or of all bots (docs/service.md: V3 bots and templates). */
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
	 * @param max how many runs of each status are read, a page at least
	 */
	async readOpen(max: number): Promise<ListedRun[]> {
		const open: ListedRun[] = [];
		for (const status of OPEN_STATUSES) {
			const readPage = async (page: number): Promise<Page> => await this.readPage({ status }, page);
			const { items } = await readList({ readPage, max: Math.max(max, V3_RUNS.listLimit) });
			open.push(...toListedRuns(items));
		}
		return open;
	}

	/**
	 * Reads the oldest runs since a moment. Halves the span of time until they fit into `SLICE_PAGES`. Past runs do
	 * not move to other pages any more, and the list may have any order.
	 */
	async readSlice(from: number): Promise<RunListSlice> {
		let to: number | undefined;
		for (let maxPages = SLICE_PAGES; ;) {
			const slice = await this.readWhole({ from, to }, maxPages);
			if (!slice.goesOn || maxPages === MAX_PAGES) return { ...slice, to };
			const middle = Math.floor((from + (to ?? newestOf(slice.runs)?.createdAt ?? from)) / 2);
			// Runs of one moment cannot be divided.
			if (middle > from) to = middle;
			else maxPages = MAX_PAGES;
		}
	}

	/** Reads all runs of a span of time. Reads them again if some move to other pages meanwhile. */
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

	/** The run that was created last, of this status or of any. The list may have any order. Undefined without runs. */
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
		const createdAt = momentOf(textAt(record, 'created_at'));
		if (taskId === undefined || Number.isNaN(createdAt)) return [];
		return [{ taskId, createdAt, status: toRunStatus(record.status), record }];
	});
}

/** The run that was created last. Ignores dates in the far future: a poll that begins there would find no run again. */
export function newestOf(runs: ListedRun[]): ListedRun | undefined {
	const latest = Date.now() + MS_PER_YEAR;
	const dated = runs.filter(({ createdAt }) => createdAt <= latest);
	return dated.sort((a, b) => b.createdAt - a.createdAt)[0];
}
