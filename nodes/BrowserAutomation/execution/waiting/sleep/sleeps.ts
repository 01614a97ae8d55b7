import { sleep } from 'n8n-workflow';

import { TtlCache } from '../../../service/ttlCache';
import { isClocksTurn } from './schedule';

/**
 * What this process knows about the executions that it put to sleep. In n8n's regular mode one
 * process puts executions to sleep, takes their callbacks and wakes them, so it knows which sleep is
 * the present one. Any other process has to ask n8n.
 */

/** How many executions are remembered at most. Forgetting one costs a question to n8n. */
const MOST = 50_000;

/** For how long an execution that is awake is remembered: old handlers end long before. */
const AWAKE_FOR_MS = 600_000;

/** For how long a handler that asked n8n is remembered, and how long a woken execution waits for one. */
const HANDLER_WITHIN_MS = 10_000;
const NAP_MS = 10;

/** The answer of a handler that is waking an execution. */
export interface Answering {
	/** Whether n8n has answered, with success or not. */
	isOver(): boolean;
	/** Whether the answer says that n8n could not wake the execution. */
	hasFailed(): boolean;
}

/**
 * Whether a handler may wake an execution: yes; no, as it sleeps another sleep by now; another handler
 * is about to; or n8n is too busy to say which sleep is the present one.
 */
export type Permission = 'yes' | 'no' | 'taken' | 'busy';

interface Own {
	/** The present sleep; undefined while the execution is awake. */
	sleepId: string | undefined;
	/** When n8n's clock may wake it, in milliseconds since 1970: its timers of earlier sleeps go on. */
	dates: number[];
	waking?: Answering;
}

/** Executions that this process puts to sleep. */
const own = new TtlCache<Own>(MOST);

/** Executions of other processes, or from before a restart, that a handler here is waking. */
const others = new TtlCache<{ sleepId: string; waking: Answering }>(MOST);

let hearsCallbacks = false;

/** Notes that this process handles callbacks, as the one process of n8n's regular mode does. */
export function noteHandler(): void {
	hearsCallbacks = true;
}

/**
 * Whether callbacks for the executions that run in this process are handled by it, too: a worker
 * handles none, and the processes that do in queue mode run no executions.
 */
export function isOnlyProcess(): boolean {
	return hearsCallbacks;
}

/**
 * Notes that an execution falls asleep.
 *
 * @param date when n8n's clock wakes it, in milliseconds since 1970
 * @param until when to forget it, in milliseconds since 1970
 */
export function fallAsleep(
	executionId: string,
	{ sleepId, date, until }: { sleepId: string; date: number; until: number },
): void {
	const recent = Date.now() - HANDLER_WITHIN_MS;
	const dates = (own.get(executionId)?.dates ?? []).filter((old) => old > recent);
	own.set(executionId, { sleepId, dates: [...dates, date] }, until);
}

/** How many executions that this process put to sleep n8n's clock is still to wake, as far as it knows. */
export function countAsleep(): number {
	const now = Date.now();
	return own.count(({ sleepId, dates }) => sleepId !== undefined && (dates.at(-1) ?? 0) > now);
}

/**
 * Notes that an execution is awake, and waits until a handler that was about to wake it has been
 * refused: it holds the execution's state of before and must not come to write it back.
 *
 * @returns whether a handler of this process has woken it, and n8n's clock cannot be about to
 */
export async function wakeUp(executionId: string): Promise<boolean> {
	const now = Date.now();
	const known = own.get(executionId);
	const awake: Own = { sleepId: undefined, dates: known?.dates ?? [] };
	if (known !== undefined) own.set(executionId, awake, now + AWAKE_FOR_MS);
	const handlers = [known?.waking, others.get(executionId)?.waking];
	while (handlers.some((handler) => handler?.isOver() === false)) {
		if (Date.now() >= now + HANDLER_WITHIN_MS) break;
		await sleep(NAP_MS);
	}
	const isClockNear = awake.dates.some((date) => isClocksTurn(date, now));
	if (known?.waking?.hasFailed() === false) return !isClockNear;
	// Its clock has woken the execution, so that this date is over.
	awake.dates = awake.dates.filter((date) => date > now);
	return false;
}

/**
 * Claims the right to wake an execution from one of its sleeps. Of all handlers one gets it; it is
 * void again if n8n answers that the execution could not be woken.
 *
 * @returns undefined where this process does not put the execution to sleep, so that n8n has to be
 * asked
 */
export function claimWakeUp(
	executionId: string,
	sleepId: string,
	waking: Answering,
): Permission | undefined {
	const known = own.get(executionId);
	if (known === undefined) return undefined;
	if (known.sleepId !== sleepId) return 'no';
	if (known.waking !== undefined && !known.waking.hasFailed()) return 'taken';
	known.waking = waking;
	return 'yes';
}

/** Whether a handler of this process wakes an execution of another one from this sleep. */
export function isBeingWoken(executionId: string, sleepId: string): boolean {
	const other = others.get(executionId);
	return other?.sleepId === sleepId && !other.waking.hasFailed();
}

/** The same claim where n8n was asked, and has said that this sleep is the present one. */
export function claimAfterAsking(
	executionId: string,
	sleepId: string,
	waking: Answering,
): Permission {
	if (isBeingWoken(executionId, sleepId)) return 'taken';
	others.set(executionId, { sleepId, waking }, Date.now() + HANDLER_WITHIN_MS);
	return 'yes';
}
