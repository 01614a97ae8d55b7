import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { attempt } from '../../../service/attempt';
import { numberIn, textAt, type JsonObject } from '../../../service/json/json';
import { isOfGateway, isTransient } from '../../../service/http/retry';
import { toRunStatus, withProfile } from '../../../service/runs/runs';
import type { HelpfulError } from '../../../service/errors';
import { nameList, quotedList } from '../../../service/schema/wording';
import { mapConcurrently } from '../../../service/concurrency';
import { continuesAfter, failureItem, failureItems, sentences, toNodeError } from '../../failures';
import { costHint, giveHint } from '../../hints';
import type { ItemResult } from '../../executable';
import { cancelSignalOf, pause } from '../../../transport/cancellation';
import { withInput } from '../../runResult';
import { recordStatus } from './records';
import { refusedError, runFailure, uncertainRefusal, waitLimitError } from './runErrors';
import {
	type Entry,
	idsOf,
	isStarted,
	isWaitedFor,
	type Ledger,
	type StartedEntry,
	startedTaskIds,
} from './ledger';
import type { Pass } from './pass';

/**
 * The output items of all runs, in the order of the input and paired with it.
 *
 * @throws `batchError` for a run that failed, was refused or had not ended at the limit, unless the node goes on after failures
 */
export async function collectOutcomes(pass: Pass): Promise<INodeExecutionData[]> {
	const { context, runs, ledger } = pass;
	const { entries, settings } = ledger;
	const credits: number[] = [];
	const results = await mapConcurrently(entries, runs.concurrency, async (entry, itemIndex) => {
		try {
			const found = await outcomeOf(pass, entry, credits);
			const kept = withInput(context, itemIndex, found, settings);
			return kept.map((result) => ({ ...result, pairedItem: { item: itemIndex } }));
		} catch (error) {
			return [failureOf(pass, error, itemIndex)];
		}
	});
	giveHint(context, costHint(credits));
	const reused = entries.filter(({ isReused }) => isReused).length;
	const hint = `${reused} of ${entries.length} items got an earlier run of the same input ('Reuse Results For').`;
	if (reused > 0) giveHint(context, hint);
	giveHint(context, unknownFieldsHint(ledger));
	giveHint(context, refusedCancelsHint(ledger));
	return results.flat();
}

function unknownFieldsHint({ unknownFields: names = [] }: Ledger): string | undefined {
	if (names.length === 0) return undefined;
	const [fields, values] =
		names.length === 1 ? ['field', 'its value was'] : ['fields', 'their values were'];
	return `The bot has no ${fields} ${quotedList(names)} (any more); ${values} sent but may be ignored.`;
}

function refusedCancelsHint({ entries }: Ledger): string | undefined {
	const refused = entries
		.filter(isStarted)
		.filter((run) => run.cancelSentAt !== undefined && run.cancelReason === undefined);
	if (refused.length === 0) return undefined;
	return `The service has not accepted to cancel these runs: ${nameList(idsOf(refused))}.`;
}

async function outcomeOf(pass: Pass, entry: Entry, credits: number[]): Promise<ItemResult[]> {
	const { ledger, resultsOf } = pass;
	const { settings, waitMethod } = ledger;
	if (entry.refusal !== undefined) throw refusedError(entry.refusal);
	const isN8nsLimit = ledger.deadline < ledger.begunAt + settings.limitMs;
	const limitMs = isN8nsLimit ? undefined : settings.limitMs;
	if (!isStarted(entry)) throw waitLimitError(limitMs);
	if (waitMethod === 'none') return [{ json: startedRun(pass.runs, entry) }];
	const isUnfinished = isWaitedFor(ledger, entry);
	if (isN8nsLimit && isUnfinished) return [lastKnownOutcome(pass, entry)];
	if (isCanceledAtLimit(entry) || isUnfinished) return [await limitOutcome(pass, entry, limitMs)];
	const run = withProfile(await readPatiently(pass, entry), entry.profileId);
	recordStatus(entry, toRunStatus(run.status));
	if (entry.isReused !== true) credits.push(numberIn(run.credit));
	const failure = errorOfRun(entry, ledger, run);
	if (failure !== undefined) throw failure;
	return await resultsOf(run, entry.taskId);
}

function isCanceledAtLimit({ cancelReason, status }: Entry): boolean {
	return cancelReason === 'limit' && status === 'canceled';
}

/** Why a run has failed or was canceled, unless that is an output as well. @param run its details, if they could be read */
function errorOfRun(entry: Entry, { settings }: Ledger, run: JsonObject = {}) {
	return settings.failedAsOutput ? undefined : runFailure(entry, run, settings.cancelAfterMs);
}

/** Reads of a run's results before the node fails; and the first pause, doubled each time. */
const MAX_RESULT_READS = 4;
const FIRST_READ_PAUSE_MS = 5_000;

/** Reads a run that is waited for no more. It tries for half a minute or more where the service or a gateway has a fault, or its details lag behind. */
async function readPatiently(
	{ context, runs, lastRead }: Pass,
	{ taskId, status = 'unknown' }: StartedEntry,
): Promise<JsonObject> {
	if (lastRead?.taskId === taskId) return lastRead.run;
	for (let reads = 1; ; reads++) {
		const read = await attempt(runs.readEnded(taskId, status));
		if (read.ok) return read.value;
		const mayPass = isTransient(read.error) || isOfGateway(read.error);
		if (reads >= MAX_RESULT_READS || !mayPass) throw read.error;
		await pause(FIRST_READ_PAUSE_MS * 2 ** (reads - 1), cancelSignalOf(context));
	}
}

