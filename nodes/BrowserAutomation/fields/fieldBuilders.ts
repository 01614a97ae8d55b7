import type { INodePropertyOptions } from 'n8n-workflow';

import { InputError } from '../service/errors';
import { isJsonObject } from '../service/json/json';
import { toDateTime } from '../service/schema/dateTime';
import { numberIn, type Field, type FieldGroup } from './field';
import {
	readChoices,
	readId,
	readOptionalId,
	readOptionalSwitch,
	readOptionalText,
} from './parseValue';
import { byAlphabet } from './toProperties';

/** All about a field but how it is read: where it stands, and what a user sees of it. */
type Look = Omit<Field<unknown>, 'group' | 'parameter' | 'read'> &
	Field<unknown>['parameter'] & { under?: FieldGroup | undefined };

/** The same where its type is known, and what it begins with. */
type Wording = Omit<Look, 'type' | 'default'>;

/** A field, of how it looks and how it is read. */
export function field<T>(look: Look, read: Field<T>['read']): Field<T> {
	const { name, under: group, showWhen, hideWhen, readsNull, ...parameter } = look;
	return { name, group, showWhen, hideWhen, readsNull, parameter, read };
}

/** What an option begins with when it is added, and what counts while it is not: the same unless said otherwise. */
interface Beginning<T, Absent> {
	default: T;
	absent?: Absent;
}

/** What choices are called, by their values; with a description where the name does not say all. */
type Choices<T extends string> = Readonly<Record<T, string | readonly [string, string]>>;

function optionsOf(choices: Choices<string>): INodePropertyOptions[] {
	return Object.entries(choices)
		.map(([value, words]) => {
			const [name, description] = typeof words === 'string' ? [words] : words;
			return { name, value, ...(description !== undefined && { description }) };
		})
		.sort((a, b) => byAlphabet(a.name, b.name));
}

function valuesOf<T extends string>(choices: Choices<T>): T[] {
	const isValue = (value: string): value is T => value in choices;
	return Object.keys(choices).filter(isValue);
}

/** One of a few values. */
export function choice<T extends string, Absent = never>(
	look: Wording & Beginning<NoInfer<T>, Absent>,
	choices: Choices<T>,
): Field<T | Absent> {
	const { absent, ...shown } = { absent: look.default, ...look };
	const known = valuesOf(choices);
	return field({ ...shown, type: 'options', options: optionsOf(choices) }, (raw) => {
		const text = readOptionalText(raw, look.displayName);
		if (text === undefined) return absent;
		const chosen = known.find((value) => value === text);
		if (chosen !== undefined) return chosen;
		throw new InputError(
			`${look.displayName} "${text}" is not known`,
			`Use one of ${known.join(', ')}.`,
		);
	});
}

/** One of a few values to filter by. */
export function choiceFilter<T extends string>(
	look: Wording & { default: NoInfer<T> },
	choices: Choices<T>,
): Field<T | undefined> {
	return choice({ ...look, under: 'filters', absent: undefined }, choices);
}

/** Several of a few values: at least one, unless it is an option. */
export function multiChoice<T extends string>(
	look: Wording & Beginning<readonly NoInfer<T>[], readonly NoInfer<T>[]>,
	choices: Choices<T>,
): Field<readonly T[]> {
	const { absent, ...shown } = { absent: look.default, ...look };
	const known = valuesOf(choices);
	const parameter = { default: [...look.default], options: optionsOf(choices) };
	return field({ ...shown, ...parameter, type: 'multiOptions' }, (raw = absent) =>
		look.under !== undefined && Array.isArray(raw) && raw.length === 0
			? []
			: readChoices(raw, known, look.displayName),
	);
}

/** Something that is on or off, under Options unless said otherwise. It begins as off. */
export function switchOption<Absent = never>(
	look: Wording & Partial<Beginning<boolean, Absent>>,
): Field<boolean | Absent> {
	const beginning = { default: false, ...look };
	const { absent, ...shown } = { absent: beginning.default, ...beginning };
	return field(
		{ under: 'options', ...shown, type: 'boolean' },
		(raw) => readOptionalSwitch(raw, look.displayName) ?? absent,
	);
}

