import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { partOf, textAt } from '../../../service/json/json';
import { memoryOf } from '../../../service/processMemory';
import { nameList } from '../../../service/schema/wording';
import { callOwnAddress, type OwnAnswer, type OwnCaller } from '../../../transport/ownAddress';
import { Semaphore } from '../../../transport/semaphore';
import { RESUME_PATH, resumeUrlAt } from '../platform';
import type { Suspension } from './suspension';
import { onlyThisProcessResumes } from './suspensions';

/** The query parameter by which this package resumes an execution itself; its value is the suspension's ID, a secret. */
export const RESUME_KEY = 'resume';

/** How long n8n may take to resume an execution, in milliseconds. */
const RESUME_WITHIN_MS = 30_000;

/** How many executions are resumed at once: for each, n8n loads the execution and stores it. If n8n holds one back, as its limit of executions is used up, the next is called meanwhile. */
const resumeTurns = new Semaphore(3);

/** How long n8n usually takes to store an execution that a handler has claimed, in milliseconds. */
const STORED_AFTER_CLAIM_MS = 1_000;

/** The pause before an execution that could not be resumed is called again, twice as long each time, in milliseconds. */
const FIRST_CALL_PAUSE_MS = 50;
const MAX_PAUSE_MS = 15_000;

/** An execution that n8n calls running so long after it was suspended is executed by another process, or could not be stored. */
const STORED_WITHIN_MS = 30_000;

/** For how long after the wait limit an execution is called, in milliseconds: n8n's wait timer resumes it meanwhile. */
const CALLED_AFTER_LIMIT_MS = 120_000;

/** How long n8n may take to say that an address is its own, in milliseconds. */
const REACHED_WITHIN_MS = 2_000;

/** For how long it is believed that n8n reaches its own address, or does not, in milliseconds. */
const SURE_FOR_MS = 3_600_000;
const UNSURE_FOR_MS = 300_000;

/**
 * While n8n starts it resumes executions that are due before it serves its own address (404). So the first answers of that kind are
 * believed for a moment only, in milliseconds. To wait for n8n would not do: it marks as crashed what it finds at work then.
 */
const STARTING_FOR_MS = 2_000;
let startingAnswers = 3;

/** Whether n8n reaches each origin that it has been known under. All who ask at the same moment share an answer. */
const reached = memoryOf<Promise<boolean>>('ownAddresses');

/**
 * Resumes a suspended execution: calls n8n until the execution is awake or over, or goes on elsewhere, until its wait limit is long over. Never throws.
 *
 * @param contextOf gives what n8n can be called with at that moment
 * @returns whether n8n said that one of these calls has resumed it
 */
export async function callUntilResumed(
	suspension: Suspension,
	contextOf: () => OwnCaller & Pick<IExecuteFunctions, 'logger'>,
): Promise<boolean> {
	const { resumeUrl, id, executionId, suspendedAt, deadline } = suspension;
	const url = resumeUrlAt(RESUME_PATH, resumeUrl);
	url.searchParams.set(RESUME_KEY, id);
	const isToStop = (): boolean =>
		suspension.hasEnded || Date.now() >= deadline + CALLED_AFTER_LIMIT_MS;
	const call = async (): Promise<Outcome | undefined> => {
		if (isToStop()) return undefined;
		const caller = contextOf();
		const answer = await callOwnAddress(caller, 'POST', url.toString(), RESUME_WITHIN_MS);
		const said = answer?.status ?? 'no answer';
		caller.logger.debug(`Called execution ${executionId} to resume it: ${said}`);
		return answer && outcomeOf(answer);
	};
	const claimed = async (): Promise<undefined> => {
		await suspension.untilClaimed();
		await sleep(STORED_AFTER_CLAIM_MS);
	};
	const callUntilClaimed = async () => await Promise.race([call(), claimed()]);
	const isSettled = (outcome: Outcome | undefined): boolean =>
		outcome === 'running' ? Date.now() - suspendedAt > STORED_WITHIN_MS : outcome !== undefined;
	await suspension.ready;
	let outcome: Outcome | undefined;
	for (let pause = FIRST_CALL_PAUSE_MS; !isToStop(); pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
		// A call that n8n has still to answer resumes the execution in the end: another would hold one more copy of it.
		outcome = suspension.isClaimed ? undefined : await resumeTurns.inTurn(callUntilClaimed);
		if (isSettled(outcome)) break;
		await sleep(pause);
	}
	const { hasEnded, isClaimed } = suspension;
	if (!hasEnded && !isClaimed && (outcome === undefined || outcome === 'running')) {
		giveUp(suspension, contextOf().logger, outcome);
	}
	return outcome === 'resumed';
}

/** What n8n says: it has resumed the execution; the execution is running; there is nothing to be resumed. */
type Outcome = 'resumed' | 'running' | 'gone';

/**
 * What an answer says; undefined where n8n has to be called again. Only n8n's own words count, which are JSON: while it starts
 * it answers 200 and 404 with texts, and so may a proxy. It answers 409 while an execution runs, and also when it has ended; its
 * message then says so.
 */
function outcomeOf({ status, body }: OwnAnswer): Outcome | undefined {
	if (status < 300) return partOf(body, 'resumed') === true ? 'resumed' : undefined;
	if (typeof body !== 'object' || status < 400 || status >= 500 || status === 429) return undefined;
	const isRunning = status === 409 && textAt(body, 'message')?.includes('has finished') !== true;
	return isRunning ? 'running' : 'gone';
}

/** Says in the log that an execution is not called any more. Where n8n is one process, nobody else executes it either. */
function giveUp(
	suspension: Suspension,
	logger: IExecuteFunctions['logger'],
	outcome: Outcome | undefined,
): void {
	const { answers, executionId } = suspension;
	const named = nameList([...answers.keys()]);
	const text =
		outcome === undefined
			? `Execution ${executionId} could not be resumed at its wait limit, which is left to n8n’s wait timer. It waits for the runs ${named}.`
			: `n8n calls execution ${executionId} running, though it was to sleep. If it does not go on, n8n could not store it: then stop it, and look for the results of its runs: ${named}.`;
	const mayBeResumed =
		!onlyThisProcessResumes(suspension.suspendedHereInProduction) ||
		suspension.isTimerNear(Date.now());
	logger[outcome === 'running' && !mayBeResumed ? 'warn' : 'info'](text);
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
	if (known !== undefined) return await known;
	let status: number | undefined;
	const answers = async (): Promise<boolean> => {
		status = (await callOwnAddress(context, 'OPTIONS', resumeUrl, REACHED_WITHIN_MS))?.status;
		return status !== undefined && status < 300;
	};
	// A process that is at work may answer too late, once.
	const asked = answers().then(async (isReached) => isReached || (await answers()));
	reached.set(origin, asked, Date.now() + SURE_FOR_MS);
	if (await asked) return true;
	const isStarting = status === 404 && startingAnswers-- > 0;
	reached.set(origin, asked, Date.now() + (isStarting ? STARTING_FOR_MS : UNSURE_FOR_MS));
	if (isStarting) return false;
	context.logger.warn(
		`n8n does not reach its own address ${origin} from inside. Sleeping executions are resumed by callbacks and by n8n’s wait timer alone, up to minutes later.`,
	);
	return false;
}
