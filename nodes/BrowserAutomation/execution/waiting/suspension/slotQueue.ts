import type { Ledger } from '../batch/ledger';
import { timeUntil } from '../schedule';
import type { Suspension } from './suspension';

/**
 * How long the first in the queue waits until it _probes_: it is resumed although no slot is known to be free, and starts
 * runs one at a time until one is turned away. This long at first, and after a slot that should have been free was not.
 */
const FIRST_PROBE_MS = 2_000;
/** How long it waits after a probe. */
const NEXT_PROBE_MS = 10_000;

/** How many more executions may probe after each run that a probing one starts; and at most at once, as after a slowdown. */
const FURTHER_PROBES = 2;
const MAX_PROBES = 20;

/** How long an execution may take to use the slots that it was granted. */
const GRANTED_FOR_MS = 20_000;

/** How many runs are remembered whose ends have freed a slot, so that each frees one only. */
const MAX_REMEMBERED = 1_000;

/** What is said of an execution that sends no starts because the service has asked to slow down. */
export const SLOWED_DOWN =
	'The service has asked to slow down (HTTP 429), so starts wait before they are sent again.';

interface QueueEntry {
	readonly executionId: string;
	readonly queuedAt: number;
	/** How many starts it has due. */
	readonly wanted: number;
	/** Undefined if it was queued awake. */
	readonly suspension: Suspension | undefined;
	/** The slots that it was granted and has not used. Infinity: it probes. */
	granted: number;
	/** Until when its turn lasts, also when it has used its slots or was turned away; 0 if it had none since it was queued. */
	grantedUntil: number;
}

/**
 * The executions of this process whose starts wait for a free slot of the plan, or because the service has asked to slow down: first
 * come, first served. The service alone knows whether a slot is free, and turns a start away where none is (10118). Moments are in
 * milliseconds since 1970.
 */
export class SlotQueue {
	/** The execution that has waited longest is first. */
	private entries: QueueEntry[] = [];
	/** How many slots are free that nobody was granted, and how many more executions may probe. */
	private free = 0;
	private probesLeft = 0;
	private probeAt = 0;
	/** Runs whose ends have freed a slot. */
	private readonly endedRuns = new Set<string>();
	/** Until when nothing is to be started, because the service has asked to slow down, and since when. */
	private slowed = { until: 0, since: 0 };

	get isEmpty(): boolean {
		return this.entries.length === 0;
	}

	/** Queues an execution by when it began to wait. @param slowUntil when it may go on, if the service has asked to slow down */
	enqueue(
		executionId: string,
		queuedAt: number,
		wanted: number,
		slowUntil = 0,
		suspension?: Suspension,
	): void {
		if (this.isEmpty) {
			this.endedRuns.clear();
			this.free = 0;
			this.probesLeft = slowUntil > 0 ? MAX_PROBES : 0;
			this.probeAt = Date.now() + FIRST_PROBE_MS;
		}
		if (slowUntil > this.slowUntil) this.slowed = { until: slowUntil, since: Date.now() };
		this.dequeue(executionId);
		this.entries.push({ executionId, queuedAt, wanted, suspension, granted: 0, grantedUntil: 0 });
		this.entries.sort((one, other) => one.queuedAt - other.queuedAt);
	}

	/** Takes an execution out of the queue, if it is there. @param keepsSlots whether it uses its slots elsewhere; else others get them */
	dequeue(executionId: string, keepsSlots = false): void {
		const entry = this.find(executionId);
		if (entry !== undefined && !keepsSlots) {
			if (entry.granted !== Infinity) this.free += entry.granted;
			// It could not be resumed, so it has tried nothing: the next one probes.
			else if (entry.suspension?.hasEnded === false) this.probesLeft += 1;
		}
		this.entries = this.entries.filter((other) => other !== entry);
	}

	/** Notes that a start was turned away at the plan's limit: no slot is free. */
	noteNoSlot(executionId: string): void {
		[this.free, this.probesLeft] = [0, 0];
		const entry = this.find(executionId);
		if (entry === undefined || entry.granted === 0) return;
		// If it had a free slot, others have taken that, or the service does not know yet that a run has ended.
		this.probeAt = Date.now() + (entry.granted === Infinity ? NEXT_PROBE_MS : FIRST_PROBE_MS);
		entry.granted = 0;
	}

	/** Notes that an execution has started a run. If it was to probe, or is not queued, there may be still more slots. */
	noteStart(executionId: string): void {
		const entry = this.find(executionId);
		if (entry === undefined) this.probesLeft = Math.max(this.probesLeft, 1);
		else if (entry.granted !== Infinity) entry.granted = Math.max(0, entry.granted - 1);
		else this.probesLeft = Math.min(this.probesLeft + FURTHER_PROBES, MAX_PROBES);
	}

	/** Notes runs that have ended, each of which frees a slot. */
	noteEnds(taskIds: string[]): void {
		if (this.isEmpty) return;
		for (const taskId of taskIds) {
			if (!this.endedRuns.has(taskId)) this.free += 1;
			this.endedRuns.add(taskId);
			const [oldest = ''] = this.endedRuns;
			if (this.endedRuns.size > MAX_REMEMBERED) this.endedRuns.delete(oldest);
		}
	}

	/** The execution's position in the queue, from 1; undefined if it is not there. */
	positionOf(executionId: string): number | undefined {
		const index = this.entries.findIndex((entry) => entry.executionId === executionId);
		return index < 0 ? undefined : index + 1;
	}

