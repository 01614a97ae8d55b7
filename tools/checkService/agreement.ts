import { isObject, textAt, type JsonObject } from '../../dev/sandbox/json';
import type { Assumption } from './assumptions';
import type { Service } from './service';

/** How an entry of a list is read by itself. */
export interface Detail {
	list: string;
	operation: string;
	assumption: Assumption;
	/** The field of an entry that holds its ID. */
	id: string;
	/** The parameter that takes the ID. */
	path?: string;
	query?: string;
}

/** Reads entries of a list by themselves: what both say has to be the same. */
export async function checkDetail(
	service: Service,
	{ list, operation, assumption, id, path, query }: Detail,
	entries: JsonObject[],
): Promise<void> {
	const name = service.nameOf(operation);
	if (entries.length === 0) service.report.skip(`${name}: there is none to read`);
	for (const entry of entries) {
		const value = textAt(entry, id);
		if (value === undefined) continue;
		const question = {
			...(path === undefined ? {} : { path: { [path]: value } }),
			...(query === undefined ? {} : { query: { [query]: value } }),
		};
		const alone = await service.read(operation, assumption, question);
		if (!isObject(alone)) continue;
		for (const field of disagreements(entry, alone)) {
			const what = `\`${field}\` is another than in ${service.nameOf(list)}`;
			service.report.differ(name, what, assumption);
		}
	}
}

/** The fields of which two objects hold different values, as far as both have them and they are no objects. */
export function disagreements(one: JsonObject, other: JsonObject): string[] {
	return Object.keys(one).filter((field) => {
		const [mine, theirs] = [one[field], other[field]];
		return field in other && typeof mine !== 'object' && mine !== theirs;
	});
}
