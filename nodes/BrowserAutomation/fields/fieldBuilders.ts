import type { Field, FieldGroup } from './field';
import { toDateTime } from '../service/schema/dateTime';
import { InputError } from '../service/errors';
import { isJsonObject } from '../service/json/json';
import { readId, readOptionalId, readOptionalText } from './parseValue';

/** What a user reads about a field. */
interface Wording {
	name: string;
	displayName: string;
	description: string;
	placeholder: string;
}

/** A choice from a list, its entries read by `searchListMethod`; it can be entered by ID as well. */
export function locator(wording: Wording, searchListMethod: string): Field<string> {
	const { name, displayName } = wording;
	return {
		name,
		parameter: { ...chooser(wording, searchListMethod), required: true },
		read: (raw) => readId(raw, displayName),
	};
}

/** The same for a filter. */
export function locatorFilter(
	wording: Wording,
	searchListMethod: string,
): Field<string | undefined> {
	const { name, displayName } = wording;
	return {
		name,
		group: 'filters',
		parameter: chooser(wording, searchListMethod),
		read: (raw) => readOptionalId(isJsonObject(raw) ? raw.value : raw, displayName),
	};
}

function chooser(
	{ displayName, description, placeholder }: Wording,
	searchListMethod: string,
): Field<unknown>['parameter'] {
	return {
		displayName,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		description,
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod, searchable: true },
			},
			{ displayName: 'By ID', name: 'id', type: 'string', placeholder },
		],
	};
}

/** An ID that may be left out. */
export function optionalId(group: FieldGroup, wording: Wording): Field<string | undefined> {
	const read = (raw: unknown): string | undefined => readOptionalId(raw, wording.displayName);
	return { ...optionalText(group, wording), read };
}

/** Text that may be left out. */
export function optionalText(
	group: FieldGroup,
	{ name, displayName, description, placeholder }: Wording,
	maxLength = Infinity,
): Field<string | undefined> {
	return {
		name,
		group,
		parameter: { displayName, type: 'string', default: '', description, placeholder },
		read: (raw) => {
			const text = readOptionalText(raw, displayName);
			if (text === undefined || text.length <= maxLength) return text;
			throw new InputError(
				`${displayName} is longer than ${maxLength} characters`,
				'Shorten it and try again.',
			);
		},
	};
}

/** One of a few values that may be left out. @param byDefault what is chosen when the user adds the filter */
export function choiceFilter(
	{ name, displayName, description }: Omit<Wording, 'placeholder'>,
	choices: ReadonlyArray<{ name: string; value: string }>,
	byDefault = choices[0]?.value ?? '',
): Field<string | undefined> {
	return {
		name,
		group: 'filters',
		parameter: {
			displayName,
			type: 'options',
			default: byDefault,
			description,
			options: [...choices],
		},
		read: (raw) => {
			const text = readOptionalText(raw, displayName);
			if (text === undefined || choices.some(({ value }) => value === text)) return text;
			throw new InputError(
				`${displayName} "${text}" is not known`,
				`Use one of ${choices.map(({ value }) => value).join(', ')}.`,
			);
		},
	};
}

/** A moment that may be left out, described by an unfinished sentence. */
export function dateTimeFilter({
	name,
	displayName,
	description,
}: Omit<Wording, 'placeholder'>): Field<string | undefined> {
	return {
		name,
		group: 'filters',
		parameter: {
			displayName,
			type: 'dateTime',
			default: '',
			description: `${description}, in the workflow’s time zone. A date alone is the start of its day.`,
		},
		read: (raw, timeZone) =>
			raw === undefined || raw === null || raw === ''
				? undefined
				: toDateTime(raw, displayName, timeZone),
	};
}
