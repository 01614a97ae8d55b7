import type { IDisplayOptions, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

/**
 * One thing a user fills in, and how its raw value becomes a checked one. Where it is shown
 * follows from the operations that list it, so `displayOptions` are never written by hand.
 */
export interface Field<T> {
	name: string;
	/** What n8n's editor shows. */
	parameter: Omit<INodeProperties, 'name' | 'displayOptions'>;
	/** The collection that it stands in: what n8n shows together under one "Add …" button. */
	under?: 'filters' | 'options' | undefined;
	/** Further conditions on sibling fields, e.g. `{ returnAll: [false] }`. */
	showWhen?: IDisplayOptions['show'];
	/** Conditions that hide it, e.g. on what n8n adds to an agent's tool. */
	hideWhen?: IDisplayOptions['hide'];
	/**
	 * @param raw undefined for an option that was not added; null where an expression gave nothing,
	 * which must not pass for a field that was left alone
	 * @param timeZone the workflow's, in which dates without an offset are meant
	 * @throws InputError naming the field when the value cannot be used
	 */
	read(raw: unknown, timeZone: string): T;
}

/** What is found out by the execution's context, rather than filled in. */
export interface Finding<T> {
	find(context: IExecuteFunctions): T;
}

/** Gives the checked value of a field for one item, or what is found out. */
export type Values = <T>(field: Field<T> | Finding<T>) => T;

/** Several fields, and what they come to together. */
export interface FieldSet<T> {
	fields: ReadonlyArray<Field<unknown>>;
	/** @throws InputError naming the field that is missing or wrong */
	read(values: Values): T;
}
