import { memoryOf } from '../../../service/processMemory';
import { MAX_WATCH_PAUSE_MS, watchPause } from './schedule';
import type { Suspension } from './suspensions';

/** How many of the latest runs are remembered. */
const MAX_REMEMBERED = 100;

/** The shortest pause between two polls, in milliseconds. The longest is MAX_WATCH_PAUSE_MS, as a bot may have become quicker. */
const MIN_PAUSE_MS = 400;

/** The share of runs that end before the first poll. */
const ENDED_BEFORE = 0.1;

/** Up to this multiple of the longest time seen, polls stay close together. */
const STILL_USUAL = 1.25;

/**
 * How long the latest runs of one node took, and so when a poll may find that a run has ended. All times are in
 * milliseconds.
 */
export class RunTimes {
	private readonly latest: number[] = [];
	private sorted: number[] = [];
	private isCalledBack = false;

	/** @param byCallback whether a callback announced the end */
	record(took: number, byCallback: boolean): void {
		this.isCalledBack = byCallback;
		this.latest.push(Math.round(took));
		if (this.latest.length > MAX_REMEMBERED) this.latest.shift();
		this.sorted = [...this.latest].sort((a, b) => a - b);
	}

	/**
	 * The pause before the next poll of runs that matter when all of them have ended. Nothing is polled before the
	 * shortest time seen (of many runs, the slowest ends late), polls are close together up to the longest, and
	 * rare after it. Where callbacks come, polls begin after the longest.
	 *
	 * @param age since when the youngest of the runs goes on
	 * @param count how many runs there are
	 * @param usual the pause where nothing is known
	 */
	pause(age: number, count: number, usual: number): number {
		const { sorted } = this;
		const [shortest = 0] = sorted;
		const longest = sorted.at(-1);
		if (longest === undefined) return usual;
		const step = Math.max(MIN_PAUSE_MS, Math.min(Math.ceil((longest - shortest) / 8), usual));
		const place = Math.floor(sorted.length * ENDED_BEFORE ** (1 / count));
		const first = this.isCalledBack ? longest + step : (sorted[place] ?? longest);
		if (age < first) return Math.min(Math.max(first - age, MIN_PAUSE_MS), MAX_WATCH_PAUSE_MS);
		return age < longest * STILL_USUAL ? step : usual;
	}
}

/** How long the runs of each node take. */
const runTimes = memoryOf<RunTimes>('runTimes');
const TIMES_KEPT_FOR_MS = 24 * 3_600_000;

function runTimesOf(nodeKey: string): RunTimes {
	return runTimes.getOrMake(nodeKey, () => new RunTimes(), Date.now() + TIMES_KEPT_FOR_MS);
}

/** The runs of a batch that waits for more than this are polled only when none of them is seen running. */
export const MAX_POLLED = 100;

/** The least part of its time for which a run is taken to have gone on, where no poll has seen that. */
const SURELY = 0.9;

/** Learns from a run that has ended. @param byCallback whether a callback announced the end */
export function recordTime(suspension: Suspension, taskId: string, byCallback: boolean): void {
	const { nodeKey, timings, runs } = suspension;
	const run = timings.get(taskId);
	const isVague = run?.seenRunningAt === undefined && runs.size > MAX_POLLED;
	if (run === undefined || nodeKey === undefined || isVague) return;
	const took = Date.now() - run.startedAt;
	const least = Math.max((run.seenRunningAt ?? 0) - run.startedAt, took * SURELY);
	runTimesOf(nodeKey).record(byCallback ? took : (took + least) / 2, byCallback);
}

/**
 * How long the runs of a suspended execution need not be polled, in milliseconds.
 *
 * @param open those that are still waited for
 * @param unchangedFor how long nothing has happened to them
 * @param isEachWanted whether the end of one of several counts
 */
export function pollPauseFor(
	{ nodeKey, timings }: Suspension,
	open: string[],
	unchangedFor: number,
	isEachWanted: boolean,
): number {
	const now = Date.now();
	const usual = watchPause(unchangedFor);
	const ages = open.map((taskId) => now - (timings.get(taskId)?.startedAt ?? NaN));
	if (nodeKey === undefined || open.length === 0 || ages.some(Number.isNaN)) return usual;
	const times = runTimesOf(nodeKey);
	if (!isEachWanted) return times.pause(Math.min(...ages), ages.length, usual);
	return Math.min(...ages.map((age) => times.pause(age, 1, usual)));
}
