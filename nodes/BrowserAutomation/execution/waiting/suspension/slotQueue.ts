import type { Running } from '../../../service/runs/statuses';
import { TakenSlots } from './takenSlots';

/**
 * The pause before the first in the queue tries a start although no slot seems free, in milliseconds; where a refused
 * start puts the believed number of slots in doubt; and at most, as the pause doubles.
 */
const FIRST_TRY_MS = 30_000;
const DOUBTFUL_TRY_MS = 5_000;
const LAST_TRY_MS = 90_000;

/** How long a resumed execution may take to start what it was given slots for, in milliseconds. */
const GIVEN_FOR_MS = 20_000;

/** How far apart the list of running runs is read, and where this process knows all that goes on, in milliseconds. */
const BETWEEN_COUNTS_MS = 2_000;
const BETWEEN_CHECKS_MS = 30_000;

/** How many starts go on at once after the service has asked to slow down, while no limit of the plan was met. */
const AFTER_SLOWDOWN = 20;

/** What is said of an execution that sends no starts because the service has asked to slow down. */
export const SLOWED_DOWN =
	'The service has asked to slow down (HTTP 429), so starts wait before they are sent again.';

/** An execution in the queue, and the slots that it was given and has not used yet: how many, and until when. */
interface QueueEntry {
	readonly executionId: string;
	readonly queuedAt: number;
	readonly starts: number;
	slots: number;
	until: number;
	/** Whether it was given a slot although none is free as far as is believed. */
	isTry: boolean;
}

/**
 * The executions of this process that wait for a free slot of the plan: first come, first served. Each process has its
 * own queue. Moments are in milliseconds since 1970.
 */
export class SlotQueue {
	/** Who has waited longest is first. */
	private places: QueueEntry[] = [];
	/** How many runs the plan lets go on at once, as far as is known; undefined while that limit was not met. */
	capacity: number | undefined;
	/** What was believed before a start was refused for which a slot should have been free; undefined once that is cleared up. */
	private doubted: number | undefined;
	private isLimited = false;
	private taken = new TakenSlots();
	/** Runs of ours that ended since slots were last given. */
	private ended = 0;
	private countedAt = 0;
	private tryAt = 0;
	private tryPause = FIRST_TRY_MS;
	/** Until when nothing is to be started, as the service has asked to slow down. */
	slowUntil = 0;

	/** Whether nobody waits. */
	get isEmpty(): boolean {
		return this.places.length === 0;
	}

	/**
	 * Puts an execution where it belongs by the time since which it waits.
	 *
	 * @param starts how many runs it has to start
	 * @param started how many it has just started at once: short ones may end unseen
	 * @param slowUntil when it may go on, where the service has asked it to slow down
	 */
	enqueue(executionId: string, queuedAt: number, starts: number, started = 0, slowUntil = 0): void {
		this.slowUntil = Math.max(this.slowUntil, slowUntil);
		if (this.isEmpty) this.begin();
		if (this.isEmpty && slowUntil === 0) this.isLimited = true;
		this.dequeue(executionId);
		this.places.push({ executionId, queuedAt, starts, slots: 0, until: 0, isTry: false });
		this.places.sort((one, other) => one.queuedAt - other.queuedAt);
		if (this.isLimited) this.believe(started);
	}

	dequeue(executionId: string): void {
		// Its try was not refused: the plan may have more slots yet.
		if (this.find(executionId)?.isTry === true) this.trySoon();
		this.places = this.places.filter((place) => place.executionId !== executionId);
	}

	/**
	 * Records that the plan's limit was met. If the start had been given a slot, the plan has one slot less than was
	 * believed, or somebody else took it: a try follows soon. A try that is refused changes nothing.
	 */
	refuse(executionId: string): void {
		this.isLimited = true;
		const own = this.find(executionId);
		if (own === undefined || own.until === 0 || this.capacity === undefined) return;
		if (own.isTry) {
			own.isTry = false;
			this.doubted = undefined;
			return;
		}
		this.doubted ??= this.capacity;
		this.capacity = Math.max(1, this.capacity - 1);
		this.trySoon();
	}

	/** Records runs that were started while executions wait. */
	start(taskIds: string[]): void {
		if (!this.isEmpty) this.taken.start(taskIds, Date.now());
	}

	/** Records runs that have ended: their slots are free. @returns whether they took any */
	end(taskIds: string[]): boolean {
		const ended = this.taken.end(taskIds);
		this.ended += ended;
		return ended > 0;
	}

	/** Whether it is known how many slots are free, whatever ends next. A plan that may have more than is believed is not. */
	get isSure(): boolean {
		const isDoubtful = this.capacity === undefined || this.tryPause < FIRST_TRY_MS;
		return !isDoubtful && this.taken.areAllOwn;
	}

