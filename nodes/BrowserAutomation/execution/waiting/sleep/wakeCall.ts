import type { IExecuteFunctions } from 'n8n-workflow';

import { textAt } from '../../../service/json/json';
import { TtlCache } from '../../../service/ttlCache';
import { callOwnAddress, type OwnCaller } from '../../../transport/ownAddress';
import type { Sleeper } from './sleepers';

/** The query parameter by which this package wakes an execution itself; its value is the sleep's ID, a secret. */
export const WAKE_KEY = 'wake';

/** The query parameter with which a handler asks whether a sleep is the present one; its value is the sleep's ID. */
export const ASK_KEY = 'ask';

/** How long n8n may take to wake an execution, in milliseconds. */
const WAKE_WITHIN_MS = 30_000;

/** How long n8n may take to say which sleep is the present one, in milliseconds. */
const ASK_WITHIN_MS = 1_000;

/** How long n8n may take to say that an address is its own, in milliseconds. */
const PROBE_WITHIN_MS = 2_000;

/** For how long it is believed that n8n reaches its own address, or does not, in milliseconds. */
const SURE_FOR_MS = 3_600_000;
const UNSURE_FOR_MS = 300_000;

/** Whether n8n reaches each origin that it has been known under. */
const reached = new TtlCache<boolean>(10);

/** A sleep, and where n8n wakes the execution. */
type Called = Pick<Sleeper, 'resumeUrl' | 'sleepId'>;

/** An address below the resume URL that only somebody who knows the sleep's ID can ask. */
function sleepUrl({ resumeUrl, sleepId }: Called, key: typeof WAKE_KEY | typeof ASK_KEY): string {
	const url = new URL(resumeUrl);
	url.searchParams.set(key, sleepId);
	return url.toString();
}

/**
 * What came of a call that was to wake an execution: it is awake or over, so that nothing is left to
 * do; n8n has not stored its sleep yet, or carries it on; n8n is busy; or no answer came.
 */
export type WakeOutcome = 'over' | 'running' | 'busy' | 'unreachable';

/**
 * Has n8n carry out an execution again that sleeps this sleep. n8n answers 409 while the execution
 * runs, and when it has ended; then its message says so. Never throws.
 */
export async function callToWake(caller: OwnCaller, called: Called): Promise<WakeOutcome> {
	const url = sleepUrl(called, WAKE_KEY);
	const answer = await callOwnAddress(caller, 'POST', url, WAKE_WITHIN_MS);
	if (answer === undefined) return 'unreachable';
	const { status, body } = answer;
	if (status === 409) {
		return (textAt(body, 'message') ?? '').includes('has finished') ? 'over' : 'running';
	}
	return status >= 500 || status === 429 ? 'busy' : 'over';
}

/** Asks n8n whether an execution still sleeps this sleep: a handler there answers, if so. Never throws. */
export async function askWhetherAsleep(
	caller: OwnCaller,
	called: Called,
): Promise<'asleep' | 'over' | 'busy'> {
	const asked = Date.now();
	const answer = await callOwnAddress(caller, 'POST', sleepUrl(called, ASK_KEY), ASK_WITHIN_MS);
	const isLate = Date.now() - asked > ASK_WITHIN_MS;
	if (answer === undefined || answer.status >= 500 || isLate) return 'busy';
	return answer.status === 200 ? 'asleep' : 'over';
}

/**
 * Whether n8n reaches its own resume address from here. It answers this method by itself, without
 * loading an execution (`WebhookRequestHandler` of n8n 1.123 and 2.41).
 */
export async function reachesItself(
	context: IExecuteFunctions,
	resumeUrl: string,
): Promise<boolean> {
	const { origin } = new URL(resumeUrl);
	const known = reached.get(origin);
	if (known !== undefined) return known;
	const answer = await callOwnAddress(context, 'OPTIONS', resumeUrl, PROBE_WITHIN_MS);
	const isReached = answer !== undefined && answer.status < 300;
	reached.set(origin, isReached, Date.now() + (isReached ? SURE_FOR_MS : UNSURE_FOR_MS));
	if (!isReached) {
		context.logger.warn(
			`n8n does not reach its own address ${origin} from inside. Sleeping executions are woken by callbacks and by n8n’s clock alone, up to minutes later.`,
		);
	}
	return isReached;
}
