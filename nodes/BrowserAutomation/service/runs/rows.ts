import { isJsonObject, type JsonObject, type JsonValue } from '../json/json';

/** A row of an output, and what the record around its list has beside that. */
export interface Row {
	row: JsonObject;
	beside: JsonObject;
}

/** What a text may begin with that says how it is written. */
export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * What may stand beside a list and tell of nothing but the list, in small letters: with these, an
 * object is a page of rows, with anything else it is a record.
 */
const PAGING_FACTS = new Set(
	`count cursor currentpage hasmore hasnext hasnextpage hasprev hasprevious haspreviouspage itemcount
	lastpage limit next nextcursor nextlink nextpage nextpagetoken nexttoken nexturl offset page pagecount
	pageindex pageinfo pagenumber pages pagesize pagetoken pagination paging perpage prev prevcursor
	previous previouscursor previouslink previouspage previousurl prevpage resultcount total totalcount
	totalitems totalpages totalrecords totalresults totalrows`.split(/\s+/),
);

const NAMES_TEXT = /cursor|link|next|prev|token|url/;

function isPagingFact([name, value]: [string, JsonValue]): boolean {
	const plain = name.toLowerCase().replace(/[^a-z]/g, '');
	if (!PAGING_FACTS.has(plain) || Array.isArray(value)) return false;
	if (isJsonObject(value)) return Object.entries(value).every(isPagingFact);
	return typeof value !== 'string' || NAMES_TEXT.test(plain) || /^\d*$/.test(value);
}

/**
 * Where an output has its rows, as names to follow: nowhere but in itself if it is a list, or in the one
 * list beside which there is nothing but facts of paging. Undefined where it is a record.
 */
export function pathToRows(output: JsonValue): string[] | undefined {
	if (Array.isArray(output)) return [];
	if (!isJsonObject(output)) return undefined;
	const members = Object.entries(output);
	const [only, ...others] = members.filter((member) => !isPagingFact(member));
	if (only === undefined || others.length > 0) return undefined;
	const [name, value] = only;
	// A page without rows may have null in the place of its list.
	if (value === null && members.length > 1) return [name];
	const rest = pathToRows(value);
	return rest && [name, ...rest];
}

/** The rows that a path leads to; undefined where it leads to nothing. */
export function rowsAt(output: JsonValue, [name, ...rest]: readonly string[]): Row[] | undefined {
	if (name === undefined) {
		const elements = Array.isArray(output) ? output : [output].filter((value) => value !== null);
		const rows = elements.map((one) => (isJsonObject(one) ? withoutMark(one) : { value: one }));
		return rows.map((row) => ({ row, beside: {} }));
	}
	if (!isJsonObject(output) || !Object.hasOwn(output, name)) return undefined;
	const { [name]: inner = null, ...others } = output;
	return rowsAt(inner, rest)?.map(({ row, beside }) => ({ row, beside: { ...others, ...beside } }));
}

/** A row without the byte order mark that a table may begin with, which is in the name of its first column then. */
function withoutMark(row: JsonObject): JsonObject {
	const [first = ''] = Object.keys(row);
	if (!first.startsWith(BYTE_ORDER_MARK)) return row;
	const { [first]: value = null, ...others } = row;
	return { [first.slice(1)]: value, ...others };
}

/**
 * The rows of a list that the user names, of all records of the output.
 *
 * @param name of a member, or several with dots between them
 * @returns undefined where no record has that list
 */
export function rowsNamed(output: JsonValue, name: string): Row[] | undefined {
	const records = [output].flat();
	const found = records.map((one) => rowsAt(one, [name]) ?? rowsAt(one, name.split('.')));
	if (found.length > 0 && found.every((rows) => rows === undefined)) return undefined;
	return found.flatMap((rows) => rows ?? []);
}

/** The names of the lists in the records of an output that fit, those within other members with dots. */
export function listNames(
	output: JsonValue,
	fits: (list: JsonValue[]) => boolean = () => true,
): string[] {
	const within = (record: JsonValue, before: string): string[] => {
		if (!isJsonObject(record)) return [];
		return Object.entries(record).flatMap(([name, value]) => {
			if (!Array.isArray(value)) return within(value, `${before}${name}.`);
			return fits(value) ? [before + name] : [];
		});
	};
	return [...new Set([output].flat().flatMap((record) => within(record, '')))];
}

/** The names of all fields that any of the records has. */
export function fieldNames(records: readonly JsonObject[]): string[] {
	return [...new Set(records.flatMap((record) => Object.keys(record)))];
}

/**
 * What an output that a schema describes looks like: a list has one element, or none where the schema
 * does not tell of them; all else is null.
 */
export function sampleOf(schema: JsonValue | undefined): JsonValue {
	if (!isJsonObject(schema)) return null;
	if (isJsonObject(schema.items)) return [sampleOf(schema.items)];
	if ([schema.type].flat().includes('array')) return [];
	if (!isJsonObject(schema.properties)) return null;
	const members = Object.entries(schema.properties);
	return Object.fromEntries(members.map(([name, part]) => [name, sampleOf(part)]));
}
