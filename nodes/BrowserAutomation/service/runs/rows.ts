import { isJsonObject, type JsonObject, type JsonValue } from '../json/json';
import { BYTE_ORDER_MARK } from './botOutput';

/** The rows of one list, and what the records around the list have beside it. */
export interface RowList {
	rows: JsonObject[];
	beside: JsonObject;
}

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

function plainName(name: string): string {
	return name.toLowerCase().replace(/[^a-z]/g, '');
}

function isPagingFact([name, value]: [string, JsonValue]): boolean {
	const plain = plainName(name);
	if (!PAGING_FACTS.has(plain) || Array.isArray(value)) return false;
	if (isJsonObject(value)) return Object.entries(value).every(isPagingFact);
	return typeof value !== 'string' || NAMES_TEXT.test(plain) || /^\d*$/.test(value);
}

const SUCCESS = /^(?:true|0|2\d\d|ok|success(?:ful)?|succeeded|completed?|done|finished)$/i;

/** Whether a member says that all went well, e.g. `"status": "success"`. */
function isSuccess([name, value]: [string, JsonValue]): boolean {
	const isVerdict = ['code', 'ok', 'status', 'success'].includes(plainName(name));
	return isVerdict && typeof value !== 'object' && SUCCESS.test(String(value));
}

/** Whether a member says something beside a success, as long as that is no failure. */
function isRemark([name, value]: [string, JsonValue]): boolean {
	const plain = plainName(name);
	if (plain === 'message' || plain === 'msg') return value === null || typeof value === 'string';
	return ['error', 'errors'].includes(plain) && (value === null || value === '' || value === false);
}

/**
 * Where an output has its rows, as names to follow: nowhere but in itself if it is a list, or in the one
 * list beside which there is nothing but facts of paging, or the words that all went well. Undefined where it is a record.
 */
export function pathToRows(output: JsonValue): string[] | undefined {
	if (Array.isArray(output)) return [];
	if (!isJsonObject(output)) return undefined;
	const members = Object.entries(output);
	const further = members.filter((member) => !isPagingFact(member));
	const isWrapped = further.some(isSuccess);
	const [only, ...others] = further.filter(
		(member) => !isWrapped || !(isSuccess(member) || isRemark(member)),
	);
	if (only === undefined || others.length > 0) return undefined;
	const [name, value] = only;
	// A page without rows may have null in the place of its list.
	if (value === null && members.length > 1) return [name];
	const rest = pathToRows(value);
	return rest && [name, ...rest];
}

/** The rows that a path leads to; undefined where it leads to nothing. */
export function rowsAt(output: JsonValue, [name, ...rest]: readonly string[]): RowList | undefined {
	if (name === undefined) return { rows: recordsOf(output), beside: {} };
	if (!isJsonObject(output) || !Object.hasOwn(output, name)) return undefined;
	const { [name]: inner = null, ...others } = output;
	const found = rowsAt(inner, rest);
	return found && { rows: found.rows, beside: { ...others, ...found.beside } };
}

/** The elements of a list, or the one record: what is no record stands under `value` in one. */
function recordsOf(output: JsonValue): JsonObject[] {
	const elements = Array.isArray(output) ? output : [output].filter((value) => value !== null);
	const records = elements.map((one) => (isJsonObject(one) ? one : { value: one }));
	const [first] = Object.keys(records[0] ?? {});
	return first?.startsWith(BYTE_ORDER_MARK) ? records.map(withoutMark) : records;
}

/** A row without the byte order mark that a table may begin with, which is in the name of its first column then. */
function withoutMark(row: JsonObject): JsonObject {
	const [first = ''] = Object.keys(row);
	if (!first.startsWith(BYTE_ORDER_MARK)) return row;
	const { [first]: value = null, ...others } = row;
	return { [first.slice(1)]: value, ...others };
}

/** The records in which lists may be named: those of the output, and its rows, where these are elsewhere. */
function recordsIn(output: JsonValue): JsonObject[][] {
	const path = pathToRows(output) ?? [];
	return path.length === 0
		? [recordsOf(output)]
		: [recordsOf(output), rowsAt(output, path)?.rows ?? []];
}

/**
 * The rows of a list that the user names, of all records of the output, or else of its rows.
 *
 * @param name of a member, or several with dots between them
 * @returns undefined where no record has that list
 */
export function rowsNamed(output: JsonValue, name: string): RowList[] | undefined {
	for (const records of recordsIn(output)) {
		const found = records.flatMap(
			(one) => rowsAt(one, [name]) ?? rowsAt(one, name.split('.')) ?? [],
		);
		if (records.length === 0 || found.length > 0) return found;
	}
	return undefined;
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
	return [
		...new Set(
			recordsIn(output)
				.flat()
				.flatMap((record) => within(record, '')),
		),
	];
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
