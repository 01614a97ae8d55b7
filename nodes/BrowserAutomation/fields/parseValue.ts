import { InputError } from '../service/errors';
import {
	GIVE_AS_TEXT,
	isJsonObject,
	parseUserJson,
	toJson,
	type JsonObject,
	type JsonValue,
} from '../service/json/json';
import { LONE_SURROGATE, NO_VALUE } from '../service/http/request';
import { startOf } from '../service/text';

// All of these throw an InputError that names the field by its label when they cannot use what was filled in.

/** Optional text: nothing, or only spaces, counts as not given. An exact number is taken as text. */
export function readOptionalText(raw: unknown, label: string): string | undefined {
	if (raw === undefined || raw === null) return undefined;
	if (typeof raw === 'number') {
		if (Math.abs(raw) <= Number.MAX_SAFE_INTEGER) return String(raw);
		throw new InputError(`${label} is ${raw}, which is not exact as a number`, GIVE_AS_TEXT);
	}
	if (typeof raw !== 'string') {
		throw new InputError(
			`${label} is ${kindOf(raw)}, not text`,
			'Enter text, or an expression that gives text.',
		);
	}
	if (LONE_SURROGATE.test(raw)) {
		throw new InputError(
			`${label} holds half a character`,
			'Enter the text again: it was cut inside a character, e.g. an emoji.',
		);
	}
	const text = raw.trim();
	return text === '' ? undefined : text;
}

/** Required text, at least one character (docs/service.md: Limits). */
export function readText(raw: unknown, label: string, advice: string): string {
	const text = readOptionalText(raw, label);
	if (text !== undefined) return text;
	throw new InputError(`${label} is missing`, advice);
}

/** At least one value, from a list or from text with commas, as an expression may give it. */
export function readSeveral<T>(
	raw: unknown,
	label: string,
	readOne: (part: unknown, label: string) => T | undefined,
): T[] {
	const advice =
		'Choose at least one, or use an expression that gives a list, or text with commas.';
	const parts: unknown[] =
		typeof raw === 'string' ? readText(raw, label, advice).split(',') : [raw ?? []].flat();
	if (parts.length === 0) throw new InputError(`Nothing is chosen under ${label}`, advice);
	const found = parts.flatMap((part) => readOne(part, label) ?? []);
	if (found.length === parts.length) return found;
	throw new InputError(`${label} has an empty name`, advice);
}

const CONTROL_CHARACTER = /\p{Cc}/u;

/** An optional ID. */
export function readOptionalId(raw: unknown, label: string): string | undefined {
	const text = readOptionalText(raw, label);
	if (text === undefined || !(NO_VALUE.test(text) || CONTROL_CHARACTER.test(text))) return text;
	throw new InputError(
		`${label} is ${JSON.stringify(startOf(text, 40))}, which is not an ID`,
		'Open the field. Enter the ID alone, or check the expression: the item may not have the field that it names.',
	);
}

/**
 * What is left out only if nobody gave it: a start without the value that an expression did not find would be another one, and
 * a list without its filter has what nobody asked for.
 */
export function unlessNothing<T, Rest extends unknown[]>(
	read: (raw: unknown, label: string, ...rest: Rest) => T,
) {
	return (raw: unknown, label: string, ...rest: Rest): T => {
		if (raw !== null) return read(raw, label, ...rest);
		throw new InputError(
			`${label} is an expression that gives nothing`,
			'Check it: the item may not have the field that it names. If it may be left out, have the expression give an empty text.',
		);
	};
}

/** A required ID. */
export function readId(raw: unknown, label: string, advice: string): string {
	return readText(readOptionalId(raw, label), label, advice);
}

/**
 * An ID that was entered, or the one in a web address that was pasted whole, e.g. the `log_detail_url` of a run: the only
 * part of it that is a number. The shape of the service's addresses is not public. @throws InputError where it has none, or several
 */
export function idIn(text: string, label: string, advice: string): string {
	const [host] = /^https?:\/\/[^/?#]*/i.exec(text) ?? [];
	if (host === undefined) return text;
	const parts = text.slice(host.length).split(/[/?#&=]/);
	const [id, ...others] = new Set(parts.filter((part) => /^\d{3,}$/.test(part)));
	if (id !== undefined && others.length === 0) return id;
	const found = id === undefined ? 'no ID is found' : 'several numbers may be the ID';
	throw new InputError(`${label} is a web address in which ${found}`, advice);
}

/**
 * Any JSON value, from the JSON editor's text or from an expression's value, in which no number would lose digits. Nothing at all
 * counts as not given.
 */
export function readJsonValue(raw: unknown, label: string): JsonValue | undefined {
	if (raw === null) return undefined;
	if (typeof raw !== 'string') return toJson(raw, label);
	if (raw.trim() === '') return undefined;
	return parseUserJson(raw, label);
}

/**
 * A JSON object, from the JSON editor's text or from an expression's object. Nothing, or an empty
 * text, counts as the empty object; `null` does not, which an expression gives that finds nothing.
 */
export function readJsonObject(raw: unknown, label: string): JsonObject {
	const value = raw === null ? raw : readJsonValue(raw, label);
	if (value === undefined) return {};
	if (isJsonObject(value)) return value;
	throw new InputError(
		`${label} is ${kindOf(value)}, not a JSON object`,
		'Enter an object in braces, e.g. { "keyword": "laptop" }, or an expression that gives one.',
	);
}

function kindOf(value: unknown): string {
	if (value === null) return 'null';
	if (Array.isArray(value)) return 'a list';
	return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
