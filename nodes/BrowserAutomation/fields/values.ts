import type {
	IExecuteFunctions,
	IGetNodeParameterOptions,
	IHookFunctions,
	IPollFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { isJsonObject } from '../service/json';
import type { Field, FieldGroup, Shared, Values } from './field';

/** Where a trigger's code runs: at activation, for a callback, or for a poll. */
export type TriggerContext = IHookFunctions | IWebhookFunctions | IPollFunctions;

/** Where raw values come from. */
interface Source {
	timeZone: string;
	readParameter(name: string, whenAbsent: unknown, options?: IGetNodeParameterOptions): unknown;
	readShared(field: Shared<unknown>): unknown;
}

/** Reads and checks an item's fields as the operation asks for them. */
export function valuesOf(context: IExecuteFunctions, itemIndex: number): Values {
	return valuesFrom({
		timeZone: context.getTimezone(),
		readParameter: (name, whenAbsent, options) =>
			context.getNodeParameter(name, itemIndex, whenAbsent, options),
		readShared: (field) =>
			field.find(context, context.getWorkflowStaticData('global')[field.sharedAs]),
	});
}

/** Reads and checks a trigger's fields. */
export function valuesOfTrigger(context: TriggerContext): Values {
	return valuesFrom({
		timeZone: context.getTimezone(),
		readParameter: (name, whenAbsent, options) =>
			context.getNodeParameter(name, whenAbsent, options),
		readShared: () => {
			throw new Error('Triggers share, they do not use what is shared');
		},
	});
}

function valuesFrom({ timeZone, readParameter, readShared }: Source): Values {
	const groups = new Map<FieldGroup, unknown>();

	const groupOf = (name: FieldGroup): unknown => {
		if (!groups.has(name)) groups.set(name, readParameter(name, {}));
		return groups.get(name);
	};

	const rawOf = (field: Field<unknown> | Shared<unknown>): unknown => {
		if ('sharedAs' in field) return readShared(field);
		if (field.group !== undefined) {
			const group = groupOf(field.group);
			return isJsonObject(group) ? group[field.name] : undefined;
		}
		const { name, parameter, readsNull } = field;
		const whenAbsent = readsNull === true ? parameter.default : null;
		const extractValue = parameter.type === 'resourceLocator';
		const raw = readParameter(name, whenAbsent, { extractValue });
		return raw ?? (readsNull === true ? null : undefined);
	};

	return (field) => field.read(rawOf(field), timeZone);
}
