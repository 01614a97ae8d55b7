import {
	isExpression,
	type IExecuteFunctions,
	type IGetNodeParameterOptions,
	type IHookFunctions,
	type IPollFunctions,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { isJsonObject } from '../service/json/json';
import type { Field, Finding, Values } from './field';

/** Where a trigger's code runs: at activation, for a callback, or for a poll. */
export type TriggerContext = IHookFunctions | IWebhookFunctions | IPollFunctions;

/** Where raw values come from. */
interface Source {
	timeZone: string;
	readParameter(name: string, whenAbsent: unknown, options?: IGetNodeParameterOptions): unknown;
	find<T>(finding: Finding<T>): T;
}

/**
 * Reads and checks the fields of each item, by its index, as the operation asks for them. What holds
 * no expression is the same for all items, and n8n is asked for it once: each look at a parameter
 * makes n8n search all of the node's.
 */
export function valuesOfItems(context: IExecuteFunctions): (itemIndex: number) => Values {
	const timeZone = context.getTimezone();
	const alike = new Map<string, unknown>();
	const differing = new Set<string>();

	const readFor = (
		itemIndex: number,
		name: string,
		whenAbsent: unknown,
		options?: IGetNodeParameterOptions,
	): unknown => {
		if (alike.has(name)) return alike.get(name);
		const value = context.getNodeParameter(name, itemIndex, whenAbsent, options);
		if (differing.has(name)) return value;
		const entered = context.getNodeParameter(name, itemIndex, null, { rawExpressions: true });
		if (holdsExpression(entered)) differing.add(name);
		else alike.set(name, value);
		return value;
	};

	return (itemIndex) =>
		valuesFrom({
			timeZone,
			readParameter: (...parameter) => readFor(itemIndex, ...parameter),
			find: (finding) => finding.find(context),
		});
}

/** Whether there is an expression in what a user entered: in it, or in anything that it holds. */
function holdsExpression(entered: unknown): boolean {
	if (typeof entered !== 'object' || entered === null) return isExpression(entered);
	return Object.values(entered).some(holdsExpression);
}

/** Reads and checks a trigger's fields. */
export function valuesOfTrigger(context: TriggerContext): Values {
	return valuesFrom({
		timeZone: context.getTimezone(),
		readParameter: (name, whenAbsent, options) =>
			context.getNodeParameter(name, whenAbsent, options),
		find: () => {
			throw new Error('A trigger has no execution to find anything by');
		},
	});
}

function valuesFrom({ timeZone, readParameter, find }: Source): Values {
	const known = new Map<string, unknown>();

	const readOnce = (
		name: string,
		whenAbsent: unknown,
		options?: IGetNodeParameterOptions,
	): unknown => {
		if (!known.has(name)) known.set(name, readParameter(name, whenAbsent, options));
		return known.get(name);
	};

	const rawOf = (field: Field<unknown>): unknown => {
		if (field.group !== undefined) {
			const group = readOnce(field.group, {});
			return isJsonObject(group) ? group[field.name] : undefined;
		}
		const { name, parameter, readsNull } = field;
		const whenAbsent = readsNull === true ? parameter.default : null;
		const extractValue = parameter.type === 'resourceLocator';
		const raw = readOnce(name, whenAbsent, { extractValue });
		return raw ?? (readsNull === true ? null : undefined);
	};

	return (field) => ('find' in field ? find(field) : field.read(rawOf(field), timeZone));
}
