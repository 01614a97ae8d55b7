import { attempt } from '../attempt';
import { mapConcurrently } from '../concurrency';
import type { ServiceClient } from '../http/client';
import { RUN_NOT_FOUND } from '../http/errorCodes';
import { hasCode, ServiceError } from '../errors';
import { isJsonObject, textAt, type JsonObject, type JsonValue } from '../json/json';
import { readList, toPage, type Page } from '../http/pages';
import { isTransient } from '../http/retry';
import { type RunApi, type RunStatus, toRunStatus, V3_RUNS } from './runApi';
import { TtlCache } from '../ttlCache';

/** From this many runs on, reading the list takes fewer requests than asking about each. */
const LIST_FROM = 4;

/** Pages to look through beyond those that our own runs would fill: others' runs are on them too. */
const SPARE_PAGES = 2;

/** How far the service's clock may be behind ours, in milliseconds, before the list is cut too short. */
const CLOCK_MARGIN_MS = 600_000;

/** How many runs are asked about one by one at the same time. */
const SINGLES_AT_ONCE = 10;

/** What is known of a run: its status, or why the service tells none. */
export type StatusAnswer = RunStatus | ServiceError;

interface ReadingOptions {
	since?: number | undefined;
	maxSingles?: number;
	onRecord?(taskId: string, record: JsonObject): void;
}

/**
 * The statuses of many runs in few requests: some pages of the list, and one request for each run
 * that is not on them. A run that the service refuses to tell about has its refusal.
 *
 * @param since when the first of the runs was started, in milliseconds since 1970, if that is known: the
 * list then need not be newest first (its order is "not shown")
 * @param mostSingles how many runs may be asked about one by one: nothing is said of the others
 * @param onRecord receives all that was read of a run; a single one is then read with its details
 * @throws ServiceError, ConnectionError or CanceledError when the service could not be asked
 */
export async function readStatuses(
	client: ServiceClient,
	api: RunApi,
	taskIds: string[],
	{ since, maxSingles = Infinity, onRecord }: ReadingOptions = {},
): Promise<Map<string, StatusAnswer>> {
	const found = new Map<string, StatusAnswer>();
	const wanted = new Set(taskIds);
	const recordStatus = (taskId: string, record: JsonObject): void => {
		found.set(taskId, toAnswer(client.baseUrl, api, taskId, record.status));
		onRecord?.(taskId, record);
	};
	const limit = api.listLimit;
	const from = since === undefined ? undefined : new Date(since - CLOCK_MARGIN_MS).toISOString();
	const readPage = async (page: number): Promise<Page> => {
		const request = api.listRequest({ page, limit, created_at_from: from });
		const read = toPage(await client.send(request));
		for (const record of read.items) {
			const taskId = textAt(record, api.idName) ?? '';
			if (wanted.delete(taskId)) recordStatus(taskId, record);
		}
		return read;
	};
	const max = (Math.ceil(wanted.size / limit) + SPARE_PAGES) * limit;
	const isEnough = (): boolean => wanted.size === 0;
	const listed = await attempt(async () => {
		if (wanted.size >= LIST_FROM) await readList({ readPage, max, isEnough });
	});
	// A service without this list (V2: it is not in the interface) refuses; then each run is asked about.
	if (!listed.ok && (isTransient(listed.error) || !(listed.error instanceof ServiceError))) {
		throw listed.error;
	}
	const missing = [...wanted].slice(0, maxSingles);
	await mapConcurrently(missing, SINGLES_AT_ONCE, async (taskId) => {
		const request = onRecord === undefined ? api.stateRequest(taskId) : api.detailRequest(taskId);
		const read = await attempt(client.send(request));
		if (read.ok) recordStatus(taskId, isJsonObject(read.value) ? read.value : {});
		else if (hasCode(read.error, RUN_NOT_FOUND)) found.set(taskId, read.error);
		else throw read.error;
	});
	return found;
}

/** After so many looks in a row that tell no status of the interface, a run is not waited for any more. */
const STRANGE_POLLS = 5;

/** How many looks in a row told no status of the interface, by service and run. */
const strangePolls = new TtlCache<number>(10_000);

/** For how long they are remembered, in milliseconds. */
const STRANGE_FOR_MS = 3_600_000;

/** What a look has told of a run; where looks keep telling what the interface does not know, that. */
function toAnswer(baseUrl: string, api: RunApi, taskId: string, stated?: JsonValue): StatusAnswer {
	const key = `${baseUrl} ${taskId}`;
	const status = toRunStatus(stated);
	// V2 has a status of that name.
	if (status !== 'unknown' || (api.name === 'v2' && stated === status)) {
		strangePolls.delete(key);
		return status;
	}
	const polls = (strangePolls.get(key) ?? 0) + 1;
	strangePolls.set(key, polls % STRANGE_POLLS, Date.now() + STRANGE_FOR_MS);
	if (polls < STRANGE_POLLS) return status;
	const said =
		stated === undefined ? 'no status' : `the status ${JSON.stringify(stated).slice(0, 80)}`;
	return new ServiceError(
		`The service reports ${said} for run ${taskId}, which this node does not know`,
		'The run may still be working. Look at it in the service and update this package before you start it again.',
	);
}

/** As many as a plan runs at a time (docs/service.md: Limits). */
const LATEST_RUNNING = 20;

/** The account's running runs. */
export interface Running {
	/** How many there are; undefined where the service does not tell. */
	count: number | undefined;
	/** The IDs of the latest of them. */
	taskIds: Set<string>;
}

/** Which runs of the account are running (docs/service.md: V3 bots and templates). Never throws. */
export async function readRunning(client: ServiceClient): Promise<Running> {
	const request = V3_RUNS.listRequest({ status: 'running', limit: LATEST_RUNNING });
	const read = await attempt(async () => toPage(await client.send(request)));
	const { items = [], totalCount: count } = read.ok ? read.value : {};
	const running = items.filter(({ status }) => status === 'running');
	return { count, taskIds: new Set(running.flatMap((run) => textAt(run, V3_RUNS.idName) ?? [])) };
}
