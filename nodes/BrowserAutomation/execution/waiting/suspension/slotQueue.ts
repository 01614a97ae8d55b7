import type { Ledger } from '../batch/ledger';
import { timeUntil } from '../schedule';

/**
 * How long the first in the queue waits until it _probes_: it is resumed although no slot is known to be free, and starts
 * runs one at a time until one is refused. In milliseconds: at first and after a slot that should have been free was not, and after a probe.
 */
const FIRST_PROBE_MS = 2_000;
const NEXT_PROBE_MS = 10_000;

/** How many probes follow each run that one has started, and how many executions probe after the service has asked to slow down. */
const FURTHER_PROBES = 2;
const PROBES_AFTER_SLOWDOWN = 20;

/** How long an execution may take to use the slots that it was granted, in milliseconds. */
const GRANTED_FOR_MS = 20_000;

/** How many runs are remembered whose ends have freed a slot, so that each frees one only. */
const MAX_REMEMBERED = 1_000;

/** What is said of an execution that sends no starts because the service has asked to slow down. */
export const SLOWED_DOWN =
	'The service has asked to slow down (HTTP 429), so starts wait before they are sent again.';

/** What the queue knows of a suspended execution. */
interface Suspended {
	/** Whether it is awake again. */
	readonly hasEnded: boolean;
}

/** An execution in the queue. */
interface QueueEntry<Waiting> {
	readonly executionId: string;
	readonly queuedAt: number;
	/** How many runs it may start now, or when it is resumed. */
	readonly dueStarts: number;
	/** Undefined while it is awake. */
	readonly suspension: Waiting | undefined;
	/** The slots that it was granted and has not used, and until when they are held for it; 0 while it has none. */
	granted: number;
	grantedUntil: number;
	/** Whether it was resumed to probe. */
	isProbe: boolean;
}

/**
 * The executions of this process that wait for a free slot of the plan: first come, first served. The end of a run of this
 * process frees a slot. What others take and free shows when the first probes: the service alone knows whether a slot is
 * free, and refuses a start where none is (10118). Moments are in milliseconds since 1970.
 */
export class SlotQueue<Waiting extends Suspended> {
	/** The execution that has waited longest is first. */
	private entries: Array<QueueEntry<Waiting>> = [];
	/** How many slots are free that nobody was granted, and how many more executions may probe. */
	private free = 0;
	private probes = 0;
	private probeAt = 0;
	/** Runs whose ends have freed a slot. */
	private readonly ended = new Set<string>();
	/** Until when nothing is to be started, because the service has asked to slow down. */
	private slowUntil = 0;

	/** Whether no execution waits. */
	get isEmpty(): boolean {
		return this.entries.length === 0;
	}

	/**
	 * Puts an execution in the queue, by when it began to wait.
	 *
	 * @param dueStarts how many runs it may start now, or when it is resumed
	 * @param slowUntil when it may go on, if it waits because the service has asked to slow down
	 * @param suspension undefined while it is awake
	 */
	enqueue(
		executionId: string,
		queuedAt: number,
		dueStarts: number,
		slowUntil = 0,
		suspension?: Waiting,
	): void {
		if (this.isEmpty) {
			this.ended.clear();
			this.free = 0;
			this.probes = slowUntil > 0 ? PROBES_AFTER_SLOWDOWN : 0;
			this.probeAt = Date.now() + FIRST_PROBE_MS;
		}
		this.slowUntil = Math.max(this.slowUntil, slowUntil);
		this.dequeue(executionId);
		const ungranted = { granted: 0, grantedUntil: 0, isProbe: false };
		this.entries.push({ executionId, queuedAt, dueStarts, suspension, ...ungranted });
		this.entries.sort((one, other) => one.queuedAt - other.queuedAt);
	}

	/** Takes an execution out of the queue, if it is there. @param isResumed whether it uses its slots elsewhere; else others get them */
	dequeue(executionId: string, isResumed = false): void {
		const own = this.find(executionId);
		if (own !== undefined && !isResumed) this.free += own.granted;
		this.entries = this.entries.filter((entry) => entry !== own);
	}

	/** Notes that a start was refused because of the plan's limit: no slot is free. */
	noteNoSlot(executionId: string): void {
		[this.free, this.probes] = [0, 0];
		const own = this.find(executionId);
		if (own === undefined || (own.granted === 0 && !own.isProbe)) return;
		// If it had a free slot, others have taken that, or the service does not know yet that a run has ended.
		this.probeAt = Date.now() + (own.isProbe ? NEXT_PROBE_MS : FIRST_PROBE_MS);
		Object.assign(own, { granted: 0, isProbe: false });
	}

