import type { INodeProperties } from 'n8n-workflow';

import type { Field, FieldGroup } from './field';

const GROUPS: Record<FieldGroup, { displayName: string; placeholder: string }> = {
	filters: { displayName: 'Filters', placeholder: 'Add Filter' },
	options: { displayName: 'Options', placeholder: 'Add Option' },
};

/** A trigger's fields as the editor shows them: first those that stand alone, then the collections. */
export function toProperties(fields: ReadonlyArray<Field<unknown>>): INodeProperties[] {
	const alone = fields.filter(({ group }) => group === undefined);
	return [
		...alone.map(toProperty),
		...toCollection(fields, 'filters'),
		...toCollection(fields, 'options'),
	];
}

function toCollection(fields: ReadonlyArray<Field<unknown>>, group: FieldGroup): INodeProperties[] {
	const members = fields.filter((field) => field.group === group).map(toProperty);
	if (members.length === 0) return [];
	members.sort((a, b) => a.displayName.localeCompare(b.displayName));
	return [{ ...GROUPS[group], name: group, type: 'collection', default: {}, options: members }];
}

function toProperty({ name, parameter, showWhen }: Field<unknown>): INodeProperties {
	return {
		...parameter,
		name,
		...(showWhen !== undefined && { displayOptions: { show: showWhen } }),
	};
}
