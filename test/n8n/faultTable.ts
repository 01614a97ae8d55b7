import Table from 'cli-table3';

/** A fault, what was done to cause it, and what came out. */
interface FaultRow {
	fault: string;
	result: string;
	starts: number;
}

/** Collects what came of each fault, to be printed in one table. */
export class FaultTable {
	private readonly rows: FaultRow[] = [];

	constructor(private readonly title: string) {}

	add(fault: string, result: string, starts: number): void {
		this.rows.push({ fault, result, starts });
	}

	print(): void {
		const table = new Table({
			head: [this.title, 'What came out', 'Starts'],
			style: { head: [], border: [] },
		});
		for (const { fault, result, starts } of this.rows) table.push([fault, result, starts]);
		process.stdout.write(`\n${table.toString()}\n`);
	}
}