	/** Notes that an execution has started a run. If it was to probe, or has never waited, there may be still more slots. */
	noteStart(executionId: string): void {
		const own = this.find(executionId);
		if (own === undefined) this.probes = Math.max(this.probes, 1);
		else if (own.isProbe) this.probes += FURTHER_PROBES;
		else own.granted = Math.max(0, own.granted - 1);
	}

	/** Notes runs that have ended, each of which frees a slot. */
	noteEnds(taskIds: string[]): void {
		if (this.isEmpty) return;
		for (const taskId of taskIds) {
			if (!this.ended.has(taskId)) this.free += 1;
			this.ended.add(taskId);
			const [oldest = ''] = this.ended;
			if (this.ended.size > MAX_REMEMBERED) this.ended.delete(oldest);
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

	/**
	 * How many runs an execution may start now. Infinity: until one is refused.
	 *
	 * @param queuedAt when it began to wait; undefined if it does not
	 */
	allowedStarts(executionId: string, queuedAt: number | undefined, now: number): number {
		const [first] = this.entries;
		if (first === undefined) return Infinity;
		if (now < this.slowUntil) return 0;
		const own = this.find(executionId);
		// One that is new here lets those go first that wait, unless another process had it in its queue.
		if (own === undefined) return queuedAt === undefined ? 0 : Infinity;
		if (own.grantedUntil > now) return own.isProbe ? Infinity : own.granted;
		// One that was refused while it is awake is not told to try again.
		return own === first && own.suspension !== undefined ? Infinity : 0;
	}

	/** When slots can be granted next; never where nobody can use them. */
	nextGrantAt(): number {
		const isDue = this.probes > 0 || timeUntil(this.probeAt, NEXT_PROBE_MS) <= 0;
		const grantAt = this.free > 0 && this.entries.some(isGrantable) ? 0 : Infinity;
		const probeAt = this.entries.some(mayProbe) ? (isDue ? 0 : this.probeAt) : Infinity;
		const late = this.entries.map(({ grantedUntil }) => grantedUntil || Infinity);
		return Math.max(this.slowUntil, Math.min(grantAt, probeAt, ...late));
	}

	/**
	 * Grants free slots to the first in the queue, and lets it probe if that is due. They are held for it until it leaves the
	 * queue, is queued anew, or did not use them in time.
	 *
	 * @returns the suspended executions that may start now
	 */
	grantSlots(now: number): Waiting[] {
		this.requeueLate(now);
		if (now < this.slowUntil) return [];
		const granted = [...this.grantFree(now), ...this.probe(now)];
		return granted.flatMap(({ suspension }) => suspension ?? []);
	}

	private find(executionId: string): QueueEntry<Waiting> | undefined {
		return this.entries.find((entry) => entry.executionId === executionId);
	}

	/** Moves executions to the end of the queue that did not use their slots in time, as where n8n cannot resume them. */
	private requeueLate(now: number): void {
		const late = this.entries.filter(
			({ grantedUntil }) => grantedUntil > 0 && timeUntil(grantedUntil, GRANTED_FOR_MS) <= 0,
		);
		for (const { executionId, dueStarts, suspension } of late) {
			this.enqueue(executionId, now, dueStarts, 0, suspension);
		}
	}

	/** Grants free slots, from the first in the queue on, also to those that hold some. @returns who had none */
	private grantFree(now: number): Array<QueueEntry<Waiting>> {
		const granted: Array<QueueEntry<Waiting>> = [];
		for (const entry of this.entries) {
			const isNew = isGrantable(entry);
			const more = Math.min(this.free, entry.dueStarts - entry.granted);
			if (more === 0 || entry.isProbe || (!isNew && entry.grantedUntil === 0)) continue;
			this.free -= more;
			entry.granted += more;
			if (!isNew) continue;
			entry.grantedUntil = now + GRANTED_FOR_MS;
			granted.push(entry);
		}
		return granted;
	}

	/** Lets the first in the queue probe that have no slots. @returns these */
	private probe(now: number): Array<QueueEntry<Waiting>> {
		if (timeUntil(this.probeAt, NEXT_PROBE_MS) <= 0) {
			this.probes = Math.max(this.probes, 1);
			this.probeAt = now + NEXT_PROBE_MS;
		}
		const probing = this.entries.filter(mayProbe).slice(0, this.probes);
		for (const entry of probing) {
			Object.assign(entry, { isProbe: true, grantedUntil: now + GRANTED_FOR_MS });
		}
		this.probes = 0;
		return probing;
	}
}

/** Whether it was granted nothing, and is suspended or, since a start was refused, still awake and may start runs. */
function isGrantable({ dueStarts, suspension, grantedUntil }: QueueEntry<Suspended>): boolean {
	return dueStarts > 0 && suspension?.hasEnded !== true && grantedUntil === 0;
}

/** Whether it was granted nothing, and is suspended. */
function mayProbe(entry: QueueEntry<Suspended>): boolean {
	return entry.suspension !== undefined && isGrantable(entry);
}
