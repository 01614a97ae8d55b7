/** The CPU time of the yardstick on the machine for which bounds are written, with nothing else running, in seconds. */
const YARDSTICK_SECONDS = 0.1;

/** How often work that seems to take too long is measured. */
const TRIES = 5;

/**
 * Does some work, and fails when it keeps the process busy for as many seconds of CPU time, or longer. On a machine that is
 * slower, or so busy that the same work takes more CPU time, the bound is as much higher as a yardstick takes longer just
 * before the work or after it; and the quickest of several tries counts.
 *
 * @param work may be done several times
 */
export function withinCpuTime<T>(seconds: number, work: () => T): T {
	const begun = process.cpuUsage();
	const first = work();
	if (secondsSince(begun) < seconds) return first;
	let { done, took, slowness } = measured(work);
	for (let tries = 2; took >= seconds * slowness && tries < TRIES; tries++) {
		({ done, took, slowness } = measured(work));
	}
	expect(took).toBeLessThan(seconds * slowness);
	return done;
}

function measured<T>(work: () => T): { done: T; took: number; slowness: number } {
	const before = slownessNow();
	const begun = process.cpuUsage();
	const done = work();
	const took = secondsSince(begun);
	return { done, took, slowness: Math.max(before, slownessNow()) };
}

/** How many times more CPU time than on the machine for which bounds are written the same work takes now; 1 at least. */
export function slownessNow(): number {
	return Math.max(yardstick(), YARDSTICK_SECONDS) / YARDSTICK_SECONDS;
}

/** The CPU time of some work with objects, texts and what the garbage collector does with them. */
function yardstick(): number {
	const begun = process.cpuUsage();
	JSON.stringify(Array.from({ length: 200_000 }, (_, value) => ({ label: String(value), value })));
	return secondsSince(begun);
}

function secondsSince(begun: NodeJS.CpuUsage): number {
	return process.cpuUsage(begun).user / 1e6;
}
