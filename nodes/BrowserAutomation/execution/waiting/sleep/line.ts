/** How long after the last free slot was found one execution tries its luck, in milliseconds: at first, and at most. */
const FIRST_TRY_MS = 30_000;
const LAST_TRY_MS = 900_000;

/** How long a woken execution may take to start what it was given slots for, in milliseconds. */
const GIVEN_FOR_MS = 20_000;

/** An execution in line, and what it was given that it has not used yet: how many slots, and until when. */
interface Place {
	readonly executionId: string;
	readonly since: number;
	readonly starts: number;
	slots: number;
	until: number;
}

/**
 * The line of executions that wait for a free slot of the plan: first come, first served. It knows
 * the executions of one process alone; another process has a line of its own, and meets this one
 * only where the service refuses a start. All times are in milliseconds since 1970.
 */
export class SlotLine {
	/** Who has waited longest is first. */
	private places: Place[] = [];
	/** The most runs known to go on at once since a start was last refused: what the plan allows, as far as is known. */
	capacity: number | undefined;
	/** The most that an execution has started at once since: short ones may end unseen. */
	private mostStarted = 0;
	/** Runs of ours that ended since slots were last given. */
	private ended = 0;
	private tryAt = 0;
	private tryPause = FIRST_TRY_MS;

	/** Whether nobody waits. */
	get isEmpty(): boolean {
		return this.places.length === 0;
	}

	/** Puts an execution, which has just started so many runs, where it belongs by the time since which it waits. */
	join(executionId: string, since: number, starts: number, started = 0): void {
		this.mostStarted = Math.max(this.mostStarted, started);
		if (this.isEmpty) this.tryAt = Date.now() + this.tryPause;
		this.leave(executionId);
		this.places.push({ executionId, since, starts, slots: 0, until: 0 });
		this.places.sort((one, other) => one.since - other.since);
	}

	leave(executionId: string): void {
		this.places = this.places.filter((place) => place.executionId !== executionId);
	}

	/** Notes that a start was refused: what was believed of the plan is wrong. */
	refuse(): void {
		this.capacity = undefined;
		this.mostStarted = 0;
	}

	/** Notes runs of ours that have ended. */
	end(count: number): void {
		this.ended += count;
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
		const plan = this.capacity === undefined ? '' : `; the plan runs ${this.capacity} at a time`;
		return `Waiting for a free slot of the plan. ${before}${plan}.`;
	}

	/**
	 * How many runs an execution may start now: none while others are before it; one for the first in line; any
	 * number for one that is not in line. @param since when it began to wait, if it has
	 */
	allowed(executionId: string, since: number | undefined, now: number): number {
		const own = this.places.find((place) => place.executionId === executionId);
		if (own !== undefined && own.until > now) return own.slots;
		const isOthersTurn = this.places.some(
			(place) => place !== own && (since === undefined || place.since < since || place.until > now),
		);
		if (isOthersTurn) return 0;
		return own === undefined ? Infinity : 1;
	}

	/**
	 * Gives free slots to the first in line. Each counts as taken until its execution has slept again
	 * or some time has passed.
	 *
	 * @param running how many runs of the account are running; undefined where the service does not
	 * tell, so that only ends of our own runs free slots
	 * @param begun how many of ours have been created and are not running yet
	 */
	give(running: number | undefined, begun: number, now: number): ReadonlyArray<Readonly<Place>> {
		this.passOver(now);
		const free = this.freeSlots(running, begun);
		this.ended = 0;
		const grants = this.share(Math.max(free, this.isEmpty || now < this.tryAt ? 0 : 1), now);
		if (free > 0) this.tryPause = FIRST_TRY_MS;
		else if (grants.length > 0) this.tryPause = Math.min(this.tryPause * 2, LAST_TRY_MS);
		if (grants.length > 0) this.tryAt = now + this.tryPause;
		return grants;
	}

	/** Who did not use what it was given, as n8n cannot wake it, goes to the end of the line. */
	private passOver(now: number): void {
		const late = this.places.filter(({ until }) => until > 0 && until <= now);
		for (const { executionId, starts } of late) this.join(executionId, now, starts);
	}

	private freeSlots(running: number | undefined, begun: number): number {
		if (running === undefined) return this.ended;
		this.capacity = Math.max(this.capacity ?? 0, this.mostStarted, running);
		const taken = this.places.reduce((sum, { slots }) => sum + slots, 0);
		return this.capacity - running - begun - taken;
	}

	private share(free: number, now: number): Place[] {
		let left = free;
		return this.places.filter((place) => {
			if (left <= 0 || place.until > 0) return false;
			place.slots = Math.min(left, place.starts);
			place.until = now + GIVEN_FOR_MS;
			left -= place.slots;
			return true;
		});
	}
}
