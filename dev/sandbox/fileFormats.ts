import type { JsonObject } from './json';

export type FileFormat = 'json' | 'csv' | 'md' | 'xml';

export const CONTENT_TYPES: Readonly<Record<FileFormat, string>> = {
	json: 'application/json',
	csv: 'text/csv; charset=utf-8',
	md: 'text/markdown; charset=utf-8',
	xml: 'application/xml',
};

export function isFileFormat(value: string): value is FileFormat {
	return Object.hasOwn(CONTENT_TYPES, value);
}

/** A result file. JSON holds the output as it is, the other formats its rows. */
export function renderFile(
	format: FileFormat,
	rows: readonly JsonObject[],
	output: unknown,
): string {
	if (format === 'json') return typeof output === 'string' ? output : JSON.stringify(output);
	const columns = Object.keys(rows[0] ?? {});
	if (format === 'csv') return renderCsv(columns, rows);
	if (format === 'md') return renderMarkdown(columns, rows);
	return renderXml(columns, rows);
}

function cellText(value: unknown): string {
	if (value === undefined || value === null) return '';
	return typeof value === 'string' ? value : JSON.stringify(value);
}

function renderCsv(columns: readonly string[], rows: readonly JsonObject[]): string {
	const quoted = (text: string): string =>
		/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
	const line = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`;
	const body = rows.map((row) => line(columns.map((column) => cellText(row[column]))));
	return line(columns) + body.join('');
}

function renderMarkdown(columns: readonly string[], rows: readonly JsonObject[]): string {
	const line = (cells: readonly string[]): string =>
		`| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
	const body = rows.map((row) => line(columns.map((column) => cellText(row[column]))));
	return line(columns) + line(columns.map(() => '---')) + body.join('');
}

const XML_ENTITIES: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
};

function renderXml(columns: readonly string[], rows: readonly JsonObject[]): string {
	const escaped = (text: string): string =>
		text.replace(/[&<>"]/g, (sign) => XML_ENTITIES[sign] ?? sign);
	const body = rows.map((row) => {
		const cells = columns.map((name) => `<${name}>${escaped(cellText(row[name]))}</${name}>`);
		return `  <row>${cells.join('')}</row>\n`;
	});
	return `<?xml version="1.0" encoding="UTF-8"?>\n<rows>\n${body.join('')}</rows>\n`;
}
