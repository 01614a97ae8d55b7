import { isJsonObject, type JsonObject, type JsonValue } from './json';

/** A value made small enough, and what was left out of it. */
export interface Condensed<T extends JsonValue> {
	value: T;
	/**
	 * One line for each place that was cut, e.g. "output: 40 of 250 items"; of many, the first, and how
	 * many more there are.
	 */
	cuts: string[];
}

/** How many places are named at most. */
const MOST_CUTS = 20;

/** The longest name of a place, in characters. */
const PLACE_MAX_LENGTH = 80;

/** What was cut, in as many words as are worth reading. */
class Cuts {
	private readonly first: string[] = [];
	private count = 0;

	add(place: string, what: string): void {
		this.count++;
		if (this.count > MOST_CUTS) return;
		const name = place.length > PLACE_MAX_LENGTH ? `${place.slice(0, PLACE_MAX_LENGTH)}…` : place;
		this.first.push(name === '' ? what : `${name}: ${what}`);
	}

	get notes(): string[] {
		const more = this.count - this.first.length;
		return more === 0 ? this.first : [...this.first, `and ${more} more places`];
	}
}

/** Room that the mark of a cut or a name takes, in characters. */
const SPARE = 8;

/** Members that only say how a run went, page by page. */
const VERBOSE = new Set(['steps']);

/** A value without members that say nothing: nulls, and the steps of a run. */
export function withoutNoise(value: JsonValue): JsonValue {
	if (Array.isArray(value)) return value.map(withoutNoise);
	if (!isJsonObject(value)) return value;
	const telling = Object.entries(value).filter(
		([name, member]) => member !== null && !(VERBOSE.has(name) && Array.isArray(member)),
	);
	return Object.fromEntries(telling.map(([name, member]) => [name, withoutNoise(member)]));
}

/**
 * Leaves out as much of a list as is too much: later elements first, then of long members their
 * ends. Short members always stay.
 *
 * @param most the longest that its JSON may be, in characters
 */
export function condense(value: JsonObject[], most: number): Condensed<JsonObject[]> {
	if (sizeOf(value) <= most) return { value, cuts: [] };
	const cuts = new Cuts();
	const fitted = fitItems(value, most, cuts);
	return { value: fitted, cuts: cuts.notes };
}

function fitItems(items: JsonObject[], most: number, cuts: Cuts): JsonObject[] {
	const [first] = items;
	if (first === undefined) return items;
	if (items.length === 1) return [fitObject(first, most, '', cuts)];
	const kept = asManyAsFit(items, most);
	cuts.add('', `${kept.length === 0 ? 1 : kept.length} of ${items.length} items`);
	return kept.length === 0 ? [fitObject(first, most, 'item 1', cuts)] : kept;
}

function sizeOf(value: JsonValue): number {
	return JSON.stringify(value).length;
}

/** The first elements that fit, of a list that does not as a whole. */
function asManyAsFit<T extends JsonValue>(list: T[], most: number): T[] {
	// Two brackets, and a comma between any two.
	let left = most - 1;
	const end = list.findIndex((element) => (left -= sizeOf(element) + 1) < 0);
	return list.slice(0, end);
}

/** As much as fits of a value that does not as a whole. */
function fit(value: JsonValue, most: number, place: string, cuts: Cuts): JsonValue {
	if (typeof value === 'string') return fitText(value, most, place, cuts);
	if (Array.isArray(value)) return fitList(value, most, place, cuts);
	return isJsonObject(value) ? fitObject(value, most, place, cuts) : value;
}

function fitText(text: string, most: number, place: string, cuts: Cuts): string {
	let kept = text;
	// JSON writes some characters with up to six, so that a part may need more than its share.
	for (let size = sizeOf(kept); kept !== '' && size > most - SPARE; size = sizeOf(kept)) {
		const share = Math.floor((kept.length * (most - SPARE)) / size);
		kept = kept.slice(0, Math.max(0, Math.min(share, kept.length - 1)));
	}
	cuts.add(place, `${kept.length} of ${text.length} characters`);
	return `${kept}…`;
}

function fitList(list: JsonValue[], most: number, place: string, cuts: Cuts): JsonValue[] {
	const kept = asManyAsFit(list, most);
	if (kept.length > 0) {
		cuts.add(place, `${kept.length} of ${list.length} items`);
		return kept;
	}
	const [first] = list;
	if (list.length > 1) cuts.add(place, `1 of ${list.length} items`);
	return first === undefined ? [] : [fit(first, most - SPARE, `${place} item 1`, cuts)];
}

/** Gives every member its share of the room; what short ones leave over goes to the long ones. */
function fitObject(object: JsonObject, most: number, place: string, cuts: Cuts): JsonObject {
	const bySize = Object.entries(object)
		.map(([name, member]) => ({ name, member, size: sizeOf(member) + sizeOf(name) + SPARE }))
		.sort((a, b) => a.size - b.size);
	const fitted = new Map<string, JsonValue>();
	let left = most;
	for (const [index, { name, member, size }] of bySize.entries()) {
		const share = Math.floor(left / (bySize.length - index));
		const room = share - sizeOf(name) - SPARE;
		if (size > share && room <= SPARE) continue;
		const small = size <= share ? member : fit(member, room, joined(place, name), cuts);
		fitted.set(name, small);
		left -= sizeOf(small) + sizeOf(name) + SPARE;
	}
	const lost = bySize.length - fitted.size;
	if (lost > 0) cuts.add(place, `${fitted.size} of ${bySize.length} fields`);
	const names = Object.keys(object).filter((name) => fitted.has(name));
	return Object.fromEntries(names.map((name) => [name, fitted.get(name) ?? null]));
}

function joined(place: string, name: string): string {
	return place === '' ? name : `${place}.${name}`;
}
