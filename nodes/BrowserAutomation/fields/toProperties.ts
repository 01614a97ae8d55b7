import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import type { Field, FieldGroup } from './field';

const GROUPS: Record<FieldGroup, { displayName: string; placeholder: string }> = {
	filters: { displayName: 'Filters', placeholder: 'Add Filter' },
	options: { displayName: 'Options', placeholder: 'Add Option' },
};

type Show = NonNullable<IDisplayOptions['show']>;

/**
 * Fields as the editor shows them: first those that stand alone, then filters, then options.
 *
 * @param show when all of them are shown; by default always
 */
export function toProperties(
	fields: ReadonlyArray<Field<unknown>>,
	show: Show = {},
): INodeProperties[] {
	const alone = fields.filter(({ group }) => group === undefined);
	const collections = (['filters', 'options'] as const).flatMap((group): INodeProperties[] => {
		const options = fields
			.filter((field) => field.group === group)
			.map((field) => toProperty(field, {}))
			.sort((a, b) => byAlphabet(a.displayName, b.displayName));
		const collection = { ...GROUPS[group], name: group, default: {}, options };
		return options.length === 0 ? [] : [shownWhen({ ...collection, type: 'collection' }, show)];
	});
	return [...alone.map((field) => toProperty(field, show)), ...collections];
}

function toProperty(
	{ name, parameter, showWhen, hideWhen }: Field<unknown>,
	show: Show,
): INodeProperties {
	const property = shownWhen({ ...parameter, name }, { ...show, ...showWhen });
	if (hideWhen === undefined) return property;
	return { ...property, displayOptions: { ...property.displayOptions, hide: hideWhen } };
}

function shownWhen(property: INodeProperties, show: Show): INodeProperties {
	return Object.keys(show).length === 0 ? property : { ...property, displayOptions: { show } };
}

/**
 * The order of two English texts, by letters in upper or lower case. For what is sorted while n8n
 * loads the package: the first `localeCompare` of a process takes longer than all the rest of the
 * loading code.
 */
export function byAlphabet(a: string, b: string): number {
	const [first, second] = [a.toLowerCase(), b.toLowerCase()];
	if (first === second) return 0;
	return first < second ? -1 : 1;
}
