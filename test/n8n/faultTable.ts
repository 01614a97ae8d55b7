import Table from 'cli-table3';

/** A fault, what was done to cause it, and what came out. */
interface FaultRow {
	fault: string;
	result: string;
	starts: number;
	/** From the fault to the end of the execution, in milliseconds. */
	took: number;
}

/** Collects what came of each fault, to be printed in one table. */
export class FaultTable {
	private readonly rows: FaultRow[] = [];

	constructor(private readonly title: string) {}

	add(fault: string, result: string, starts: number, took: number): void {
		this.rows.push({ fault, result, starts, took });
	}

	print(): void {
		if (this.rows.length === 0) return;
		const table = new Table({
			head: [this.title, 'What came out', 'Starts', 'After (s)'],
			style: { head: [], border: [] },
		});
		for (const { fault, result, starts, took } of this.rows) {
			table.push([fault, result, starts, Math.round(took / 1_000)]);
		}
		process.stdout.write(`\n${table.toString()}\n`);
	}
}
