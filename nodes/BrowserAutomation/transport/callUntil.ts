import { callOwnAddress, type OwnAnswer, type OwnCaller } from './ownAddress';
import type { Semaphore } from './semaphore';

/** How n8n is called at an address of its own, and again while it has to be. Times are in milliseconds. */
interface OwnCalls {
	url: string;
	/** Gives what n8n can be called with, right before each call. */
	callerOf(): OwnCaller;
	timeoutMs: number;
	/** How many calls of the kind are made at once. */
	slots: Semaphore;
	wait(milliseconds: number): Promise<void>;
	/** Before the first call, and before the second; each further pause is twice as long, up to the longest. */
	pauses: { before: number; first: number; maxDelay: number };
	/** Whether the call is no longer needed. */
	isOver(): boolean;
	/** @param answer undefined when none came */
	isSettled(answer: OwnAnswer | undefined): boolean;
}

/** Calls n8n at an address of its own until an answer settles it, or the call is no longer needed. */
export async function callUntil(calls: OwnCalls): Promise<void> {
	const { url, callerOf, timeoutMs, slots, wait, pauses, isOver, isSettled } = calls;
	const call = async () =>
		isOver() ? undefined : { answer: await callOwnAddress(callerOf(), 'POST', url, timeoutMs) };
	await wait(pauses.before);
	for (let pause = pauses.first; !isOver(); pause *= 2) {
		const called = await slots.inTurn(call);
		if (called === undefined || isSettled(called.answer)) return;
		await wait(Math.min(pause, pauses.maxDelay));
	}
}