/** What a number may be: whole and from 1, unless said otherwise. */
interface Bounds {
	from?: number;
	to?: number;
	/** Any number above 0. */
	isFraction?: true;
	/** What else a user may do about a wrong one. */
	orElse?: string;
}

/** A number, under Options unless said otherwise. */
export function numberOption<Absent = never>(
	look: Wording & Beginning<number, Absent> & Bounds,
): Field<number | Absent> {
	const { from = 1, to, isFraction, orElse = 'remove the option', ...rest } = look;
	const { absent, ...shown } = { absent: look.default, ...rest };
	const [typeOptions, kind] =
		isFraction === true
			? [{ minValue: 0, numberPrecision: 4 }, 'number above 0']
			: [
					{ minValue: from, ...(to !== undefined && { maxValue: to }) },
					`whole number from ${from}${to === undefined ? '' : ` to ${to}`}`,
				];
	return field({ under: 'options', ...shown, type: 'number', typeOptions }, (raw) => {
		if (raw === undefined) return absent;
		const value = numberIn(raw);
		const fits = isFraction === true ? value > 0 : Number.isInteger(value) && value >= from;
		if (fits && value <= (to ?? Number.MAX_VALUE)) return value;
		throw new InputError(
			`${look.displayName} is not a ${kind}`,
			`Enter e.g. ${look.default}, or ${orElse}.`,
		);
	});
}

/** Text that may be left out. */
export function optionalText({
	maxLength = Infinity,
	...look
}: Wording & { maxLength?: number }): Field<string | undefined> {
	return field({ ...look, type: 'string', default: '' }, (raw) => {
		const text = readOptionalText(raw, look.displayName);
		if (text === undefined || text.length <= maxLength) return text;
		throw new InputError(
			`${look.displayName} is longer than ${maxLength} characters`,
			'Shorten it and try again.',
		);
	});
}

/** Text that has to be there. */
export function requiredText(
	look: Wording & { default?: string },
	read: (raw: unknown, label: string) => string,
): Field<string> {
	return field({ default: '', ...look, type: 'string', required: true }, (raw) =>
		read(raw, look.displayName),
	);
}

/** An ID that may be left out. */
export function optionalId(look: Wording): Field<string | undefined> {
	return { ...optionalText(look), read: (raw) => readOptionalId(raw, look.displayName) };
}

/** What is chosen from a list of the service's, and what an ID of it looks like. */
export type Chosen = readonly [
	name: string,
	displayName: string,
	searchListMethod: string,
	placeholder: string,
];

/** A choice from a list, which has to be made; it can be entered by ID as well. */
export function locator(chosen: Chosen, description: string): Field<string> {
	const [, displayName] = chosen;
	const look = { ...chooser(chosen), description, required: true };
	return field(look, (raw) => readId(raw, displayName));
}

/** The same to filter by. */
export function locatorFilter(chosen: Chosen, description: string): Field<string | undefined> {
	const [, displayName] = chosen;
	return field({ ...chooser(chosen), description, under: 'filters' }, (raw) =>
		readOptionalId(isJsonObject(raw) ? raw.value : raw, displayName),
	);
}

function chooser([name, displayName, searchListMethod, placeholder]: Chosen): Look {
	const typeOptions = { searchListMethod, searchable: true };
	return {
		name,
		displayName,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		modes: [
			{ displayName: 'From List', name: 'list', type: 'list', typeOptions },
			{ displayName: 'By ID', name: 'id', type: 'string', placeholder },
		],
	};
}

/** A moment to filter by, described by an unfinished sentence. */
export function dateTimeFilter(look: Wording): Field<string | undefined> {
	const description = `${look.description}, in the workflow’s time zone. A date alone is the start of its day.`;
	const shown = { ...look, description, under: 'filters' as const };
	return field({ ...shown, type: 'dateTime', default: '' }, (raw, timeZone) =>
		raw === undefined || raw === null || raw === ''
			? undefined
			: toDateTime(raw, look.displayName, timeZone),
	);
}
