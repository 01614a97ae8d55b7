import { shorten, startOf } from '../text';
import { isJsonObject, type JsonObject, type JsonValue } from './json';

/** How many places are named at most. */
const MAX_CUTS = 20;

/** The longest name of a place, in characters. */
const PLACE_MAX_LENGTH = 80;

/** Records that something was left out at a place. */
type OnCut = (place: string, what: string) => void;

/** Room that the mark of a cut or a name takes, in characters. */
const SPARE = 8;

/** A value without members that say nothing: nulls, and the steps of a run, which say how it went, page by page. */
export function withoutNoise(value: JsonValue): JsonValue {
	if (Array.isArray(value)) return value.map(withoutNoise);
	if (!isJsonObject(value)) return value;
	const kept = Object.entries(value).filter(
		([name, member]) => member !== null && !(name === 'steps' && areOfRun(member)),
	);
	return Object.fromEntries(kept.map(([name, member]) => [name, withoutNoise(member)]));
}

/** Whether these are the steps of a run (docs/service.md: Run detail). A bot may find other ones, e.g. of a recipe. */
function areOfRun(steps: JsonValue): boolean {
	return Array.isArray(steps) && steps.every((step) => isJsonObject(step) && 'step_goal' in step);
}

/**
 * Shortens a list that is too long: first its later elements go, then the ends of long members. Short
 * members always stay.
 *
 * @param max the longest that its JSON may be, in characters
 * @returns what is left, and one line for each place that was cut, e.g. "output: 40 of 250 items"; of
 * many, the first, and how many more there are
 */
export function condense(
	items: JsonObject[],
	max: number,
): { value: JsonObject[]; cuts: string[] } {
	const cuts: string[] = [];
	const onCut: OnCut = (place, what) => {
		cuts.push(place === '' ? what : `${shorten(place, PLACE_MAX_LENGTH)}: ${what}`);
	};
	const value = sizeOf(items) <= max ? items : fitList(items, max, '', onCut).filter(isJsonObject);
	const more = cuts.length - MAX_CUTS;
	if (more > 0) cuts.splice(MAX_CUTS, more, `and ${more} more places`);
	return { value, cuts };
}

function sizeOf(value: JsonValue): number {
	return JSON.stringify(value).length;
}

/** As much of a value as fits. */
function fit(value: JsonValue, max: number, place: string, onCut: OnCut): JsonValue {
	if (sizeOf(value) <= max) return value;
	if (typeof value === 'string') return fitText(value, max, place, onCut);
	if (Array.isArray(value)) return fitList(value, max, place, onCut);
	return isJsonObject(value) ? fitObject(value, max, place, onCut) : value;
}

function fitText(text: string, max: number, place: string, onCut: OnCut): string {
	let kept = text;
	// JSON writes some characters with up to six, so that a part may need more than its share.
	for (let size = sizeOf(kept); kept !== '' && size > max - SPARE; size = sizeOf(kept)) {
		const share = Math.floor((kept.length * (max - SPARE)) / size);
		kept = startOf(kept, Math.max(0, Math.min(share, kept.length - 1)));
	}
	onCut(place, `${kept.length} of ${text.length} characters`);
	return `${kept}…`;
}

/** The first elements of a list that is too long; where not even the first fits, as much of it as does. */
function fitList(list: JsonValue[], max: number, place: string, onCut: OnCut): JsonValue[] {
	// Two brackets, and a comma between any two.
	let left = max - 1;
	const end = list.findIndex((element) => (left -= sizeOf(element) + 1) < 0);
	if (list.length > 1) onCut(place, `${end || 1} of ${list.length} items`);
	if (end > 0) return list.slice(0, end);
	const inside = list.length > 1 ? `${place} item 1`.trim() : place;
	return list.slice(0, 1).map((first) => fit(first, max - SPARE, inside, onCut));
}

/** Gives every member its share of the room; what short ones leave over goes to the long ones. */
function fitObject(object: JsonObject, max: number, place: string, onCut: OnCut): JsonObject {
	const bySize = Object.entries(object)
		.map(([name, member]) => ({ name, member, size: sizeOf(member), extra: sizeOf(name) + SPARE }))
		.sort((a, b) => a.size + a.extra - b.size - b.extra);
	const fitted = new Map<string, JsonValue>();
	let left = max;
	for (const [index, { name, member, size, extra }] of bySize.entries()) {
		const room = Math.floor(left / (bySize.length - index)) - extra;
		if (size > room && room <= SPARE) continue;
		const small = fit(member, room, place === '' ? name : `${place}.${name}`, onCut);
		fitted.set(name, small);
		left -= sizeOf(small) + extra;
	}
	if (fitted.size < bySize.length) onCut(place, `${fitted.size} of ${bySize.length} fields`);
	const names = Object.keys(object).filter((name) => fitted.has(name));
	return Object.fromEntries(names.map((name) => [name, fitted.get(name) ?? null]));
}
