import { memoryOf } from '../../../service/processMemory';
import type { SuspendedLedger } from '../batch/ledger';
import { Suspension, type OwnSuspension } from './suspension';

/** How long a suspension is remembered after the wait limit, and after its end: its handlers end long before. */
const AFTER_LIMIT_MS = 3_600_000;
const AFTER_END_MS = 300_000;

/** By ID, for the watcher, the handlers and the status page. If one is forgotten, n8n's wait timer resumes the execution. */
const suspensions = memoryOf<Suspension>('suspensions');

/** Remembers a suspension. @param own undefined for one that another process began, or this one before a restart */
export function remember(ledger: SuspendedLedger, own?: OwnSuspension): Suspension {
	const suspension = new Suspension(ledger, own);
	const until = Math.max(ledger.deadline, Date.now()) + AFTER_LIMIT_MS;
	suspensions.set(suspension.id, suspension, until);
	return suspension;
}

/** A suspension that this process knows, by its ID. */
export function rememberedSuspension(id: string): Suspension | undefined {
	return suspensions.get(id);
}

/** The suspension of a ledger that a handler was given. One that another process began is remembered from now on. */
export function findOrRemember(ledger: SuspendedLedger): Suspension {
	return suspensions.get(ledger.suspension.id) ?? remember(ledger);
}

/** All suspensions whose runs the watcher of an account polls. */
export function suspensionsWatchedBy(account: string): Suspension[] {
	return suspensions.values().filter(({ watching }) => watching.account === account);
}

/**
 * How many executions of this process, in production, n8n's wait timer is to resume, if nothing else does before. One that is not
 * watched any more was resumed or is gone.
 *
 * @param withCallbacks whether to count those, too, that callbacks may resume
 */
export function countSuspended(withCallbacks: boolean): number {
	const now = Date.now();
	return suspensions
		.values()
		.filter((one) => one.isOursInProduction && !one.hasEnded && one.timerAt > now)
		.filter(({ isOursUnwatched, watching }) => isOursUnwatched || watching.account !== undefined)
		.filter((one) => withCallbacks || !one.expectsCallbacks).length;
}

let handlesRequests = false;

/** Notes that this process handles requests to suspended executions. */
export function noteHandlesRequests(): void {
	handlesRequests = true;
}

/**
 * Whether no other process can execute or resume the execution, so that this one knows when the suspension ends. A process that
 * handles requests and executes production is the only one of its n8n: in queue mode, those that handle requests execute only
 * what the editor runs. Until its first request it counts as one of several. One exception: a sub-workflow of what the editor
 * runs counts as production here, though workers execute it once it is resumed. Of two resumes at once the fence then ends one,
 * and a wish to cancel all may not reach the worker.
 *
 * @param isProduction whether this process suspended it, or executes it, in production
 */
export function onlyThisProcessResumes(isProduction: boolean): boolean {
	return isProduction && handlesRequests;
}

/** The suspensions of an execution that have ended, as it is awake. */
export interface EndedSuspensions {
	/** Those that this process remembered as going on: one at most, as a rule. */
	suspensions: Suspension[];
	/** Whether n8n's wait timer may be about to resume it, from this suspension or an earlier one. */
	wasTimerNear: boolean;
}

/** Ends all suspensions of an execution, as it is awake. */
export function endSuspensions(executionId: string): EndedSuspensions {
	const now = Date.now();
	const ofExecution = suspensions.values().filter((one) => one.executionId === executionId);
	const wasTimerNear = ofExecution.some(({ isTimerNear }) => isTimerNear);
	const ended = ofExecution.filter(({ hasEnded }) => !hasEnded);
	for (const suspension of ended) {
		suspension.end();
		const { deadline, id, wantsAllCanceled } = suspension;
		// A later pass may still ask whether a person wants that (executeRuns.ts).
		const until = wantsAllCanceled ? Math.max(deadline, now) + AFTER_LIMIT_MS : now + AFTER_END_MS;
		suspensions.set(id, suspension, until);
	}
	return { suspensions: ended, wasTimerNear };
}
