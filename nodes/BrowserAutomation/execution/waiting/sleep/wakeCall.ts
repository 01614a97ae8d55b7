import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { textAt } from '../../../service/json/json';
import { TtlCache } from '../../../service/ttlCache';
import { callOwnAddress, type OwnCaller } from '../../../transport/ownAddress';
import { Semaphore } from '../../../transport/semaphore';
import { FRESH_FOR_MS, isOnlyOurs, type Sleeper } from './sleepers';

/** The query parameter by which this package wakes an execution itself; its value is the sleep's ID, a secret. */
export const WAKE_KEY = 'wake';

/** The query parameter that has the woken execution cancel all of its runs. */
export const CANCEL_KEY = 'cancel';

/** The query parameter that tells when the call was made: an old one wakes nothing (claim.ts). */
export const CALLED_AT_KEY = 'at';

/** How long n8n may take to wake an execution that no other process wakes, in milliseconds. */
const WAKE_WITHIN_MS = 30_000;

/** How many executions are woken at once: for each, n8n loads the execution and stores it. */
const turns = new Semaphore(3);

/** The pause before an execution is called again that could not be woken, twice as long each time. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 15_000;

/** What n8n calls running so long after it was put to sleep is carried on by another process. */
const STORED_WITHIN_MS = 30_000;

/** For how long an execution is called that another process watches, or n8n's clock alone. */
const OTHERS_CALLED_FOR_MS = 600_000;

/** How long n8n may take to say that an address is its own, in milliseconds. */
const PROBE_WITHIN_MS = 2_000;

/** For how long it is believed that n8n reaches its own address, or does not, in milliseconds. */
const SURE_FOR_MS = 3_600_000;
const UNSURE_FOR_MS = 300_000;

/** Whether n8n reaches each origin that it has been known under. */
const reached = new TtlCache<boolean>(10);

/**
 * What came of a call that was to wake an execution: it is awake; or over, or in another sleep, so that
 * nothing is left to do; n8n has not stored its sleep yet, or carries it on; n8n is busy; or no answer
 * came in time.
 */
type WakeOutcome = 'woken' | 'over' | 'running' | 'busy' | 'unreachable';

/**
 * Has n8n carry out an execution again that sleeps this sleep. n8n answers 409 while the execution
 * runs, and when it has ended; then its message says so. Never throws.
 *
 * @param cancels whether the execution is to cancel all of its runs
 */
export async function callToWake(
	caller: OwnCaller,
	sleeper: Sleeper,
	cancels = false,
): Promise<WakeOutcome> {
	const url = new URL(sleeper.resumeUrl);
	url.searchParams.set(WAKE_KEY, sleeper.sleepId);
	url.searchParams.set(CALLED_AT_KEY, String(Date.now()));
	if (cancels) url.searchParams.set(CANCEL_KEY, 'all');
	const within = isOnlyOurs(sleeper) ? WAKE_WITHIN_MS : FRESH_FOR_MS;
	const answer = await callOwnAddress(caller, 'POST', url.toString(), within);
	if (answer === undefined) return 'unreachable';
	const { status, body } = answer;
	if (status === 200) return 'woken';
	if (status === 409) {
		return (textAt(body, 'message') ?? '').includes('has finished') ? 'over' : 'running';
	}
	return status >= 500 || status === 429 ? 'busy' : 'over';
}

/** What calls n8n and logs a line for each call. */
type Caller = OwnCaller & Pick<IExecuteFunctions, 'logger'>;

/**
 * Calls n8n until an execution is awake or over: one that this process watches up to its wait limit.
 * Never throws.
 *
 * @param callerOf gives the means of n8n's to do so at each moment
 */
export async function callUntilAwake(
	sleeper: Sleeper,
	callerOf: () => Caller,
	firstPause = 0,
): Promise<void> {
	if (sleeper.isBeingCalled) return;
	sleeper.isBeingCalled = true;
	const { executionId, asleepSince, deadline, account } = sleeper;
	const isWatched = account !== undefined;
	const until = isWatched ? deadline : Math.min(deadline, Date.now() + OTHERS_CALLED_FOR_MS);
	await sleep(firstPause);
	for (let pause = FIRST_PAUSE_MS; !sleeper.isOver && Date.now() < until; pause *= 2) {
		const outcome = await turns.inTurn(
			undefined,
			async () => await callToWake(callerOf(), sleeper),
		);
		callerOf().logger.debug(`Called execution ${executionId} to wake it: ${outcome}`);
		const isElsewhere = outcome === 'running' && Date.now() - asleepSince > STORED_WITHIN_MS;
		if (outcome === 'woken' || outcome === 'over' || isElsewhere) break;
		await sleep(Math.min(pause, LONGEST_PAUSE_MS));
	}
	sleeper.isBeingCalled = false;
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
