import { CALLBACK_EVENTS, type CallbackEventName, type RunEvent } from './runEvents';
import { isTerminal, RUN_STATUSES, type RunStatus } from './runStatus';

/** What is known of a run: its latest status, the one before, and which events of it were told. */
interface Known {
	status: RunStatus;
	previous: RunStatus | undefined;
	told: ReadonlySet<CallbackEventName>;
}

const NOTHING = '-';

/**
 * Remembers what was told of which run, so that the same thing is never told twice. It forgets the
 * runs that were heard of longest ago.
 */
export class EventDeduplicator {
	/** By task ID, in the order in which the runs were heard of. */
	private readonly runs = new Map<string, Known>();

	/** @param most how many runs are remembered */
	constructor(private readonly most: number) {}

	/** Whether all of these events were told of the run in this status, or it ended otherwise. */
	hasTold(taskId: string, status: RunStatus, events: readonly CallbackEventName[]): boolean {
		const known = this.runs.get(taskId);
		if (known === undefined) return false;
		const isOver = isTerminal(known.status);
		if (known.status !== status && !isOver) return false;
		return events.every((event) => known.told.has(event) || (!isOver && event === 'runCompleted'));
	}

	/**
	 * Takes note of a run's status, as the service tells it, and of which events are told of it now.
	 *
	 * @returns the events that are new; none for a repeat, nor when the run had ended before
	 */
	tell(taskId: string, status: RunStatus, events: readonly CallbackEventName[]): RunEvent[] {
		const before = this.runs.get(taskId);
		if (before !== undefined && isTerminal(before.status) && before.status !== status) return [];
		const known: Known =
			before?.status === status
				? before
				: { status, previous: before?.status, told: new Set<CallbackEventName>() };
		const fresh = events.filter(
			(event) => !known.told.has(event) && (event === 'runStatusChanged' || isTerminal(status)),
		);
		this.put(taskId, { ...known, told: new Set([...known.told, ...fresh]) });
		const { previous } = known;
		return fresh.map((event) => ({
			event,
			taskId,
			status,
			...(previous !== undefined && { previousStatus: previous }),
		}));
	}

	/** Takes back that events of a run were told, because they did not get through. */
	takeBack(taskId: string, events: readonly CallbackEventName[]): void {
		const known = this.runs.get(taskId);
		if (known === undefined) return;
		const told = [...known.told].filter((event) => !events.includes(event));
		this.runs.set(taskId, { ...known, told: new Set(told) });
	}

	/** The latest `most` runs as short texts, to be kept outside. */
	write(most: number): string[] {
		return [...this.runs].slice(-most).map(([taskId, { status, previous, told }]) => {
			const letters = CALLBACK_EVENTS.filter(({ name }) => told.has(name))
				.map(({ letter }) => letter)
				.join('');
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
				this.runs.set(taskId, { ...own, told: new Set([...own.told, ...kept.told]) });
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

function readKnown(text: string): [string, Known] | undefined {
	const [status, previous, letters, ...rest] = text.split(' ');
	const known = readStatus(status);
	const taskId = rest.join(' ');
	if (known === undefined || letters === undefined || taskId === '') return undefined;
	const told = CALLBACK_EVENTS.filter(({ letter }) => letters.includes(letter));
	const names = told.map(({ name }) => name);
	return [taskId, { status: known, previous: readStatus(previous), told: new Set(names) }];
}

function readStatus(text: string | undefined): RunStatus | undefined {
	if (text === 'unknown') return text;
	return RUN_STATUSES.find((status) => status === text);
}
