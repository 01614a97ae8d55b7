import type {
	FunctionsBase,
	IDisplayOptions,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import { InputError } from '../service/errors';
import { numberIn } from '../service/json/json';
import type { Field, Group } from './field';
import {
	idIn,
	readId,
	readOptionalId,
	readOptionalText,
	readSeveral,
	unlessNothing,
} from './parseValue';

// Builders take a field's name in workflows, its label in the editor, and the rest.

/** Reads a raw value as `Field` says, and names the field by its label where it cannot be used. */
type Read<T> = (raw: unknown, label: string, context: FunctionsBase) => T;

/** A field as one object. */
type FieldParts<T> = Omit<Field<T>, 'parameter' | 'read'> &
	Field<T>['parameter'] & { read: Read<T> };

/** The rest, where its type, what it begins with and how it is read are known. */
type Rest = Omit<FieldParts<unknown>, 'name' | 'displayName' | 'type' | 'default' | 'read'>;

export function field<T>(parts: FieldParts<T>): Field<T> {
	const { name, under, showWhen, hideWhen, read, ...parameter } = parts;
	const { displayName } = parameter;
	const readFully = under === 'filters' ? unlessNothing(read) : read;
	const reading: Field<T>['read'] = (raw, context) => readFully(raw, `'${displayName}'`, context);
	return { name, under, showWhen, hideWhen, parameter, read: reading };
}

/** A notice to the user, without a value. */
export function notice(name: string, displayName: string, rest: Rest = {}): Field<undefined> {
	return field({ ...rest, name, displayName, type: 'notice', default: '', read: () => undefined });
}

/** The value of an option when it is added, and while it is not: the same by default. */
interface Beginning<T, Absent> {
	default: T;
	absent?: Absent;
}

/** The names of choices by their values; with a description where the name does not say all. */
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

/** Reads one of some choices; undefined where nothing is given. */
function oneOf<T extends string>(choices: Choices<T>) {
	const isKnown = (text: string): text is T => Object.hasOwn(choices, text);
	return (raw: unknown, label: string): T | undefined => {
		const text = readOptionalText(raw, label);
		if (text === undefined || isKnown(text)) return text;
		throw new InputError(
			`${label} is "${text}", which is not one of its choices`,
			`Use one of ${Object.keys(choices).join(', ')}.`,
		);
	};
}

/** One of a few values. */
export function choice<T extends string, Absent = never>(
	name: string,
	displayName: string,
	appearance: Rest & Beginning<NoInfer<T>, Absent> & { choices: Choices<T> },
): Field<T | Absent> {
	const { choices, absent, ...shown } = {
		absent: appearance.default,
		...appearance,
		name,
		displayName,
	};
	const readOne = oneOf(choices);
	const read: Read<T | Absent> = (raw, label) => readOne(raw, label) ?? absent;
	return field({ ...shown, type: 'options', options: optionsOf(choices), read });
}

/** Several of a few values: at least one, unless it is an option. */
export function multiChoice<T extends string>(
	name: string,
	displayName: string,
	appearance: Rest &
		Beginning<readonly NoInfer<T>[], readonly NoInfer<T>[]> & { choices: Choices<T> },
): Field<readonly T[]> {
	const { choices, absent, ...shown } = {
		absent: appearance.default,
		...appearance,
		name,
		displayName,
	};
	return field({
		...shown,
		type: 'multiOptions',
		default: [...appearance.default],
		options: optionsOf(choices),
		read: (raw = absent, label) =>
			appearance.under !== undefined && Array.isArray(raw) && raw.length === 0
				? []
				: readSeveral(raw, label, oneOf(choices)),
	});
}

/** A switch, off at first as n8n's guidelines ask, under Options by default. `absent: undefined` leaves it to the service. */
export function switchOption<Absent = never>(
	name: string,
	displayName: string,
	appearance: Rest & { absent?: Absent },
): Field<boolean | Absent> {
	const { absent, ...shown } = { absent: false, ...appearance, name, displayName };
	const read: Read<boolean | Absent> = (raw, label) => {
		if (raw === undefined || raw === null || raw === '') return absent;
		if (raw === true || raw === 'true') return true;
		if (raw === false || raw === 'false') return false;
		throw new InputError(
			`${label} is neither true nor false`,
			'Turn it on or off, or use an expression that gives true or false.',
		);
	};
	const readFully = absent === undefined ? unlessNothing(read) : read;
	return field({ under: 'options', ...shown, type: 'boolean', default: false, read: readFully });
}

/** The bounds of a number: whole and from 1 by default. */
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

/** A number, under Options by default. */
export function numberOption<Absent = never>(
	name: string,
	displayName: string,
	appearance: Rest & Beginning<number, Absent> & Bounds,
): Field<number | Absent> {
	const { from = 1, to, isFraction, unit = 1, orElse = 'remove the option', ...rest } = appearance;
	const { absent, ...shown } = { absent: appearance.default * unit, ...rest, name, displayName };
	const [typeOptions, kind] =
		isFraction === true
			? [{ minValue: 0 }, 'number above 0']
			: [
					{ minValue: from, ...(to !== undefined && { maxValue: to }) },
					`whole number from ${from}${to === undefined ? '' : ` to ${to}`}`,
				];
	const read: Read<number | Absent> = (raw, label) => {
		if (raw === undefined) return absent;
		const value = numberIn(raw);
		const fits = isFraction === true ? value > 0 : Number.isInteger(value) && value >= from;
		if (fits && value <= (to ?? Number.MAX_VALUE)) return value * unit;
		throw new InputError(
			`${label} is not a ${kind}`,
			`Enter e.g. ${appearance.default}, or ${orElse}.`,
		);
	};
	return field({ under: 'options', ...shown, type: 'number', typeOptions, read });
}

/** Text, empty by default. */
export function text<T>(
	name: string,
	displayName: string,
	appearance: Rest & { default?: string; read: Read<T> },
): Field<T> {
	return field({ default: '', ...appearance, name, displayName, type: 'string' });
}

/**
 * A required choice from one of the service's lists, or by ID. The label names the method that searches
 * the list: `searchBots` (methods/lists.ts).
 *
 * @param notIds what stands in the place of an ID in other addresses of the service
 */
export function locator(
	name: string,
	displayName: string,
	placeholder: string,
	description: string,
	notIds: readonly string[] = [],
): Field<string> {
	const searchListMethod = `search${displayName.replace(' ', '')}s`;
	const typeOptions = { searchListMethod, searchable: true };
	const noun = displayName.toLowerCase();
	const advice = `Choose a ${noun} from the list, or paste its ID alone, ${placeholder}.`;
	return field({
		name,
		displayName,
		description,
		required: true,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		modes: [
			{ displayName: 'From List', name: 'list', type: 'list', typeOptions },
			{ displayName: 'By ID', name: 'id', type: 'string', placeholder },
		],
		read: (raw, label) => {
			const id = idIn(readId(raw, label, advice), label, advice);
			if (!notIds.includes(id)) return id;
			throw new InputError(`${label} is "${id}", which is not the ID of a ${noun}`, advice);
		},
	});
}

/** The same to filter by. */
export function locatorFilter({ name, parameter }: Field<string>, description: string) {
	const appearance = { ...parameter, name, description, required: false };
	return field({
		...appearance,
		under: 'filters',
		read: (raw, label) => {
			const id = readOptionalId(raw, label);
			return id === undefined
				? id
				: idIn(id, label, 'Choose it from the list, or paste its ID alone.');
		},
	});
}

type Show = NonNullable<IDisplayOptions['show']>;

/** Shown while the node waits: without it there are neither rows nor settings of the wait. */
export const WAITS: Show = { waitForCompletion: ['automatic', 'poll'] };

/** When one of some options may be shown, as far as they ask of the node's own parameters: "/source" is its parameter "source". */
function askedByAll(options: ReadonlyArray<Field<unknown>>): Show {
	const [first = {}, ...others] = options.map(({ showWhen = {} }) => showWhen);
	const shared = Object.keys(first).filter(
		(name) => name.startsWith('/') && others.every((other) => other[name] !== undefined),
	);
	const valuesOf = (name: string) => [
		...new Set([first, ...others].flatMap((asked) => asked[name] ?? [])),
	];
	return Object.fromEntries(shared.map((name) => [name.slice(1), valuesOf(name)]));
}

/** The groups in the order of the editor, by their labels, and when each is shown. */
const GROUPS: Readonly<Record<Group, readonly [displayName: string, showWhen?: Show]>> = {
	filters: ['Filters'],
	outputOptions: ['Output Options', WAITS],
	files: ['Files'],
	waiting: ['Waiting', WAITS],
	limits: ['Limits and Costs'],
	options: ['Options'],
};

/**
 * Fields as the editor shows them: first those that stand alone, then the groups, each by the alphabet. A group is shown
 * where it has an option. A condition on a field that is not among them is left out.
 *
 * @param show when all of them are shown; by default always
 */
export function toProperties(fields: ReadonlyArray<Field<unknown>>, show: Show = {}) {
	const isHere = (name: string) =>
		name.startsWith('/') || fields.some((each) => each.name === name);
	const allOf = (showWhen: Show = {}): Show => ({
		...show,
		...Object.fromEntries(Object.entries(showWhen).filter(([name]) => isHere(name))),
	});
	const alone = fields
		.filter(({ under }) => under === undefined)
		.map((each) => propertyOf(each, allOf(each.showWhen)));
	const groups = Object.entries(GROUPS).flatMap(([name, [displayName, showWhen]]) => {
		const members = fields.filter(({ under }) => under === name);
		const options = members
			.map((each) => propertyOf(each, each.showWhen))
			.sort((a, b) => byAlphabet(a.displayName, b.displayName));
		const placeholder = name === 'filters' ? 'Add Filter' : 'Add Option';
		const group: INodeProperties = {
			...{ displayName, name, type: 'collection', placeholder, default: {}, options },
		};
		return options.length === 0
			? []
			: [shownWhen(group, allOf({ ...showWhen, ...askedByAll(members) }))];
	});
	return [...alone, ...groups];
}

function propertyOf({ name, parameter, hideWhen }: Field<unknown>, show: Show = {}) {
	return shownWhen({ ...parameter, name }, show, hideWhen);
}

function shownWhen(property: INodeProperties, show: Show, hide?: IDisplayOptions['hide']) {
	const displayOptions = { ...(Object.keys(show).length > 0 && { show }), ...(hide && { hide }) };
	return Object.keys(displayOptions).length === 0 ? property : { ...property, displayOptions };
}

/**
 * Compares two English texts regardless of case. For sorting while n8n loads the package: the first
 * `localeCompare` of a process takes longer than all the rest of the loading code.
 */
function byAlphabet(a: string, b: string): number {
	const [first, second] = [a.toLowerCase(), b.toLowerCase()];
	if (first === second) return 0;
	return first < second ? -1 : 1;
}
