/** Far more than any of our work needs, on any machine, and far less than work that grows faster than its input. */
const MOST_SECONDS = 5;

/** Does some work, and fails when it keeps the process busy for longer than it may. */
export function inReasonableTime<T>(work: () => T): T {
	const begun = process.cpuUsage();
	const done = work();
	expect(process.cpuUsage(begun).user / 1e6).toBeLessThan(MOST_SECONDS);
	return done;
}
