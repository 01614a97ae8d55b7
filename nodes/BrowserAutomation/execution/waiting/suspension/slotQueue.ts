import type { Running } from '../../../service/runs/statuses';
import { TakenSlots, type OpenRuns } from './takenSlots';

/**
 * How long the first in the queue waits until it _probes_: it starts a run although no slot seems free. In milliseconds: the
 * usual pause, the pause where the capacity is in doubt, and the longest, as the pause doubles with each probe.
 */
const FIRST_PROBE_MS = 30_000;
const DOUBTFUL_PROBE_MS = 5_000;
const MAX_PROBE_MS = 90_000;

/** How long a resumed execution may take to use the slots that it was granted, in milliseconds. */
const GRANTED_FOR_MS = 20_000;

/** How often the list of running runs is read; and how often if this process knows all runs that go on. In milliseconds. */
const READ_EVERY_MS = 2_000;
const READ_EVERY_IF_SURE_MS = 30_000;

/** How many starts go on at once after the service has asked to slow down, while no limit of the plan was met. */
const STARTS_AFTER_SLOWDOWN = 20;

/** What is said of an execution that sends no starts because the service has asked to slow down. */
export const SLOWED_DOWN =
	'The service has asked to slow down (HTTP 429), so starts wait before they are sent again.';

/** An execution in the queue. */
interface QueueEntry {
	readonly executionId: string;
	readonly queuedAt: number;
	/** How many runs it has to start. */
	readonly starts: number;
	/** The slots that it was granted, and until when they are held for it; 0 while it has none. */
	slots: number;
	grantedUntil: number;
	/** Whether it was granted a slot although none seemed free. */
	isProbe: boolean;
}

/**
 * The executions of this process that wait for a free slot of the plan: first come, first served. Each process has its
 * own queue, and its own estimate of the capacity, the most runs seen to go on at once. Moments are in milliseconds since 1970.
 */
export class SlotQueue {
	/** The execution that has waited longest is first. */
	private entries: QueueEntry[] = [];
	/** How many runs the plan lets go on at once, as estimated; undefined before the limit was met. */
	capacity: number | undefined;
	/** The capacity before the service refused starts that had a slot; undefined if it has not, or a probe was refused since. */
	private capacityBeforeRefusals: number | undefined;
	/** Whether a start was refused because of the plan's limit. Else executions wait because they were to slow down. */
	private hasMetLimit = false;
	private taken = new TakenSlots();
	/** How many runs of this process ended since slots were last granted. */
	private ended = 0;
	private readBegunAt = 0;
	private probeAt = 0;
	private probePause = FIRST_PROBE_MS;
	/** Until when nothing is to be started, because the service has asked to slow down. */
	slowUntil = 0;

	/** Whether no execution waits. */
	get isEmpty(): boolean {
		return this.entries.length === 0;
	}

	/**
	 * Puts an execution in the queue, by when it began to wait.
	 *
	 * @param starts how many runs it has to start
	 * @param slowUntil when it may go on, if it waits because the service has asked to slow down
	 */
	enqueue(executionId: string, queuedAt: number, starts: number, slowUntil = 0): void {
		this.slowUntil = Math.max(this.slowUntil, slowUntil);
		if (this.isEmpty) {
			this.reset();
			this.hasMetLimit ||= slowUntil === 0;
		}
		this.dequeue(executionId);
		this.entries.push({ executionId, queuedAt, starts, slots: 0, grantedUntil: 0, isProbe: false });
		this.entries.sort((one, other) => one.queuedAt - other.queuedAt);
	}

	/** Takes an execution out of the queue, if it is there. */
	dequeue(executionId: string): void {
		// It leaves with a probe that was not refused: the plan may have still more slots.
		if (this.find(executionId)?.isProbe === true) this.probeSoon();
		this.entries = this.entries.filter((entry) => entry.executionId !== executionId);
	}

	/**
	 * Records that a start was refused because of the plan's limit. If it had been granted a slot, the plan has one slot
	 * less than estimated, or somebody else took it: a probe follows soon. A refused probe confirms the capacity.
	 */
	recordLimitMet(executionId: string): void {
		this.hasMetLimit = true;
		const own = this.find(executionId);
		if (own === undefined || own.grantedUntil === 0 || this.capacity === undefined) return;
		if (own.isProbe) {
			own.isProbe = false;
			this.capacityBeforeRefusals = undefined;
			return;
		}
		this.capacityBeforeRefusals ??= this.capacity;
		this.capacity = Math.max(1, this.capacity - 1);
		this.probeSoon();
	}

	/** Records runs that were started while executions wait. */
	recordStarts(taskIds: string[]): void {
		if (!this.isEmpty) this.taken.recordStarts(taskIds, Date.now());
	}

	/** Records runs that have ended: their slots are free. @returns whether they took any */
	recordEnds(taskIds: string[]): boolean {
		const ended = this.taken.recordEnds(taskIds);
		this.ended += ended;
		return ended > 0;
	}

	/** Whether the number of free slots is known without reading the list: this process knows all runs, and the capacity. */
	get knowsFreeSlots(): boolean {
		const isInDoubt = this.probePause < FIRST_PROBE_MS;
		return this.capacity !== undefined && !isInDoubt && this.taken.areAllOwn;
	}

