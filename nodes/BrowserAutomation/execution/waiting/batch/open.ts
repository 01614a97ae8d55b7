import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { checkCallbackUrl } from '../../../service/events/callback';
import type { ServiceClient } from '../../../service/http/client';
import { RUN_NOT_FOUND } from '../../../service/http/errorCodes';
import { hasCode, ServiceError } from '../../../service/errors';
import { isJsonObject, textAt, type JsonObject } from '../../../service/json/json';
import type { ServiceRequest } from '../../../service/http/request';
import { readStatuses } from '../../../service/runs/statuses';
import { isUnsuccessful } from '../../../service/runs/runStatus';
import { readInputSchema } from '../../../service/runs/schemas';
import { mapConcurrently, onceEach } from '../../concurrency';
import { toNodeError } from '../../failures';
import type { Values } from '../../../fields/field';
import { valuesOfItems } from '../../../fields/values';
import type { RunBehaviour } from './behaviour';
import { keepLedger, keptLedger, LEDGER_VERSION, type Entry, type Ledger } from './ledger';
import { engineSleeps, resumeUrlOf, runIndexOf, runsAsTool } from '../platform';
import { planWaiting } from './plan';
import { allowStarts } from './budget';
import { answerBy } from './caller';
import {
	readWaitSettings,
	waitForCompletionField,
	type WaitSettings,
} from '../../../fields/waiting';
import { newNonce } from '../sleep/secret';
import { isStarted, startedTaskIds } from './progress';
import { callbackExtra, toRefusal, uncertainRefusal } from './start';

/** A ledger, and whether this is the first time that it is opened. */
export interface OpenedLedger {
	ledger: Ledger;
	isFresh: boolean;
	/** What the user should know where nothing watches the runs while the execution sleeps. */
	hint?: string | undefined;
}

/**
 * The ledger of this round of the node: the one an earlier attempt left, else a new one in which
 * every item's request is made and checked, before anything is started.
 *
 * @param left what `leftLedger` found
 * @throws InputError or NodeOperationError when an item cannot be started, unless the node goes on
 * after failures
 */
export async function openLedger(
	context: IExecuteFunctions,
	client: ServiceClient,
	behaviour: RunBehaviour,
	left: Ledger | undefined,
): Promise<OpenedLedger> {
	if (left === undefined) {
		const { ledger, hint } = await newLedger(context, client, behaviour, runIndexOf(context));
		allowStarts(context, ledger);
		keepLedger(context.getContext('node'), ledger);
		return { ledger, hint, isFresh: true };
	}
	if (left.executionId !== context.getExecutionId()) {
		delete left.isAllowed;
		await adopt(left, context, client, behaviour);
	}
	allowStarts(context, left);
	return { ledger: left, isFresh: false };
}

/**
 * The ledger that an earlier attempt at this round of the node left, if any.
 *
 * @throws HelpfulError for one that another version of the package wrote
 */
export function leftLedger(context: IExecuteFunctions): Ledger | undefined {
	// An agent calls its tools many times in one round; each call is a run of its own.
	if (runsAsTool(context)) return undefined;
	return keptLedger(context.getContext('node'), runIndexOf(context));
}

async function newLedger(
	context: IExecuteFunctions,
	client: ServiceClient,
	behaviour: RunBehaviour,
	runIndex: number,
): Promise<{ ledger: Ledger; hint: string | undefined }> {
	const valuesOf = valuesOfItems(context);
	const values = valuesOf(0);
	const attaches = 'attach' in behaviour;
	const settings = readWaitSettings(
		values,
		attaches ? 'automatic' : values(waitForCompletionField),
	);
	const schemaOf = onceEach(async (owner) => await readInputSchema(client, owner));
	const opening = { valuesOf, client, behaviour, schemaOf };
	const items = context.getInputData();
	const entries = await mapConcurrently(items, settings.concurrency, async (_, itemIndex) => {
		try {
			return await newEntry(opening, itemIndex);
		} catch (error) {
			if (!context.continueOnFail()) throw toNodeError(context.getNode(), error, itemIndex);
			return { refusal: toRefusal(error) };
		}
	});
	const plan = planWaiting({
		mode: settings.mode,
		resumeUrl: resumeUrlOf(context),
		serviceUrl: client.baseUrl,
		runsAsTool: runsAsTool(context),
		callbackTaken: entries.some((entry) => isCallbackTaken(entry, settings)),
		attaches,
		isAwaited: Date.now() < answerBy(context),
		engineSleeps: engineSleeps(context),
		callbackExtra: callbackExtra(entries.length),
	});
	const now = Date.now();
	const ledger: Ledger = {
		version: LEDGER_VERSION,
		executionId: context.getExecutionId(),
		nodeId: context.getNode().id,
		runIndex,
		watchKey: newNonce(),
		callbackKey: newNonce(),
		way: plan.way,
		api: behaviour.api.name,
		settings,
		...(!attaches && { since: now }),
		begunAt: now,
		deadline: now + settings.limitMs,
		entries,
	};
	return { ledger, hint: plan.hint };
}

