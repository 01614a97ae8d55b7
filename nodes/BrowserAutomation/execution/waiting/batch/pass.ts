import type { IExecuteFunctions } from 'n8n-workflow';

import type { Runs } from '../../../service/runs/runs';
import type { JsonObject } from '../../../service/json/json';
import type { ApiCredential } from '../../../transport/credentials';
import type { Caller } from '../../caller';
import type { ItemResult } from '../../executable';
import type { Host } from '../../host';
import type { makeStarter } from '../../reuse';
import type { countsOf, Ledger } from './ledger';

/** The slots of the plan, which an execution that is awake shares with those that this process has suspended. */
export interface Slots {
	/** How many runs it may start now; Infinity: until one is turned away. */
	allowed(): number;
	noteStart(): void;
	noteNoSlot(): void;
	noteEnds(taskIds: string[]): void;
	/** Puts it into the queue. `wanted`: how many starts it has due. */
	enqueue(wanted: number): void;
	/** Takes it out of the queue. */
	dequeue(): void;
}

/** What only a pass knows. It is not stored. Moments in milliseconds since 1970. */
export interface AwakeState {
	/** When the pass was opened. */
	openedAt: number;
	/** When the runs were last polled, with success or not. */
	pollTriedAt?: number;
	/** When starts were last sent. The next are sent a pause later, but at once in slots that the queue grants. */
	startsSentAt?: number;
	/** The failed start for which the node fails, and since when. */
	startFailure?: StartFailure & { at: number };
	/** From 0 up to 1: spreads polls and starts; drawn anew after each poll. */
	random: number;
}

/**
 * What a _pass_ works with: one execution of the node in a _round_ (what n8n's `runIndex` counts), up to a suspension or its end.
 * The round's items, which are started and awaited together, are its _batch_.
 */
export interface Pass {
	context: IExecuteFunctions;
	host: Host;
	/** Who waits for the results; undefined where nobody does. */
	caller: Caller | undefined;
	credential: ApiCredential;
	/** Sends what concerns runs, until the execution is stopped. */
	runs: Runs;
	/** The same runs, to start them: stopping the execution does not interrupt a start that is on its way, so that its run is known. */
	uninterrupted: Runs;
	/** Makes a function that starts an item's run, unless an earlier one is to be used. */
	newStarter: () => ReturnType<typeof makeStarter>;
	slots: Slots;
	/** Calls the trigger that a newly started run notifies. */
	notifyTrigger: (body: unknown, taskId: string) => void;
	/** The output items of a run that is waited for no more. */
	resultsOf: (run: JsonObject, taskId: string) => Promise<ItemResult[]>;
	ledger: Ledger;
	/** What the user should know if nothing watches the runs of the suspended execution. */
	hint: string | undefined;
	/** How many starts were pending, and runs awaited, when the pass began. */
	countsBefore: ReturnType<typeof countsOf>;
	/** Whether the execution was resumed to go on with the batch. */
	isResumed: boolean;
	/** Whether n8n's wait timer was due when it was resumed, which most likely did so. */
	wasTimerDue: boolean;
	/** As in `Abilities`; once true, it stays. */
	canWatch: boolean;
	/** What is known only while the execution is awake. */
	awake: AwakeState;
	/** The details of the last run that was awaited, if its poll has ended the waiting. */
	lastRead?: { taskId: string; run: JsonObject };
}

/** A failed start, for which the node fails. */
export interface StartFailure {
	error: unknown;
	itemIndex: number;
}
