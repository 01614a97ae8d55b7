/** Does some work, and fails when it keeps the process busy for as many seconds of CPU time, or longer. */
export function withinCpuTime<T>(seconds: number, work: () => T): T {
	const begun = process.cpuUsage();
	const done = work();
	expect(process.cpuUsage(begun).user / 1e6).toBeLessThan(seconds);
	return done;
}
