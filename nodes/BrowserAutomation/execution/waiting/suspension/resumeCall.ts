import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { partOf, textAt } from '../../../service/json/json';
import { isPassing } from '../../../service/http/retry';
import { memoryOf } from '../../../service/processMemory';
import { nameList } from '../../../service/schema/wording';
import { callOwnAddress, type OwnAnswer, type OwnCaller } from '../../../transport/ownAddress';
import { Semaphore } from '../../../transport/semaphore';
import { RESUME_PATH, resumeUrlAt } from '../platform';
import type { Suspension } from './suspension';
import { onlyThisProcessResumes } from './suspensions';

/** Marks our own calls: the query parameter whose value is the suspension's ID, a secret. */
export const RESUME_KEY = 'resume';

/** How long n8n may take to resume an execution. */
const RESUME_WITHIN_MS = 30_000;

/** How many executions are resumed at once: for each, n8n loads the execution and stores it. If n8n holds one back, as its limit of executions is used up, the next is called meanwhile. */
const resumeTurns = new Semaphore(3);

/** How long n8n usually takes to store an execution that a handler has claimed. */
const STORED_AFTER_CLAIM_MS = 1_000;

/** The pause before an execution that could not be resumed is called again, twice as long each time. */
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 15_000;

/** How long n8n may say "running" of an execution that it has not stored yet; after that it is believed. */
const STORED_WITHIN_MS = 30_000;

/** For how long after the wait limit an execution is called: n8n's wait timer resumes it meanwhile. */
const CALLED_AFTER_LIMIT_MS = 120_000;

/** So many answers in a row by something other than n8n, over a minute and a half, are no longer those of an n8n that boots. */
const MAX_ANSWERS_BY_OTHERS = 14;

/** How long n8n may take to say that an address is its own. */
const REACHED_WITHIN_MS = 2_000;

/** How long a yes, and a no, is believed to the question whether n8n reaches its own address. */
const YES_FOR_MS = 3_600_000;
const NO_FOR_MS = 300_000;

/**
 * A no may pass: while n8n boots it resumes executions that are due before it serves its own address (404), a proxy before it then
 * answers for it (502, 503), and a busy n8n answers late (which counts if it was reached before). Such a no is believed for this long at
 * first, twice as long each time in a row, up to NO_FOR_MS, and the log warns from the fourth on. To wait for n8n would not do: it marks as crashed what it finds at work when it boots.
 */
const PASSING_NO_FOR_MS = 2_000;
const UNWARNED_NOES = 3;

/** What an origin that n8n has been known under has last said. */
interface OwnAddress {
	/** Whether n8n reaches it. All who ask at the same moment share an answer. */
	isReached: Promise<boolean>;
	/** Until when that is believed. */
	until: number;
	/** How many noes that may pass have come since the last yes; undefined before any of these, and after `noteUnreached`. */
	passingNoes: number | undefined;
}

const ownAddresses = memoryOf<OwnAddress>('ownAddresses');

function noteAddress(
	origin: string,
	isReached: Promise<boolean>,
	passingNoes: number | undefined,
	forMs: number,
): void {
	const now = Date.now();
	ownAddresses.set(origin, { isReached, passingNoes, until: now + forMs }, now + 24 * YES_FOR_MS);
}

/** Whether n8n reaches an origin, where that is still believed. */
function believed(origin: string): Promise<boolean> | undefined {
	const { until = 0, isReached } = ownAddresses.get(origin) ?? {};
	return Date.now() < until ? isReached : undefined;
}

/**
 * Calls n8n until the execution is awake or over, or goes on elsewhere; gives up some time after the wait limit. Never throws.
 *
 * @returns whether n8n said that one of these calls has resumed it, within a second of the claim
 */
export async function callUntilResumed(
	suspension: Suspension,
	contextOf: () => OwnCaller & Pick<IExecuteFunctions, 'logger'>,
): Promise<boolean> {
	const { resumeUrl, id, executionId, knownSince, deadline } = suspension;
	const url = resumeUrlAt(RESUME_PATH, resumeUrl);
	url.searchParams.set(RESUME_KEY, id);
	const isToStop = (): boolean =>
		suspension.hasEnded || Date.now() >= deadline + CALLED_AFTER_LIMIT_MS;
	let answersByOthers = 0;
	const call = async (): Promise<CallResult | undefined> => {
		// A call that n8n has still to answer resumes the execution in the end: another would hold one more copy of it.
		if (isToStop() || suspension.isClaimed) return undefined;
		const context = contextOf();
		const answer = await callOwnAddress(context, 'POST', url.toString(), RESUME_WITHIN_MS);
		const said = answer?.status ?? 'no answer';
		context.logger.debug(`Called execution ${executionId} to resume it: ${said}`);
		const result = answer && resultOf(answer);
		const isByOthers = result === undefined && answer !== undefined && !isBusy(answer);
		answersByOthers = isByOthers ? answersByOthers + 1 : 0;
		return result;
	};
	const claimed = async (): Promise<undefined> => {
		await suspension.untilClaimed();
		await sleep(STORED_AFTER_CLAIM_MS);
	};
	const callUntilClaimed = async () => await Promise.race([call(), claimed()]);
	const isFinal = (result: CallResult | undefined): boolean =>
		result === 'running' ? Date.now() - knownSince > STORED_WITHIN_MS : result !== undefined;
	await suspension.ready;
	let result: CallResult | undefined;
	for (let pause = FIRST_PAUSE_MS; !isToStop(); pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
		result = await resumeTurns.inTurn(callUntilClaimed);
		if (isFinal(result)) break;
		if (answersByOthers >= MAX_ANSWERS_BY_OTHERS) await noteUnreached(contextOf(), url.origin);
		await sleep(pause);
	}
	const { hasEnded, isClaimed } = suspension;
	if (!hasEnded && !isClaimed && (result === undefined || result === 'running')) {
		logGivenUp(suspension, contextOf().logger, result);
	}
	return result === 'resumed';
}

