import { attempt } from '../attempt';
import { mapConcurrently } from '../concurrency';
import type { ServiceClient } from '../http/client';
import { RUN_NOT_FOUND, TOO_MANY_REQUESTS } from '../http/errorCodes';
import { hasCode, ServiceError } from '../errors';
import { objectIn, textAt, type JsonObject, type JsonValue } from '../json/json';
import { readList, toPage, type Page } from '../http/pages';
import { isTransient } from '../http/retry';
import { type RunApi, type RunStatus, toRunStatus, V3_RUNS } from './runApi';
import { memoryOf } from '../processMemory';
import { startOf } from '../text';

/** From this many runs on, the list takes fewer requests than reading each run. */
const LIST_FROM = 4;

/** How many more pages are read than our own runs would fill. Other runs are on them, too. */
const SPARE_PAGES = 2;

/** How far the service's clock may be behind ours, in milliseconds. */
const CLOCK_MARGIN_MS = 600_000;

/** How many single runs are read at once. */
const SINGLES_AT_ONCE = 10;

/** A run's status, or why the service does not show it. */
export type StatusAnswer = RunStatus | ServiceError;

export interface ReadingOptions {
	since?: number | undefined;
	isFinal?: boolean;
	maxSingles?: number;
	onRecord?(taskId: string, record: JsonObject): void;
	onAnswers?(answers: ReadonlyMap<string, StatusAnswer>): void;
}

/**
 * Reads the statuses of many runs in few requests: some pages of the list, then one request for each run that is not on them. A
 * run that the service does not know has its refusal in place of a status; one that was just started, only after several such answers.
 *
 * @param since when the first of the runs was started, in milliseconds since 1970, if known. The list is then read from there,
 * so that its order does not matter, which the interface does not state.
 * @param isFinal whether a run that the service does not know is gone; by default, where it may have been started elsewhere
 * @param maxSingles how many runs are read one by one; others are left out
 * @param onRecord gets what was read of each run; runs that are read one by one come with their details
 * @param onAnswers gets each part of the result as soon as it was read, also if the reading of others fails
 * @throws ServiceError, ConnectionError or CanceledError when the service could not be read
 */
export async function readStatuses(
	client: ServiceClient,
	api: RunApi,
	taskIds: string[],
	options: ReadingOptions = {},
): Promise<Map<string, StatusAnswer>> {
	const { since, isFinal = since === undefined, maxSingles = Infinity } = options;
	const { onRecord, onAnswers } = options;
	const found = new Map<string, StatusAnswer>();
	const wanted = new Set(taskIds);
	const record = (answers: Array<[taskId: string, StatusAnswer]>): void => {
		for (const [taskId, answer] of answers) found.set(taskId, answer);
		onAnswers?.(new Map(answers));
	};
	const statusIn = (taskId: string, read: JsonObject): [string, StatusAnswer] => {
		onRecord?.(taskId, read);
		return [taskId, toAnswer(client, api, taskId, read.status)];
	};
	const limit = api.listLimit;
	const from = since === undefined ? undefined : new Date(since - CLOCK_MARGIN_MS).toISOString();
	const readPage = async (page: number): Promise<Page> => {
		const request = api.listRequest({ page, limit, created_at_from: from });
		const read = toPage(await client.send(request));
		record(
			read.items.flatMap((run) => {
				const taskId = textAt(run, api.idName) ?? '';
				return wanted.delete(taskId) ? [statusIn(taskId, run)] : [];
			}),
		);
		return read;
	};
	const max = (Math.ceil(wanted.size / limit) + SPARE_PAGES) * limit;
	const isEnough = (): boolean => wanted.size === 0;
	const listed = await attempt(async () => {
		if (wanted.size >= LIST_FROM) await readList({ readPage, max, isEnough });
	});
	if (!listed.ok && !mayReadSingles(listed.error)) throw listed.error;
	const isFault = !listed.ok && isTransient(listed.error);
	const all = [...wanted];
	const first = isFault ? Math.floor(Math.random() * all.length) : 0;
	const atMost = isFault ? Math.min(maxSingles, SINGLES_AT_ONCE) : maxSingles;
	const missing = [...all.slice(first), ...all.slice(0, first)].slice(0, atMost);
	await mapConcurrently(missing, isFault ? 1 : SINGLES_AT_ONCE, async (taskId) => {
		const request = onRecord === undefined ? api.stateRequest(taskId) : api.detailRequest(taskId);
		const read = await attempt(client.send(request));
		if (read.ok) record([statusIn(taskId, objectIn(read.value))]);
		else if (!tellsNothing(read.error)) throw read.error;
		else {
			const isGone = isFinal && hasCode(read.error, RUN_NOT_FOUND);
			record([[taskId, isGone ? read.error : strangeAnswer(client, taskId, read.error)]]);
		}
	});
	if (isFault && missing.length < wanted.size) throw listed.error;
	return found;
}

