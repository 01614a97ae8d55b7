import type { IExecuteFunctions } from 'n8n-workflow';

import { isJsonObject } from '../service/json';
import type { Field, FieldGroup, Shared, Values } from './field';

/** Reads and checks an item's fields as the operation asks for them. */
export function valuesOf(context: IExecuteFunctions, itemIndex: number): Values {
	const groups = new Map<FieldGroup, unknown>();

	const groupOf = (name: FieldGroup): unknown => {
		if (!groups.has(name)) groups.set(name, context.getNodeParameter(name, itemIndex, {}));
		return groups.get(name);
	};

	const rawOf = (field: Field<unknown> | Shared<unknown>): unknown => {
		if ('sharedAs' in field) {
			return context.getWorkflowStaticData('global')[field.sharedAs] ?? field.find(context);
		}
		if (field.group !== undefined) {
			const group = groupOf(field.group);
			return isJsonObject(group) ? group[field.name] : undefined;
		}
		const { name, parameter, readsNull } = field;
		const whenAbsent = readsNull === true ? parameter.default : null;
		const raw = context.getNodeParameter(name, itemIndex, whenAbsent, {
			extractValue: parameter.type === 'resourceLocator',
		});
		return raw ?? (readsNull === true ? null : undefined);
	};

	return (field) => field.read(rawOf(field), context.getTimezone());
}
