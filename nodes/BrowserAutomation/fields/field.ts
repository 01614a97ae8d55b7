import type { IDisplayOptions, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

/** Parameters that n8n shows together under one "Add …" button. */
export type FieldGroup = 'filters' | 'options';

/**
 * One thing a user fills in, and how its raw value becomes a checked one. Where it is shown
 * follows from the operations that list it, so `displayOptions` are never written by hand.
 */
export interface Field<T> {
	name: string;
	/** What n8n's editor shows. */
	parameter: Omit<INodeProperties, 'name' | 'displayOptions'>;
	/** Set for a field that stands in a collection. */
	group?: FieldGroup | undefined;
	/** Further conditions on sibling fields, e.g. `{ returnAll: [false] }`. */
	showWhen?: IDisplayOptions['show'];
	/** Conditions that hide it, e.g. on what n8n adds to an agent's tool. */
	hideWhen?: IDisplayOptions['hide'];
	/**
	 * Set where nothing at all, which an expression gives that finds nothing, is read as `null`: it
	 * must not pass for a field that was left alone.
	 */
	readsNull?: true | undefined;
	/**
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

/** The number that a parameter's raw value is, or says as text; NaN for everything else. */
export function numberIn(raw: unknown): number {
	if (typeof raw === 'string' && raw.trim() !== '') return Number(raw);
	return typeof raw === 'number' ? raw : NaN;
}