/** How long reading a run may take that has not ended. */
const LAST_READ_WITHIN_MS = 5_000;

/** The item of a run that had not ended at the wait limit, or was canceled then. @throws HelpfulError, if the user chose that */
async function limitOutcome(
	{ runs, ledger }: Pass,
	entry: StartedEntry,
	limitMs: number | undefined,
): Promise<ItemResult> {
	const { atLimit, output } = ledger.settings;
	const json = { ...startedRun(runs, entry), timed_out: true };
	if (atLimit === 'continue' && output !== 'raw') return { json };
	const read = await attempt(runs.endingBy(Date.now() + LAST_READ_WITHIN_MS).read(entry.taskId));
	if (atLimit === 'continue') {
		return { json: { ...json, ...(read.ok && withProfile(read.value, entry.profileId)) } };
	}
	const log = read.ok ? textAt(read.value, 'log_detail_url') : undefined;
	const { requestError, requestFailedAt = 0, polledAt = 0 } = ledger.activity;
	throw waitLimitError(limitMs, entry, log, requestFailedAt > polledAt ? requestError : undefined);
}

/**
 * The runs with their last known statuses, one for each item: the output if n8n ends the node before the results are read.
 *
 * @throws as `collectOutcomes`, for an item whose run has failed or cannot be read, or that has none as far as is known
 */
export function lastKnownOutcomes(pass: Pass): INodeExecutionData[] {
	return pass.ledger.entries.map((entry, itemIndex) => {
		const failure = isCanceledAtLimit(entry) ? undefined : errorOfRun(entry, pass.ledger);
		const error = missingRunError(entry) ?? failure;
		if (error === undefined && isStarted(entry)) {
			return { ...lastKnownOutcome(pass, entry), pairedItem: { item: itemIndex } };
		}
		return failureOf(pass, error, itemIndex);
	});
}

/** Why an item has no run that can be read, when n8n ends the node; undefined where it has one. */
function missingRunError(entry: Entry): HelpfulError | undefined {
	if (entry.isBeingSent) return refusedError(uncertainRefusal('n8n let this node wait no longer'));
	if (entry.refusal !== undefined) return refusedError(entry.refusal);
	return isStarted(entry) ? undefined : waitLimitError(undefined);
}

/** A run with its last known status, and a hint: how to read it later, and for agents whether another call starts another run. */
function lastKnownOutcome({ runs, ledger }: Pass, entry: StartedEntry): ItemResult {
	const isAwaited = isWaitedFor(ledger, entry);
	const hint = sentences(
		isAwaited
			? 'Still running, as far as is known: n8n lets this node wait no longer, and the run goes on. Read it with Run > Wait for Completion, or later with Run > Get.'
			: 'n8n lets this node wait no longer for the results: read them with Run > Get.',
		ledger.startsSince === undefined ? '' : 'Starting it again starts another run.',
	);
	const isLate = isAwaited || isCanceledAtLimit(entry);
	return { json: { ...startedRun(runs, entry), ...(isLate && { timed_out: true }), hint } };
}

/** A run's output item without its results. A task has its ID under the name of V2, too. */
function startedRun({ idName }: Pass['runs'], entry: StartedEntry): JsonObject {
	return { [idName]: entry.taskId, ...identityOf(entry) };
}

/** What is known of an item's run: its ID, last status, and browser profile. */
export function identityOf({ taskId, status, profileId }: Partial<Entry>): JsonObject {
	return {
		...(taskId !== undefined && { task_id: taskId }),
		...(status !== undefined && { status }),
		...(profileId !== undefined && { profile_id: profileId }),
	};
}

/** The output item of a failure. @throws the error, unless the node goes on after failures */
function failureOf(
	{ context, ledger }: Pass,
	error: unknown,
	itemIndex: number,
): INodeExecutionData {
	if (!continuesAfter(context, error)) throw batchError(context, error, itemIndex, ledger);
	return failureItem(context, error, itemIndex, identityOf(ledger.entries[itemIndex] ?? {}));
}

/** The NodeOperationError or NodeApiError that ends the node. It names all runs that were started, so that none is lost. */
export function batchError(
	context: IExecuteFunctions,
	error: unknown,
	itemIndex: number,
	ledger: Ledger | undefined,
) {
	if (ledger === undefined) return toNodeError(context.getNode(), error, itemIndex);
	const taskIds = startedTaskIds(ledger);
	const isNamed = taskIds.every((taskId) => String(error).includes(taskId));
	const uncertain = ledger.entries.flatMap(({ isBeingSent, refusal }, index) =>
		isBeingSent === true || refusal?.isUncertain === true ? [index] : [],
	);
	const others = uncertain.filter((index) => index !== itemIndex).map(String);
	const started = `Runs started: ${nameList(taskIds)}.`;
	const unknown = `Whether runs were started for these items is not known (counted from 0): ${nameList(others)}.`;
	const advice = sentences(
		isNamed ? '' : started,
		refusedCancelsHint(ledger),
		others.length === 0 ? '' : unknown,
	);
	const data = { task_ids: taskIds, ...(uncertain.length > 0 && { uncertain_items: uncertain }) };
	const items = ledger.entries.length;
	return toNodeError(context.getNode(), error, itemIndex, { items, advice, data });
}

/** One output item for each input item of a failed batch. @throws `batchError`, unless the node goes on after failures */
export function failBatch(
	context: IExecuteFunctions,
	error: unknown,
	itemIndex: number,
	ledger: Ledger | undefined,
): INodeExecutionData[] {
	if (!continuesAfter(context, error)) throw batchError(context, error, itemIndex, ledger);
	return failureItems(context, error, (item) => identityOf(ledger?.entries[item] ?? {}));
}
