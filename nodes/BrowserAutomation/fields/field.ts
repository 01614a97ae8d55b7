import {
	isExpression,
	type FunctionsBase,
	type IDisplayOptions,
	type IExecuteFunctions,
	type IGetNodeParameterOptions,
	type IHookFunctions,
	type INodeProperties,
	type IPollFunctions,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { isJsonObject } from '../service/json/json';

/** What options are grouped by, under the names that workflows store (fieldBuilders.ts has their labels). */
export type Group = 'filters' | 'outputOptions' | 'files' | 'waiting' | 'limits' | 'options';

/**
 * One thing a user fills in, and how its raw value becomes a checked one. Where it is shown
 * follows from the operations that list it, so `displayOptions` are never written by hand.
 */
export interface Field<T> {
	name: string;
	/** What n8n's editor shows. */
	parameter: Omit<INodeProperties, 'name' | 'displayOptions'>;
	/** The group that it belongs to: a collection, which n8n shows under one "Add …" button. */
	under?: Group | undefined;
	/** Further conditions on sibling fields, e.g. `{ returnAll: [false] }`. */
	showWhen?: IDisplayOptions['show'];
	/** Conditions that hide it, e.g. on what n8n adds to an agent's tool. */
	hideWhen?: IDisplayOptions['hide'];
	/**
	 * @param raw undefined for an option that was not added; null where an expression gave nothing, which
	 * is not the same as a field that was left alone
	 * @param context has the workflow's time zone, in which dates without an offset are read
	 * @throws InputError naming the field when the value cannot be used
	 */
	read(raw: unknown, context: FunctionsBase): T;
}

/** Gives the checked value of a field for one item. */
export type ReadParam = <T>(field: Field<T>) => T;

/** Several fields that are read together. */
export interface FieldSet<T> {
	fields: ReadonlyArray<Field<unknown>>;
	/** @throws InputError naming the field that is missing or wrong */
	read(values: ReadParam): T;
}

/** Reads a parameter's raw value. */
type Reader = (name: string, whenAbsent: unknown, options?: IGetNodeParameterOptions) => unknown;

/**
 * Reads and checks the fields of each item, by its index, when the operation asks for them. A value
 * without an expression is the same for all items and is read once: n8n searches all of the node's
 * parameters for each read.
 */
export function valuesOfItems(context: IExecuteFunctions): (itemIndex: number) => ReadParam {
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
		return (field) => field.read(rawOf(field, read), context);
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
): ReadParam {
	const read: Reader = (...how) => context.getNodeParameter(...how);
	return (field) => field.read(rawOf(field, read), context);
}

function rawOf({ name, under, parameter }: Field<unknown>, read: Reader): unknown {
	const extractValue = parameter.type === 'resourceLocator';
	if (under === undefined) return read(name, parameter.default, { extractValue }) ?? null;
	const values = read(under, {});
	if (!isJsonObject(values) || !Object.hasOwn(values, name)) return undefined;
	const raw = values[name];
	return (extractValue ? chosenValue(raw) : raw) ?? null;
}

/** The chosen value of a resource locator as n8n stores it. */
export function chosenValue(raw: unknown): unknown {
	return isJsonObject(raw) ? raw.value : raw;
}
