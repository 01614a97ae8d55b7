import { readdirSync, readFileSync } from 'node:fs';

/** What a process and its descendants use at one moment. Linux only: read from /proc. */
export interface Usage {
	/** Resident memory, in bytes. */
	memory: number;
	/** CPU time since the start, user and system, in milliseconds; includes descendants that have ended. */
	cpu: number;
}

interface ProcessStat {
	pid: number;
	parent: number;
	group: number;
	ticks: number;
	residentPages: number;
}

const millisecondsPerTick = 10;
const pageSize = 4096;

/** Reads `/proc/PID/stat`; undefined when the process is gone. */
function readStat(pid: number): ProcessStat | undefined {
	let text: string;
	try {
		text = readFileSync(`/proc/${pid}/stat`, 'utf8');
	} catch {
		return undefined;
	}
	// The command name, in parentheses, may itself hold spaces: fields count from behind it, starting with number 3.
	const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
	const field = (number: number) => Number(fields[number - 3] ?? 0);
	return {
		pid,
		parent: field(4),
		group: field(5),
		ticks: field(14) + field(15) + field(16) + field(17),
		residentPages: field(24),
	};
}

/** Process ID of a process's parent; undefined when the process is gone, or where there is no /proc. */
export function parentOf(pid: number): number | undefined {
	return readStat(pid)?.parent;
}

/** A process group with all descendants of its leader. */
function membersOf(leader: number): ProcessStat[] {
	const stats = readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name))
		.map((name) => readStat(Number(name)))
		.filter((stat) => stat !== undefined);
	const members = new Set([leader]);
	let known = 0;
	while (known !== members.size) {
		known = members.size;
		for (const stat of stats) {
			if (stat.group === leader || members.has(stat.parent)) members.add(stat.pid);
		}
	}
	return stats.filter((stat) => members.has(stat.pid));
}

/** Whether there is a process with this ID, if only until the system forgets it. */
export function isAlive(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

/** Process IDs of everything that a process started, directly or not. */
export function descendantsOf(pid: number): number[] {
	return membersOf(pid)
		.map((stat) => stat.pid)
		.filter((member) => member !== pid);
}

/** Memory and CPU time of a process group together with all descendants of its leader. */
export function usageOf(leader: number): Usage {
	const members = membersOf(leader);
	return {
		memory: members.reduce((sum, stat) => sum + stat.residentPages * pageSize, 0),
		cpu: members.reduce((sum, stat) => sum + stat.ticks * millisecondsPerTick, 0),
	};
}
