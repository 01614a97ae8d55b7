import { writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

/*
 * Ends the process when a mutant keeps it busy without end, where no timer of its own would ever fire. It leaves the mutant's ID
 * in a file, for the process that comes after it (./runner.mjs).
 */

/** More CPU time than this no test takes in one go, in milliseconds. */
const MAX_WORK_MS = 15_000;

let mutant;
let begun = process.cpuUsage();

// A message comes for each mutant, and again and again while the process is not stuck.
parentPort.on('message', (activeMutant) => {
	mutant = activeMutant;
	begun = process.cpuUsage();
});

setInterval(() => {
	if (mutant === undefined) return;
	const { user, system } = process.cpuUsage(begun);
	if ((user + system) / 1_000 < MAX_WORK_MS) return;
	writeFileSync(workerData.endless, mutant);
	process.kill(process.pid, 'SIGKILL');
}, 500);