	/** When the list of running runs is to be read next. @param pause how old it may be, where it is of use at once */
	countAt(pause?: number): number {
		if (this.isEmpty) return Infinity;
		const soon = Math.max(this.countedAt + (pause ?? BETWEEN_COUNTS_MS), this.slowUntil);
		if (!this.isSure || pause !== undefined) return soon;
		return Math.max(soon, Math.min(this.tryAt, this.countedAt + BETWEEN_CHECKS_MS));
	}

	/** Records that the list of running runs is being read. */
	recordReading(): void {
		this.countedAt = Date.now();
	}

	/** Records what the list tells. @param known as for `TakenSlots.read` */
	read(running: Running, known: ReadonlyMap<string, boolean>): void {
		this.taken.read(running, known, Date.now());
		if (this.isLimited && running.count !== undefined) this.believe(running.count);
	}

	/** The execution's place, from 1; undefined when it does not wait. */
	placeOf(executionId: string): number | undefined {
		const index = this.places.findIndex((place) => place.executionId === executionId);
		return index < 0 ? undefined : index + 1;
	}

	/** Where an execution stands, for people; undefined when it does not wait. */
	describe(executionId: string): string | undefined {
		const place = this.placeOf(executionId);
		if (place === undefined) return undefined;
		const before = place === 1 ? 'It is next in line' : `Its place in line is ${place}`;
		if (!this.isLimited || Date.now() < this.slowUntil) return `${SLOWED_DOWN} ${before}.`;
		const slots = this.doubted ?? this.capacity;
		// Without the list, others may have the other slots.
		const least = this.taken.count === undefined ? 'at least ' : '';
		const plan = slots === undefined ? '' : `; the plan runs ${least}${slots} at a time`;
		return `Waiting for a free slot of the plan. ${before}${plan}.`;
	}

	/**
	 * How many runs an execution may start now: none while others are before it; one for the first in the queue; any
	 * number for one that is not in line. @param queuedAt when it began to wait, if it has
	 */
	allowed(executionId: string, queuedAt: number | undefined, now: number): number {
		if (now < this.slowUntil && !this.isEmpty) return 0;
		const own = this.find(executionId);
		if (own !== undefined && own.until > now) return own.slots;
		const isOthersTurn = this.places.some(
			(place) => place !== own && (queuedAt === undefined || place.queuedAt < queuedAt || place.until > now),
		);
		if (isOthersTurn) return 0;
		return own === undefined ? Infinity : 1;
	}

	/**
	 * Gives free slots to the first in the queue. Each counts as taken until its execution has slept again
	 * or some time has passed. Where none is free, the first tries its luck now and then.
	 */
	give(now: number): ReadonlyArray<Readonly<QueueEntry>> {
		this.passOver(now);
		const free = this.freeSlots();
		this.ended = 0;
		if (now < this.slowUntil) return [];
		if (free > 0) return this.share(free, now);
		const tries = now < this.tryAt ? [] : this.share(1, now, true);
		if (tries.length > 0) {
			this.tryPause = Math.min(this.tryPause * 2, LAST_TRY_MS);
			this.tryAt = now + this.tryPause;
		}
		return tries;
	}

	private find(executionId: string): QueueEntry | undefined {
		return this.places.find((place) => place.executionId === executionId);
	}

	private begin(): void {
		this.tryAt = Date.now() + this.tryPause;
		this.taken = new TakenSlots();
		this.countedAt = 0;
	}

	private trySoon(): void {
		this.tryPause = DOUBTFUL_TRY_MS;
		this.tryAt = Math.min(this.tryAt, Date.now() + this.tryPause);
	}

	/** Records that so many runs have gone on at once. */
	private believe(seen: number): void {
		if (seen <= (this.capacity ?? 0)) return;
		this.capacity = seen;
		if (this.doubted === undefined || seen < this.doubted) return;
		this.doubted = undefined;
		this.tryPause = FIRST_TRY_MS;
		this.tryAt = Date.now() + this.tryPause;
	}

	/** Who did not use what it was given, as n8n cannot wake it, goes to the end of the line. */
	private passOver(now: number): void {
		const late = this.places.filter(({ until }) => until > 0 && until <= now);
		for (const { executionId, starts } of late) this.enqueue(executionId, now, starts);
	}

	/** Where the service does not tell how many runs go on, only ends of our own free slots. */
	private freeSlots(): number {
		const given = this.places
			.filter(({ isTry }) => !isTry)
			.reduce((sum, { slots }) => sum + slots, 0);
		if (!this.isLimited) return AFTER_SLOWDOWN - given;
		const { count } = this.taken;
		return count === undefined ? this.ended : (this.capacity ?? 0) - count - given;
	}

	private share(free: number, now: number, isTry = false): QueueEntry[] {
		let left = free;
		return this.places.filter((place) => {
			if (left <= 0 || place.until > 0) return false;
			place.slots = Math.min(left, place.starts);
			place.until = now + GIVEN_FOR_MS;
			place.isTry = isTry;
			left -= place.slots;
			return true;
		});
	}
}
