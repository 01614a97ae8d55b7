import Table from 'cli-table3';

const widestCell = 40;
const narrowestCell = 8;
/** Borders and padding take three characters for each column, and one at the end. */
const frame = 3;

/**
 * Rows as a text table: a column for each field, in the order in which fields appear first. Values longer than 40 characters
 * are cut, and the widest columns are made narrower where the table would not fit.
 * @param width how many characters a line should have at most
 */
export function rowsTable(rows: Array<Record<string, unknown>>, width: number): string {
	const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	const lines = rows.map((row) => columns.map((column) => showValue(row[column])));
	const natural = columns.map((column, index) =>
		Math.max(column.length, ...lines.map((line) => line[index]?.length ?? 0)),
	);
	const widths = fitColumns(natural, width - 1 - frame * columns.length);
	const table = new Table({ head: columns, style: { head: [], border: [], compact: true } });
	for (const line of lines) {
		table.push(line.map((text, index) => cut(text, widths[index] ?? widestCell)));
	}
	return table.toString();
}

/** Takes from the widest column until all fit, or none can give more. */
function fitColumns(natural: number[], room: number): number[] {
	const widths = natural.map((width) => Math.min(width, widestCell));
	for (;;) {
		const widest = Math.max(...widths);
		if (widths.reduce((sum, width) => sum + width, 0) <= room || widest <= narrowestCell) {
			return widths;
		}
		widths[widths.indexOf(widest)] = widest - 1;
	}
}

function showValue(value: unknown): string {
	if (value === undefined || value === null) return '';
	const text = typeof value === 'string' ? value : JSON.stringify(value);
	return text.replace(/\s+/g, ' ');
}

function cut(text: string, width: number): string {
	return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}