/** What entries are made from. */
interface Opening {
	valuesOf: (itemIndex: number) => Values;
	client: ServiceClient;
	behaviour: RunBehaviour;
	/** Reads the schema of an input by its owner's path, once for all items. */
	schemaOf(owner: string): Promise<JsonObject | undefined>;
}

async function newEntry(
	{ valuesOf, client, behaviour, schemaOf }: Opening,
	itemIndex: number,
): Promise<Entry> {
	const values = valuesOf(itemIndex);
	if ('attach' in behaviour) {
		const taskId = behaviour.attach(values);
		return { taskId, origin: taskId };
	}
	const owner = behaviour.inputOwner?.(values);
	const schema = owner === undefined ? undefined : await schemaOf(owner);
	const request = behaviour.start(values, schema);
	checkCallbacks(request, client.baseUrl);
	return { request, origin: digestOf(request) };
}

/** What tells a start from one with another input, in few characters. */
function digestOf({ path, body }: ServiceRequest): string {
	const text = JSON.stringify([path, body]);
	return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

function checkCallbacks({ body }: ServiceRequest, serviceUrl: string): void {
	const completed = textAt(body, 'callback_url');
	const statusChanged = textAt(body, 'status_change_callback_url');
	if (completed !== undefined) checkCallbackUrl(completed, 'Completion Callback URL', serviceUrl);
	if (statusChanged !== undefined) {
		checkCallbackUrl(statusChanged, 'Status Callback URL', serviceUrl);
	}
}

/** Whether the user has a callback sent elsewhere that we would need. */
function isCallbackTaken({ request }: Entry, { wakeWhenPaused }: WaitSettings): boolean {
	if (!isJsonObject(request?.body)) return false;
	const { callback_url: completed, status_change_callback_url: changed } = request.body;
	return completed !== undefined || (wakeWhenPaused && changed !== undefined);
}

/**
 * Takes over what another execution started, where a user retries that one. Its callbacks cannot
 * wake this execution. Runs that failed or were canceled, and those of an input that was changed since,
 * are begun anew; a start of which nobody knows whether it has begun a run is not sent again; and of
 * what a person had canceled as a whole, nothing is.
 */
async function adopt(
	ledger: Ledger,
	context: IExecuteFunctions,
	client: ServiceClient,
	behaviour: RunBehaviour,
): Promise<void> {
	const { ledger: fresh } = await newLedger(context, client, behaviour, ledger.runIndex);
	const started = startedTaskIds(ledger);
	const { since } = ledger;
	const statuses = await readStatuses(client, behaviour.api, started, { since });
	let changed = 0;
	ledger.entries = fresh.entries.map((entry, itemIndex) => {
		const before = ledger.entries[itemIndex];
		if (before === undefined) return entry;
		const status = before.taskId === undefined ? undefined : statuses.get(before.taskId);
		if (ledger.isCanceled === true) {
			return typeof status === 'string' ? { ...before, status } : before;
		}
		if (typeof status === 'string') delete before.refusal;
		if (before.origin !== entry.origin) {
			changed += 1;
			return entry;
		}
		if (before.isDue === true && before.taskId === undefined) {
			return { origin: entry.origin, refusal: uncertainRefusal() };
		}
		if (before.refusal?.isUncertain === true) return before;
		if (status instanceof ServiceError && !hasCode(status, RUN_NOT_FOUND)) return before;
		return typeof status !== 'string' || isUnsuccessful(status) ? entry : { ...before, status };
	});
	if (changed > 0) {
		const kept = ledger.entries.filter(isStarted).length;
		const message = `${kept} items go on with the runs of the execution that is retried. ${changed} were begun anew, because their input has changed.`;
		context.addExecutionHints({ message, location: 'outputPane' });
	}
	const { executionId, watchKey, callbackKey, settings, begunAt, deadline, way } = fresh;
	Object.assign(ledger, { executionId, watchKey, callbackKey, settings, begunAt, deadline });
	ledger.way = way === 'callback' ? 'clock' : way;
	delete ledger.sleep;
	delete ledger.queuedAt;
	delete ledger.timeout;
}
