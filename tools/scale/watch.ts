import Table from 'cli-table3';

import type { QueueMode } from '../../dev/n8n/queueMode';
import type { Usage } from '../../dev/n8n/processTree';

const MEGABYTE = 1024 ** 2;
const EVERY_MS = 1_000;

/** What one process has used so far. */
interface Account {
	read: () => Usage;
	/** CPU time in milliseconds; a process that was started again begins at 0, so that increases are added up. */
	cpu: number;
	last: number;
	/** Resident memory at most, in bytes. */
	peak: number;
}

/**
 * Reads memory and CPU time of each process once a second, also across restarts. Of a killed process the CPU time since the
 * last reading is missing.
 */
export class Watch {
	private readonly accounts = new Map<string, Account>();

	private readonly marks: Array<{ phase: string; at: number; cpu: Map<string, number> }> = [];

	private readonly timer: NodeJS.Timeout;

	constructor(queue: QueueMode) {
		const processes: Array<[string, () => Usage]> = [
			['main', () => queue.main.usage()],
			...numbered('webhook process', queue.webhookProcesses),
			...numbered('worker', queue.workers),
			['PostgreSQL', () => queue.postgres.usage()],
			['Redis', () => queue.redis.usage()],
			['service and script', () => usageOfThisProcess()],
		];
		for (const [name, read] of processes) {
			this.accounts.set(name, { read, cpu: 0, last: read().cpu, peak: 0 });
		}
		this.timer = setInterval(() => this.read(), EVERY_MS);
	}

	/** Ends a phase: what was used since the phase before counts for it. */
	mark(phase: string): void {
		this.read();
		const cpu = new Map([...this.accounts].map(([name, account]) => [name, account.cpu]));
		this.marks.push({ phase, at: Date.now(), cpu });
	}

	stop(): void {
		clearInterval(this.timer);
	}

	/** Memory at most, and CPU time by phase. */
	table(): string {
		const table = new Table({
			head: ['Process', 'Memory at most', ...this.marks.slice(1).map(({ phase }) => phase)],
			style: { head: [], border: [] },
		});
		for (const [name, { peak }] of this.accounts) {
			const cells = this.marks.slice(1).map((mark, index) => {
				const before = this.marks[index];
				const cpu = (mark.cpu.get(name) ?? 0) - (before?.cpu.get(name) ?? 0);
				return `${(cpu / 1_000).toFixed(1)} s`;
			});
			table.push([name, `${(peak / MEGABYTE).toFixed(0)} MB`, ...cells]);
		}
		const lengths = this.marks
			.slice(1)
			.map(({ at }, index) => `${((at - (this.marks[index]?.at ?? at)) / 1_000).toFixed(0)} s`);
		table.push(['(length of the phase)', '', ...lengths]);
		return table.toString();
	}

	private read(): void {
		for (const account of this.accounts.values()) {
			const { cpu, memory } = account.read();
			account.cpu += cpu < account.last ? cpu : cpu - account.last;
			account.last = cpu;
			account.peak = Math.max(account.peak, memory);
		}
	}
}

function numbered(
	name: string,
	servers: ReadonlyArray<{ usage(): Usage }>,
): Array<[string, () => Usage]> {
	return servers.map((server, index) => [`${name} ${index + 1}`, () => server.usage()]);
}

/** Without the processes that it started. */
function usageOfThisProcess(): Usage {
	const { user, system } = process.cpuUsage();
	return { memory: process.memoryUsage.rss(), cpu: (user + system) / 1_000, processes: 1 };
}
