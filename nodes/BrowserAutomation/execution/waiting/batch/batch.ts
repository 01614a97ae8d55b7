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
	/** How many runs it may start now; Infinity if no queue decides. */
	allowed(): number;
	noteStart(): void;
	noteNoSlot(): void;
	noteEnds(taskIds: string[]): void;
	/** Puts it into the queue, with so many runs that it may start. */
	enqueue(dueStarts: number): void;
	/** Takes it out of the queue. */
	dequeue(): void;
}

/** What an execution knows only while it is awake. It is not stored. Moments in milliseconds since 1970. */
export interface AwakeState {
	/** Since when the execution is awake. */
	awakeSince: number;
	/** When the runs were last polled, with success or not. */
	pollTriedAt?: number;
	/** When starts were last sent, if any was pending after that. The next are sent a pause later, but at once in slots that the queue grants. */
	startsLeftAt?: number;
	/** The refused start for which the node fails, and since when. */
	startFailure?: StartFailure & { at: number };
	/** From 0 up to 1, drawn anew for each poll. */
	random: number;
}

/** A batch that is being waited for. */
export interface Batch {
	context: IExecuteFunctions;
	host: Host;
	/** Who waits for the results; undefined where nobody does. */
	caller: Caller | undefined;
	credential: ApiCredential;
	runs: Runs;
	/** The same runs, to start them: stopping the execution does not interrupt a start that is on its way, so that its run is known. */
	uninterrupted: Runs;
	/** Makes a function that starts an item's run, unless an earlier one is to be used. */
	makeStarter: () => ReturnType<typeof makeStarter>;
	slots: Slots;
	/** Calls the trigger that a newly started run notifies. */
	notifyTrigger: (body: unknown, taskId: string) => void;
	/** The output items of a run that is waited for no more. */
	resultsOf: (run: JsonObject, taskId: string) => Promise<ItemResult[]>;
	ledger: Ledger;
	/** What the user should know if nothing watches the runs of the suspended execution. */
	hint: string | undefined;
	/** How many starts were pending, and runs awaited, when n8n executed the node. */
	countsBefore: ReturnType<typeof countsOf>;
	/** Whether the execution was resumed to go on with the batch. */
	isResumed: boolean;
	/** Whether n8n's wait timer was due when it was resumed, which most likely did so. */
	isByTimer: boolean;
	/** Whether this process can have n8n resume the execution: its watcher polls the runs then. */
	canWatch: boolean;
	/** What is known only while the execution is awake. */
	awake: AwakeState;
	/** The details of the only awaited run, if the last poll has found that it ended. */
	endedRun?: { taskId: string; run: JsonObject };
}

/** A refused start, for which the node fails. */
export interface StartFailure {
	error: unknown;
	itemIndex: number;
}