	/** When the list of running runs is to be read next. @param maxAge how old it may be (in milliseconds), if it saves other requests */
	nextReadAt(maxAge?: number): number {
		if (this.isEmpty) return Infinity;
		const soon = Math.max(this.readBegunAt + (maxAge ?? READ_EVERY_MS), this.slowUntil);
		if (!this.knowsFreeSlots || maxAge !== undefined) return soon;
		return Math.max(soon, Math.min(this.probeAt, this.readBegunAt + READ_EVERY_IF_SURE_MS));
	}

	/** Records that the list of running runs is being read. */
	recordReadBegun(): void {
		this.readBegunAt = Date.now();
	}

	/** Records what the list of running runs says. @param open the open runs of suspended executions, with their last known status */
	recordList(running: Running, open: OpenRuns): void {
		this.taken.recordList(running, open, Date.now());
		if (running.count !== undefined) this.raiseCapacity(running.count);
	}

	/** Records that so many runs went on at once: the capacity is no less. At what it was before the refusals, its doubt ends. */
	raiseCapacity(seen: number): void {
		if (!this.hasMetLimit || seen <= (this.capacity ?? 0)) return;
		this.capacity = seen;
		if (this.capacityBeforeRefusals === undefined || seen < this.capacityBeforeRefusals) return;
		this.capacityBeforeRefusals = undefined;
		this.probePause = FIRST_PROBE_MS;
		this.probeAt = Date.now() + this.probePause;
	}

	/** The execution's position in the queue, from 1; undefined if it is not there. */
	positionOf(executionId: string): number | undefined {
		const index = this.entries.findIndex((entry) => entry.executionId === executionId);
		return index < 0 ? undefined : index + 1;
	}

	/** Says to people what an execution waits for, and its position; undefined if it is not in the queue. */
	describe(executionId: string): string | undefined {
		const position = this.positionOf(executionId);
		if (position === undefined) return undefined;
		const before = position === 1 ? 'It is next in line' : `Its place in line is ${position}`;
		if (!this.hasMetLimit || Date.now() < this.slowUntil) return `${SLOWED_DOWN} ${before}.`;
		const slots = this.capacityBeforeRefusals ?? this.capacity;
		// Where the service does not say how many runs go on, runs of others may take further slots.
		const least = this.taken.count === undefined ? 'at least ' : '';
		const plan = slots === undefined ? '' : `; the plan runs ${least}${slots} at a time`;
		return `Waiting for a free slot of the plan. ${before}${plan}.`;
	}

	/**
	 * How many runs an execution may start now. If it has slots, as many as these. Else none while others have waited for longer
	 * or have slots. Else one if it is in the queue, and any number if it is not.
	 *
	 * @param queuedAt when it began to wait; undefined if it does not
	 */
	allowedStarts(executionId: string, queuedAt: number | undefined, now: number): number {
		if (now < this.slowUntil && !this.isEmpty) return 0;
		const own = this.find(executionId);
		if (own !== undefined && own.grantedUntil > now) return own.slots;
		const others = this.entries.filter((entry) => entry !== own);
		const since = queuedAt ?? Infinity;
		if (others.some((other) => other.queuedAt < since || other.grantedUntil > now)) return 0;
		return own === undefined ? Infinity : 1;
	}

	/**
	 * Grants free slots to the first in the queue: they count as taken until the execution leaves the queue, is queued anew,
	 * or did not use them in time. If none is free, the first may probe now and then. @returns the executions that may start now
	 */
	grantSlots(now: number): ReadonlyArray<Readonly<QueueEntry>> {
		this.requeueLate(now);
		const free = this.freeSlots();
		this.ended = 0;
		if (now < this.slowUntil) return [];
		if (free > 0) return this.grant(free, now);
		const probes = now < this.probeAt ? [] : this.grant(1, now, true);
		if (probes.length > 0) {
			this.probePause = Math.min(this.probePause * 2, MAX_PROBE_MS);
			this.probeAt = now + this.probePause;
		}
		return probes;
	}

	private find(executionId: string): QueueEntry | undefined {
		return this.entries.find((entry) => entry.executionId === executionId);
	}

	private reset(): void {
		this.probeAt = Date.now() + this.probePause;
		this.taken = new TakenSlots();
		this.readBegunAt = 0;
	}

	private probeSoon(): void {
		this.probePause = DOUBTFUL_PROBE_MS;
		this.probeAt = Math.min(this.probeAt, Date.now() + this.probePause);
	}

	/** Moves executions to the end of the queue that did not use their slots in time, because n8n cannot resume them. */
	private requeueLate(now: number): void {
		const late = this.entries.filter(({ grantedUntil }) => grantedUntil > 0 && grantedUntil <= now);
		for (const { executionId, starts } of late) this.enqueue(executionId, now, starts);
	}

	/** How many slots are free. Where the service does not say how many runs go on: as many as runs of this process have ended. */
	private freeSlots(): number {
		const granted = this.entries
			.filter(({ isProbe }) => !isProbe)
			.reduce((sum, { slots }) => sum + slots, 0);
		if (!this.hasMetLimit) return STARTS_AFTER_SLOWDOWN - granted;
		const { count } = this.taken;
		return count === undefined ? this.ended : (this.capacity ?? 0) - count - granted;
	}

	/** Grants so many slots, from the first in the queue on. @returns the executions that were granted some */
	private grant(free: number, now: number, isProbe = false): QueueEntry[] {
		let left = free;
		return this.entries.filter((entry) => {
			if (left <= 0 || entry.grantedUntil > 0) return false;
			entry.slots = Math.min(left, entry.starts);
			entry.grantedUntil = now + GRANTED_FOR_MS;
			entry.isProbe = isProbe;
			left -= entry.slots;
			return true;
		});
	}
}
