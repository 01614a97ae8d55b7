import type { Field } from '../../nodes/BrowserAutomation/fields/field';
import { FIELD_COLUMNS, fieldRows, type FieldRow } from './fields';
import { tableOf } from './markdown';

/** A row is described on a page of its own when at least so many operations, or triggers, have it. */
const MANY = 3;

const PAGE = 'shared-fields.md';

/** The fields that many operations have, each in the same words. */
export class SharedFields {
	private readonly rows: ReadonlyMap<string, FieldRow>;

	/** @param all the fields of each operation */
	constructor(all: ReadonlyArray<ReadonlyArray<Field<unknown>>>) {
		const counts = new Map<string, { row: FieldRow; count: number }>();
		for (const row of all.flatMap(fieldRows)) {
			const known = counts.get(row.join());
			counts.set(row.join(), { row, count: (known?.count ?? 0) + 1 });
		}
		const shared = [...counts].filter(([, { count }]) => count >= MANY);
		this.rows = new Map(shared.map(([key, { row }]) => [key, row]));
	}

	/** The page that tells them, by its file in the folder of the reference. */
	get page(): [file: string, text: string] {
		const rows = [...this.rows.values()].sort(([a = ''], [b = '']) => a.localeCompare(b));
		const text = [
			'# Fields that many operations have',
			'They mean the same everywhere. The page of a resource names which of them an operation has.',
			tableOf(FIELD_COLUMNS, rows),
		].join('\n\n');
		return [PAGE, text];
	}

	/** The fields of one operation: a table of its own ones, and the names of those that many have. */
	describe(fields: ReadonlyArray<Field<unknown>>): string[] {
		const rows = fieldRows(fields);
		if (rows.length === 0) return ['It has no fields.'];
		const own = rows.filter((row) => !this.rows.has(row.join()));
		const names = inGroups(
			rows.filter((row) => this.rows.has(row.join())).map(([name = '']) => name),
		);
		return [
			...(own.length === 0 ? [] : [tableOf(FIELD_COLUMNS, own)]),
			...(names === ''
				? []
				: [
						`${own.length === 0 ? 'Its fields' : 'And'}, [as in many operations](${PAGE}): ${names}.`,
					]),
		];
	}
}

/** `**A**, Options > **B**, Options > **C**` -> `**A**; Options > **B**, **C**` */
function inGroups(names: readonly string[]): string {
	const groups = new Map<string, string[]>();
	for (const name of names) {
		const [, within = '', own = name] = /^(.* > )(.*)$/.exec(name) ?? [];
		groups.set(within, [...(groups.get(within) ?? []), own]);
	}
	return [...groups].map(([within, own]) => within + own.join(', ')).join('; ');
}