	/** Says to people what an execution waits for, and its position; undefined if it is not in the queue. */
	describe({ executionId, slowed }: Pick<Ledger, 'executionId' | 'slowed'>): string | undefined {
		const position = this.positionOf(executionId);
		if (position === undefined) return undefined;
		const isSlow = slowed !== undefined || Date.now() < this.slowUntil;
		const why = isSlow ? SLOWED_DOWN : 'Waiting for a free slot of the plan.';
		return `${why} ${position === 1 ? 'It is next in line' : `Its place in line is ${position}`}.`;
	}

	/** How many runs an execution may start. Infinity: until one is turned away. @param queuedAt undefined if it does not wait */
	allowedStarts(executionId: string, queuedAt: number | undefined): number {
		const [first] = this.entries;
		if (first === undefined) return Infinity;
		if (Date.now() < this.slowUntil) return 0;
		const entry = this.find(executionId);
		// A newcomer lets the queue go first. One that has waited elsewhere, or has left the queue when n8n resumed it, may try.
		if (entry === undefined) return queuedAt === undefined ? 0 : Infinity;
		if (entry.grantedUntil > Date.now()) return entry.granted;
		// The first may try before its turn, as n8n's timer may have resumed it; not one that was queued while awake: it was just turned away.
		return entry === first && entry.suspension !== undefined ? Infinity : 0;
	}

	/** When slots can be granted next. 0: now; Infinity: never, as nobody can use them. */
	nextGrantAt(): number {
		const isDue = this.probesLeft > 0 || timeUntil(this.probeAt, NEXT_PROBE_MS) <= 0;
		const grantAt = this.free > 0 && this.entries.some(isGrantable) ? 0 : Infinity;
		const probeAt = this.entries.some(mayProbe) ? (isDue ? 0 : this.probeAt) : Infinity;
		const holdEnds = this.entries.map(({ grantedUntil }) => grantedUntil || Infinity);
		return Math.max(this.slowUntil, Math.min(grantAt, probeAt, ...holdEnds));
	}

	/**
	 * Grants free slots to the first in the queue, and lets them probe if that is due. An execution has its slots until it leaves
	 * the queue, is queued anew, or its turn is over.
	 *
	 * @returns the suspended executions that may start now
	 */
	grantSlots(): Suspension[] {
		const now = Date.now();
		this.requeueLate(now);
		if (now < this.slowUntil) return [];
		const granted = this.entries.filter((entry) => this.grantFree(entry, now));
		return [...granted, ...this.probe(now)].flatMap(({ suspension }) => suspension ?? []);
	}

	/** Until when nothing is to be started; 0 if the clock was set back since the service has asked for that. */
	private get slowUntil(): number {
		return Date.now() < this.slowed.since ? 0 : this.slowed.until;
	}

	private find(executionId: string): QueueEntry | undefined {
		return this.entries.find((entry) => entry.executionId === executionId);
	}

	/**
	 * Moves executions whose turn is over to the end of the queue, until they are suspended anew. One that n8n is resuming leaves
	 * it: n8n holds it back, maybe for hours, or a person has stopped it. Once awake it may start runs, until one is turned away.
	 */
	private requeueLate(now: number): void {
		const late = this.entries.filter(
			({ grantedUntil }) => grantedUntil > 0 && timeUntil(grantedUntil, GRANTED_FOR_MS) <= 0,
		);
		for (const entry of late) {
			const { executionId, wanted, suspension } = entry;
			// Its probe goes on: n8n is still called to resume it.
			if (entry.granted === Infinity) entry.granted = 0;
			if (suspension?.isClaimed === true) this.dequeue(executionId);
			else this.enqueue(executionId, now, wanted, 0, suspension);
		}
	}

	/** Grants it free slots, also if its turn has begun. @returns whether its turn begins now */
	private grantFree(entry: QueueEntry, now: number): boolean {
		const isNew = isGrantable(entry);
		const more = Math.min(this.free, entry.wanted - entry.granted);
		if (more <= 0 || (!isNew && entry.grantedUntil === 0)) return false;
		this.free -= more;
		entry.granted += more;
		if (isNew) entry.grantedUntil = now + GRANTED_FOR_MS;
		return isNew;
	}

	/** Lets the first in the queue probe that have no slots. @returns these */
	private probe(now: number): QueueEntry[] {
		const candidates = this.entries.filter(mayProbe);
		if (candidates.length === 0) return [];
		if (timeUntil(this.probeAt, NEXT_PROBE_MS) <= 0) {
			this.probesLeft = Math.max(this.probesLeft, 1);
			this.probeAt = now + NEXT_PROBE_MS;
		}
		const probing = candidates.slice(0, this.probesLeft);
		for (const entry of probing) {
			[entry.granted, entry.grantedUntil] = [Infinity, now + GRANTED_FOR_MS];
		}
		this.probesLeft = 0;
		return probing;
	}
}

/** Whether its turn has not come since it was queued, it may start runs, and is suspended, or awake since it was turned away. */
function isGrantable({ wanted, suspension, grantedUntil }: QueueEntry): boolean {
	return wanted > 0 && suspension?.hasEnded !== true && grantedUntil === 0;
}

/** The same, and it is suspended: only then a probe can resume it. */
function mayProbe(entry: QueueEntry): boolean {
	return entry.suspension !== undefined && isGrantable(entry);
}
