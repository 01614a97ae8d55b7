import {
	isExpression,
	type IExecuteFunctions,
	type IGetNodeParameterOptions,
	type IHookFunctions,
	type IPollFunctions,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { isJsonObject } from '../service/json/json';
import type { Field, Values } from './field';

/** Reads a parameter's raw value. */
type Reader = (name: string, whenAbsent: unknown, options?: IGetNodeParameterOptions) => unknown;

/**
 * Reads and checks the fields of each item, by its index, as the operation asks for them. What holds
 * no expression is the same for all items, and n8n is asked for it once: each look at a parameter
 * makes n8n search all of the node's.
 */
export function valuesOfItems(context: IExecuteFunctions): (itemIndex: number) => Values {
	const timeZone = context.getTimezone();
	const differs = new Map<string, boolean>();
	const alike = new Map<string, unknown>();

	return (itemIndex) => {
		const ofItem = new Map<string, unknown>();
		const read: Reader = (name, ...how) => {
			if (!differs.has(name)) {
				const entered = context.getNodeParameter(name, itemIndex, null, { rawExpressions: true });
				differs.set(name, holdsExpression(entered));
			}
			const known = differs.get(name) === true ? ofItem : alike;
			if (!known.has(name)) known.set(name, context.getNodeParameter(name, itemIndex, ...how));
			return known.get(name);
		};
		return (field) =>
			'find' in field ? field.find(context) : field.read(rawOf(field, read), timeZone);
	};
}

/** Whether there is an expression in what a user entered: in it, or in anything that it holds. */
function holdsExpression(entered: unknown): boolean {
	if (typeof entered !== 'object' || entered === null) return isExpression(entered);
	return Object.values(entered).some(holdsExpression);
}

/** Reads and checks a trigger's fields: at activation, for a callback, or for a poll. */
export function valuesOfTrigger(
	context: IHookFunctions | IWebhookFunctions | IPollFunctions,
): Values {
	const read: Reader = (...how) => context.getNodeParameter(...how);
	return (field) => {
		if (!('find' in field)) return field.read(rawOf(field, read), context.getTimezone());
		throw new Error('A trigger has no execution to find anything by');
	};
}

function rawOf({ name, under, parameter }: Field<unknown>, read: Reader): unknown {
	if (under !== undefined) {
		const values = read(under, {});
		return isJsonObject(values) ? values[name] : undefined;
	}
	const extractValue = parameter.type === 'resourceLocator';
	return read(name, parameter.default, { extractValue }) ?? null;
}
