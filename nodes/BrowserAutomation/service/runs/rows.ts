import { isJsonObject, type JsonObject, type JsonValue } from '../json/json';
import { SchemaDocument } from '../schema/schema';
import { BYTE_ORDER_MARK } from './botOutput';

/** The rows of one list, and the other fields of the records around it. */
export interface RowList {
	rows: JsonObject[];
	beside: JsonObject;
}

/**
 * Names of members that only describe a list, in small letters. An object with a list and these alone is a
 * page of rows; with any other member it is a record.
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
	return name.toLowerCase().replace(/\P{L}/gu, '');
}

function isPagingFact([name, value]: [string, JsonValue]): boolean {
	const plain = plainName(name);
	if (!PAGING_FACTS.has(plain) || Array.isArray(value)) return false;
	if (isJsonObject(value)) return Object.entries(value).every(isPagingFact);
	return typeof value !== 'string' || NAMES_TEXT.test(plain) || /^[\d.]*$/.test(value);
}

/** Whether a fact of paging says that there are no rows, e.g. `"total": 0`. */
function saysNone([name, value]: [string, JsonValue]): boolean {
	if (isJsonObject(value)) return Object.entries(value).some(saysNone);
	return /count|total/.test(plainName(name)) && String(value) === '0';
}

const SUCCESS = /^(?:true|0|2\d\d|ok|success(?:ful)?|succeeded|completed?|done|finished)$/i;

/** Whether a member reports success, e.g. `"status": "success"`. */
function isSuccess([name, value]: [string, JsonValue]): boolean {
	const isVerdict = ['code', 'ok', 'status', 'success'].includes(plainName(name));
	return isVerdict && typeof value !== 'object' && SUCCESS.test(String(value));
}

/** Whether a member may stand beside a reported success: a message, or an empty error. */
function isRemark([name, value]: [string, JsonValue]): boolean {
	const plain = plainName(name);
	if (plain === 'message' || plain === 'msg') return value === null || typeof value === 'string';
	return ['error', 'errors'].includes(plain) && (value === null || value === '' || value === false);
}

/**
 * The path to the rows of an output, as names of members. It is empty for a list. An object has a path if it has
 * one list, and beside it nothing but facts of paging or a reported success. Undefined for a record.
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
	// A page without rows may have null instead of its list; a record may have it in any field.
	if (value === null && members.some(saysNone)) return [name];
	const rest = pathToRows(value);
	return rest && [name, ...rest];
}

/** The rows at a path. Undefined where there is nothing. */
export function rowsAt(output: JsonValue, [name, ...rest]: readonly string[]): RowList | undefined {
	if (name === undefined) return { rows: recordsOf(output), beside: {} };
	if (!isJsonObject(output) || !Object.hasOwn(output, name)) return undefined;
	const { [name]: inner = null, ...others } = output;
	const found = rowsAt(inner, rest);
	return found && { rows: found.rows, beside: { ...others, ...found.beside } };
}

/** The elements of a list, or the one record. Other values become `{ value }`. */
function recordsOf(output: JsonValue): JsonObject[] {
	const elements = Array.isArray(output) ? output : [output].filter((value) => value !== null);
	const records = elements.map((one) => (isJsonObject(one) ? one : { value: one }));
	const [first] = Object.keys(records[0] ?? {});
	return first?.startsWith(BYTE_ORDER_MARK) ? records.map(withoutMark) : records;
}

/** A row without the byte order mark of a table's beginning, which is in the name of its first column. */
function withoutMark(row: JsonObject): JsonObject {
	const [first = ''] = Object.keys(row);
	if (!first.startsWith(BYTE_ORDER_MARK)) return row;
	const { [first]: value = null, ...others } = row;
	return { [first.slice(1)]: value, ...others };
}

/** The records that a named list may be in: those of the output, and its rows where these are within it. */
function recordsIn(output: JsonValue): JsonObject[][] {
	const path = pathToRows(output) ?? [];
	return path.length === 0
		? [recordsOf(output)]
		: [recordsOf(output), rowsAt(output, path)?.rows ?? []];
}

/**
 * The rows of the list that the user has named, from all records of the output, or else from its rows.
 *
 * @param name the name of a member, or a path with dots
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

/** The names of the fitting lists in the records of an output. Those within other members are paths with dots. */
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
	const records = recordsIn(output).flat();
	return [...new Set(records.flatMap((record) => within(record, '')))];
}

/** The names of all fields of the records. */
export function fieldNames(records: readonly JsonObject[]): string[] {
	return [...new Set(records.flatMap((record) => Object.keys(record)))];
}

/**
 * An example of an output by its schema. A list has one element, or none where the schema describes none. All
 * other values are null, also one that would lie within itself.
 */
export function sampleOf(root: JsonValue | undefined): JsonValue {
	if (!isJsonObject(root)) return null;
	const document = new SchemaDocument(root);
	const sample = (schema: JsonValue, under: JsonValue[]): JsonValue => {
		if (!isJsonObject(schema) || under.includes(schema)) return null;
		const own = document.flatten(schema);
		const { type, items, properties } = { ...document.formsOf(own)[0], ...own };
		const path = [...under, schema];
		if (isJsonObject(items)) return [sample(items, path)];
		if ([type].flat().includes('array')) return [];
		if (!isJsonObject(properties)) return null;
		const members = Object.entries(properties);
		return Object.fromEntries(members.map(([name, part]) => [name, sample(part, path)]));
	};
	return document.tryTo(() => sample(root, [])) ?? null;
}