/** What n8n says: it has resumed the execution; the execution is running; there is nothing to be resumed. */
type CallResult = 'resumed' | 'running' | 'gone';

/**
 * What an answer says; undefined where n8n has to be called again. Only n8n's own words count, which are JSON: while it boots
 * it answers 200 and 404 with texts, and so may a proxy. It answers 409 also of an execution that has ended, and says so then.
 */
function resultOf({ status, body }: OwnAnswer): CallResult | undefined {
	if (status < 300) return partOf(body, 'resumed') === true ? 'resumed' : undefined;
	if (typeof body !== 'object' || status < 400 || isBusy({ status, body })) return undefined;
	const isRunning = status === 409 && textAt(body, 'message')?.includes('has finished') !== true;
	return isRunning ? 'running' : 'gone';
}

function isBusy({ status }: OwnAnswer): boolean {
	return status >= 500 || status === 429;
}

/** Says in the log that an execution is not called any more. Where n8n is one process, nobody else executes it either. */
function logGivenUp(
	suspension: Suspension,
	logger: IExecuteFunctions['logger'],
	result: CallResult | undefined,
): void {
	const { answers, executionId } = suspension;
	const named = nameList([...answers.keys()]);
	const text =
		result === undefined
			? `Execution ${executionId} could not be resumed at its wait limit, which is left to n8n’s wait timer. It waits for the runs ${named}.`
			: `n8n calls execution ${executionId} running, though it was to sleep. If it does not go on, n8n could not store it: then stop it, and look for the results of its runs: ${named}.`;
	const mayBeResumed =
		!onlyThisProcessResumes(suspension.isOursInProduction) || suspension.isTimerNear;
	logger[result === 'running' && !mayBeResumed ? 'warn' : 'info'](text);
}

/** Whether n8n reaches its own address. For OPTIONS it loads no execution (n8n 1.123 and 2.41: `WebhookRequestHandler`). */
export async function reachesItself(
	context: IExecuteFunctions,
	resumeUrl: string,
): Promise<boolean> {
	const { origin } = new URL(resumeUrl);
	const known = believed(origin);
	if (known !== undefined) return await known;
	const { passingNoes } = ownAddresses.get(origin) ?? {};
	let status: number | undefined;
	const answers = async (): Promise<boolean> => {
		const answer = await callOwnAddress(context, 'OPTIONS', resumeUrl, REACHED_WITHIN_MS);
		status = answer?.status ?? status;
		return answer !== undefined && answer.status < 300;
	};
	// A process that is at work may answer too late, once.
	const asked = answers().then(async (isReached) => isReached || (await answers()));
	noteAddress(origin, asked, passingNoes, YES_FOR_MS);
	const isReached = await asked;
	if (isReached) {
		noteAddress(origin, asked, 0, YES_FOR_MS);
		return true;
	}
	// A connection that fails at the first time of all most likely fails always.
	const mayPass =
		status === undefined ? passingNoes !== undefined : status === 404 || isPassing(status);
	const earlier = passingNoes ?? 0;
	const forMs = mayPass ? Math.min(PASSING_NO_FOR_MS * 2 ** earlier, NO_FOR_MS) : NO_FOR_MS;
	noteAddress(origin, asked, mayPass ? earlier + 1 : passingNoes, forMs);
	if (!mayPass || earlier >= UNWARNED_NOES) warnUnreached(context, origin);
	return false;
}

/** Notes that something other than n8n answers in its place, as a proxy does that refuses what it does not know. */
async function noteUnreached(context: Pick<IExecuteFunctions, 'logger'>, origin: string) {
	if ((await believed(origin)) === false) return;
	noteAddress(origin, Promise.resolve(false), undefined, NO_FOR_MS);
	warnUnreached(context, origin);
}

function warnUnreached({ logger }: Pick<IExecuteFunctions, 'logger'>, origin: string): void {
	logger.warn(
		`n8n does not reach its own address ${origin} from inside. Sleeping executions are resumed by callbacks and by n8n’s wait timer alone, up to minutes later.`,
	);
}
