import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import type { Field } from './field';

const COLLECTIONS = [
	{ name: 'filters', displayName: 'Filters', placeholder: 'Add Filter' },
	{ name: 'options', displayName: 'Options', placeholder: 'Add Option' },
] as const;

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
	const those = (place: Field<unknown>['under'], conditions: Show): INodeProperties[] =>
		fields
			.filter(({ under }) => under === place)
			.map(({ name, parameter, showWhen, hideWhen }) =>
				shownWhen({ ...parameter, name }, { ...conditions, ...showWhen }, hideWhen),
			);
	const collections = COLLECTIONS.flatMap((look) => {
		const options = those(look.name, {}).sort((a, b) => byAlphabet(a.displayName, b.displayName));
		const collection: INodeProperties = { ...look, type: 'collection', default: {}, options };
		return options.length === 0 ? [] : [shownWhen(collection, show)];
	});
	return [...those(undefined, show), ...collections];
}

function shownWhen(
	property: INodeProperties,
	show: Show,
	hide?: IDisplayOptions['hide'],
): INodeProperties {
	const displayOptions = { ...(Object.keys(show).length > 0 && { show }), ...(hide && { hide }) };
	return Object.keys(displayOptions).length === 0 ? property : { ...property, displayOptions };
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
