import type { IHookFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { Values } from './field';
import { isJsonObject } from '../service/json';

/** Where a trigger's code runs: at activation, for a callback, or for a poll. */
export type TriggerContext = IHookFunctions | IWebhookFunctions | IPollFunctions;

/** Reads and checks a trigger's fields. */
export function valuesOfTrigger(context: TriggerContext): Values {
	const timeZone = context.getTimezone();
	return (field) => {
		if ('sharedAs' in field) throw new Error('Triggers share, they do not use what is shared');
		if (field.group !== undefined) {
			const group: unknown = context.getNodeParameter(field.group, {});
			return field.read(isJsonObject(group) ? group[field.name] : undefined, timeZone);
		}
		const { name, parameter, readsNull } = field;
		const whenAbsent = readsNull === true ? parameter.default : null;
		const raw: unknown = context.getNodeParameter(name, whenAbsent, {
			extractValue: parameter.type === 'resourceLocator',
		});
		return field.read(raw ?? (readsNull === true ? null : undefined), timeZone);
	};
}
