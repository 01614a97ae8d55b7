import type { INodePropertyOptions } from 'n8n-workflow';

import { InputError } from '../service/errors';
import { isJsonObject } from '../service/json/json';
import { toDateTime } from '../service/schema/dateTime';
import { numberIn, type Field, type FieldGroup } from './field';
import { readChoices, readId, readOptionalId, readOptionalText, readSwitch } from './parseValue';
import { byAlphabet } from './toProperties';

/** All about a field: where it stands, what a user sees of it, and how it is read. */
type Look<T> = Omit<Field<T>, 'group' | 'parameter'> &
	Field<T>['parameter'] & { under?: FieldGroup | undefined };

/** The same where its type, what it begins with and how it is read are known. */
type Wording = Omit<Look<unknown>, 'type' | 'default' | 'read'>;

export function field<T>(look: Look<T>): Field<T> {
	const { name, under: group, showWhen, hideWhen, readsNull, read, ...parameter } = look;
	return { name, group, showWhen, hideWhen, readsNull, parameter, read };
}

/** A note to the user, which holds no value. */
export function note(look: Wording): Field<undefined> {
	return field({ ...look, type: 'notice', default: '', read: () => undefined });
}

/** What an option begins with when it is added, and what counts while it is not: the same unless said otherwise. */
interface Beginning<T, Absent> {
	default: T;
	absent?: Absent;
}

/** What choices are called, by their values; with a description where the name does not say all. */
type Choices<T extends string> = Readonly<
	Record<T, string | readonly [name: string, description: string, ...unknown[]]>
>;

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
export function choice<T extends string, Absent = never>({
	choices,
	...look
}: Wording & Beginning<NoInfer<T>, Absent> & { choices: Choices<T> }): Field<T | Absent> {
	const { absent, ...shown } = { absent: look.default, ...look };
	const known = valuesOf(choices);
	return field({
		...shown,
		type: 'options',
		options: optionsOf(choices),
		read: (raw) => {
			const text = readOptionalText(raw, look.displayName);
			if (text === undefined) return absent;
			const chosen = known.find((value) => value === text);
			if (chosen !== undefined) return chosen;
			throw new InputError(
				`${look.displayName} "${text}" is not known`,
				`Use one of ${known.join(', ')}.`,
			);
		},
	});
}

/** One of a few values to filter by. */
export function choiceFilter<T extends string>(
	look: Wording & { default: NoInfer<T>; choices: Choices<T> },
): Field<T | undefined> {
	return choice({ ...look, under: 'filters', absent: undefined });
}

/** Several of a few values: at least one, unless it is an option. */
export function multiChoice<T extends string>({
	choices,
	...look
}: Wording &
	Beginning<readonly NoInfer<T>[], readonly NoInfer<T>[]> & { choices: Choices<T> }): Field<
	readonly T[]
> {
	const { absent, ...shown } = { absent: look.default, ...look };
	const known = valuesOf(choices);
	return field({
		...shown,
		type: 'multiOptions',
		default: [...look.default],
		options: optionsOf(choices),
		read: (raw = absent) =>
			look.under !== undefined && Array.isArray(raw) && raw.length === 0
				? []
				: readChoices(raw, known, look.displayName),
	});
}

/** Something that is on or off, under Options unless said otherwise. It begins as off. */
export function switchOption<Absent = never>(
	look: Wording & Partial<Beginning<boolean, Absent>>,
): Field<boolean | Absent> {
	const beginning = { default: false, ...look };
	const { absent, ...shown } = { absent: beginning.default, ...beginning };
	const read = (raw: unknown): boolean | Absent => readSwitch(raw, look.displayName, absent);
	return field({ under: 'options', ...shown, type: 'boolean', read });
}

/** What a number may be: whole and from 1, unless said otherwise. */
interface Bounds {
	from?: number;
	to?: number;
	/** Any number above 0. */
	isFraction?: true;
	/** How much one of it is in the unit that it is read in, e.g. 60,000 for minutes that become milliseconds. */
	unit?: number;
	/** What else a user may do about a wrong one. */
	orElse?: string;
}

/** A number, under Options unless said otherwise. */
export function numberOption<Absent = never>(
	look: Wording & Beginning<number, Absent> & Bounds,
): Field<number | Absent> {
	const { from = 1, to, isFraction, unit = 1, orElse = 'remove the option', ...rest } = look;
	const { absent, ...shown } = { absent: look.default * unit, ...rest };
	const [typeOptions, kind] =
		isFraction === true
			? [{ minValue: 0, numberPrecision: 4 }, 'number above 0']
			: [
					{ minValue: from, ...(to !== undefined && { maxValue: to }) },
					`whole number from ${from}${to === undefined ? '' : ` to ${to}`}`,
				];
	const read = (raw: unknown): number | Absent => {
		if (raw === undefined) return absent;
		const value = numberIn(raw);
		const fits = isFraction === true ? value > 0 : Number.isInteger(value) && value >= from;
		if (fits && value <= (to ?? Number.MAX_VALUE)) return value * unit;
		throw new InputError(
			`${look.displayName} is not a ${kind}`,
			`Enter e.g. ${look.default}, or ${orElse}.`,
		);
	};
	return field({ under: 'options', ...shown, type: 'number', typeOptions, read });
}

/** Text that may be left out. */
export function optionalText({
	maxLength = Infinity,
	...look
}: Wording & { maxLength?: number }): Field<string | undefined> {
	const read = (raw: unknown): string | undefined => {
		const text = readOptionalText(raw, look.displayName);
		if (text === undefined || text.length <= maxLength) return text;
		throw new InputError(
			`${look.displayName} is longer than ${maxLength} characters`,
			'Shorten it and try again.',
		);
	};
	return field({ ...look, type: 'string', default: '', read });
}

/** Text that has to be there. */
export function requiredText(
	look: Wording & { default?: string; read(raw: unknown, label: string): string },
): Field<string> {
	const read = (raw: unknown): string => look.read(raw, look.displayName);
	return field({ default: '', ...look, type: 'string', required: true, read });
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
	return field({ ...chooser(chosen, readId), description, required: true });
}

/** The same to filter by. */
export function locatorFilter(chosen: Chosen, description: string): Field<string | undefined> {
	const read = (raw: unknown, label: string): string | undefined =>
		readOptionalId(isJsonObject(raw) ? raw.value : raw, label);
	return field({ ...chooser(chosen, read), description, under: 'filters' });
}

function chooser<T>(
	[name, displayName, searchListMethod, placeholder]: Chosen,
	read: (raw: unknown, label: string) => T,
): Look<T> {
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
		read: (raw) => read(raw, displayName),
	};
}

/** A moment to filter by, described by an unfinished sentence. */
export function dateTimeFilter(look: Wording): Field<string | undefined> {
	return field({
		...look,
		description: `${look.description}, in the workflow’s time zone. A date alone is the start of its day.`,
		under: 'filters',
		type: 'dateTime',
		default: '',
		read: (raw, timeZone) =>
			raw === undefined || raw === null || raw === ''
				? undefined
				: toDateTime(raw, look.displayName, timeZone),
	});
}
