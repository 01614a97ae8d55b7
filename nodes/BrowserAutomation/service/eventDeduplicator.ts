import { CALLBACK_EVENTS, type CallbackEventName, type RunEvent } from './runEvents';
import { isTerminal, RUN_STATUSES, type RunStatus } from './runStatus';

/** What is known of a run: its latest status, the one before, and which of its events were emitted. */
interface Known {
	status: RunStatus;
	previous: RunStatus | undefined;
	emitted: ReadonlySet<CallbackEventName>;
}

const NOTHING = '-';

/**
 * Remembers which events of which run were emitted, so that none is emitted twice. It forgets the
 * runs that were heard of longest ago. An event that is emitted is confirmed when it got through, or
 * taken back; until then it is not written, so that it is not lost if the process dies.
 */
export class EventDeduplicator {
	/** By task ID, in the order in which the runs were heard of. */
	private readonly runs = new Map<string, Known>();

	/** Events that were emitted, and of which nobody knows yet whether they get through. */
	private readonly underWay = new Set<RunEvent>();

	/** @param most how many runs are remembered */
	constructor(private readonly most: number) {}

	/** Whether anything was heard of the run. */
	knows(taskId: string): boolean {
		return this.runs.has(taskId);
	}

	/** Whether all of these events of the run were emitted in this status, or it ended otherwise. */
	hasEmitted(taskId: string, status: RunStatus, events: readonly CallbackEventName[]): boolean {
		const known = this.runs.get(taskId);
		if (known === undefined) return false;
		const isOver = isTerminal(known.status);
		if (known.status !== status && !isOver) return false;
		return events.every(
			(event) => known.emitted.has(event) || (!isOver && event === 'runCompleted'),
		);
	}

	/**
	 * Takes note of a run's status, as the service has it, and of which of its events are emitted now.
	 *
	 * @returns the events that are new; none for a repeat, nor when the run had ended before
	 */
	emit(taskId: string, status: RunStatus, events: readonly CallbackEventName[]): RunEvent[] {
		const before = this.runs.get(taskId);
		if (before !== undefined && isTerminal(before.status) && before.status !== status) return [];
		const known: Known =
			before?.status === status
				? before
				: { status, previous: before?.status, emitted: new Set<CallbackEventName>() };
		const fresh = events.filter(
			(event) => !known.emitted.has(event) && (event === 'runStatusChanged' || isTerminal(status)),
		);
		this.put(taskId, { ...known, emitted: new Set([...known.emitted, ...fresh]) });
		const { previous } = known;
		const news: RunEvent[] = fresh.map((event) => ({
			event,
			taskId,
			status,
			...(previous !== undefined && { previousStatus: previous }),
		}));
		for (const event of news) this.underWay.add(event);
		return news;
	}

	/** Takes note that events that `emit` returned got through. */
	confirm(emitted: readonly RunEvent[]): void {
		for (const event of emitted) this.underWay.delete(event);
	}

	/** Takes back that events that `emit` returned were emitted, because they did not get through. */
	takeBack(emitted: readonly RunEvent[]): void {
		this.confirm(emitted);
		for (const { taskId, status, event } of emitted) {
			const known = this.runs.get(taskId);
			if (known?.status !== status) continue;
			const others = [...known.emitted].filter((name) => name !== event);
			this.runs.set(taskId, { ...known, emitted: new Set(others) });
		}
	}

	/** The latest `most` runs as short texts, to be kept outside. Events under way are left out. */
	write(most: number): string[] {
		const underWay = new Set([...this.underWay].map(nameOf));
		return [...this.runs].slice(-most).map(([taskId, { status, previous, emitted }]) => {
			const gotThrough = CALLBACK_EVENTS.filter(
				({ name }) => emitted.has(name) && !underWay.has(nameOf({ event: name, taskId, status })),
			);
			const letters = gotThrough.map(({ letter }) => letter).join('');
			return [status, previous ?? NOTHING, letters === '' ? NOTHING : letters, taskId].join(' ');
		});
	}

	/**
	 * Adds what was kept outside, by this process or another. What is known of a run here already
	 * stays, unless the run has ended there.
	 */
	add(texts: readonly string[]): void {
		for (const text of texts) {
			const read = readKnown(text);
			if (read === undefined) continue;
			const [taskId, kept] = read;
			const own = this.runs.get(taskId);
			if (own === undefined) {
				this.put(taskId, kept);
			} else if (own.status === kept.status) {
				this.runs.set(taskId, { ...own, emitted: new Set([...own.emitted, ...kept.emitted]) });
			} else if (isTerminal(kept.status) && !isTerminal(own.status)) {
				this.runs.set(taskId, kept);
			}
		}
	}

	private put(taskId: string, known: Known): void {
		this.runs.delete(taskId);
		this.runs.set(taskId, known);
		for (const oldest of this.runs.keys()) {
			if (this.runs.size <= this.most) break;
			this.runs.delete(oldest);
		}
	}
}

/** What tells an event from others. */
function nameOf({ event, taskId, status }: RunEvent): string {
	return `${event} ${status} ${taskId}`;
}

function readKnown(text: string): [string, Known] | undefined {
	const [status, previous, letters, ...rest] = text.split(' ');
	const known = readStatus(status);
	const taskId = rest.join(' ');
	if (known === undefined || letters === undefined || taskId === '') return undefined;
	const emitted = CALLBACK_EVENTS.filter(({ letter }) => letters.includes(letter));
	const names = emitted.map(({ name }) => name);
	return [taskId, { status: known, previous: readStatus(previous), emitted: new Set(names) }];
}

function readStatus(text: string | undefined): RunStatus | undefined {
	if (text === 'unknown') return text;
	return RUN_STATUSES.find((status) => status === text);
}