/**
 * Whether single runs may be read although the list could not be: all, where the service has none (V2's is not in the interface), or
 * some, any of them, where it has a fault. Not where it asks to slow down.
 */
function mayReadSingles(error: unknown): boolean {
	const isSlowdown = error instanceof ServiceError && error.facts.httpStatus === TOO_MANY_REQUESTS;
	return !isSlowdown && (error instanceof ServiceError || isTransient(error));
}

/** The wait for a run ends after so many answers in a row that tell nothing, over so long, in milliseconds. */
const STRANGE_POLLS = 5;
const STRANGE_SPAN_MS = 60_000;

/** How many answers in a row told nothing, and when the first of them came, by service and run. */
const strangePolls = memoryOf<{ polls: number; since: number }>('strangeStatuses');

/** For how long these counts are remembered, in milliseconds. */
const STRANGE_FOR_MS = 3_600_000;

function strangeKey({ baseUrl }: ServiceClient, taskId: string): string {
	return `${baseUrl} ${taskId}`;
}

/** The status in an answer. After several answers without a status of the interface, an error. */
function toAnswer(
	client: ServiceClient,
	api: RunApi,
	taskId: string,
	stated?: JsonValue,
): StatusAnswer {
	const status = toRunStatus(stated);
	// V2 has a status `unknown`.
	if (status !== 'unknown' || (api.name === 'v2' && stated === status)) {
		strangePolls.delete(strangeKey(client, taskId));
		return status;
	}
	const said =
		stated === undefined ? 'no status' : `the status ${startOf(JSON.stringify(stated), 80)}`;
	const error = new ServiceError(
		`The service reports ${said} for run ${taskId}, which this node does not know`,
		'The run may still be working. Look at it in the service and update this package before you start it again.',
	);
	return strangeAnswer(client, taskId, error);
}

/** Whether an answer came that tells nothing of the run: it is about another one, or the service does not know it, if only yet. */
function tellsNothing(error: unknown): error is ServiceError {
	if (!(error instanceof ServiceError)) return false;
	const { code, httpStatus } = error.facts;
	return code === RUN_NOT_FOUND || (httpStatus === 200 && code === undefined);
}

/** `unknown` for an answer that tells nothing of a run; the error after several in a row. */
function strangeAnswer(client: ServiceClient, taskId: string, error: ServiceError): StatusAnswer {
	const key = strangeKey(client, taskId);
	const now = Date.now();
	const { polls, since } = strangePolls.get(key) ?? { polls: 0, since: now };
	const isLast = polls + 1 >= STRANGE_POLLS && now - since >= STRANGE_SPAN_MS;
	if (isLast) strangePolls.delete(key);
	else strangePolls.set(key, { polls: polls + 1, since }, now + STRANGE_FOR_MS);
	return isLast ? error : 'unknown';
}

/** How many runs a plan runs at once (docs/service.md: Limits). */
const LATEST_RUNNING = 20;

/** The IDs of the account's latest running runs (docs/service.md: V3 bots and templates). Never throws. */
export async function readRunning(client: ServiceClient): Promise<Set<string>> {
	const request = V3_RUNS.listRequest({ status: 'running', limit: LATEST_RUNNING });
	const read = await attempt(async () => toPage(await client.send(request)));
	const { items = [] } = read.ok ? read.value : {};
	const running = items.filter(({ status }) => status === 'running');
	return new Set(running.flatMap((run) => textAt(run, V3_RUNS.idName) ?? []));
}
