import type { JsonObject, JsonValue } from '../json/json';
import type { Budget } from './budget';
import type { Schema } from './schema';

/** What is wrong with a value, e.g. `{ label: "Shop URL (url)", text: "is missing" }`. */
export interface Problem {
	/** What the wrong value is called; empty for the input as a whole. */
	label: string;
	/** The rest of a sentence that begins with the label. */
	text: string;
}

/** What a keyword can use to judge a value. */
export interface Judgement {
	/** The schema that the keyword stands in. */
	schema: JsonObject;
	/** What the value is called. */
	label: string;
	/** Says that the value itself is wrong. */
	wrong(text: string): Problem[];
	/** Judges the value by another schema. */
	judge(schema: Schema): Problem[];
	/** Judges a part of the value by another schema. */
	judgePart(schema: Schema, value: JsonValue, part: Part): Problem[];
	/** Judges the name of a member by another schema. */
	judgeName(schema: Schema, name: string): Problem[];
	/** Whether text matches a regular expression; undefined, and noted as a doubt, where that is left open. */
	matches(pattern: JsonValue, text: string): boolean | undefined;
	/** What some judging finds, and whether it left nothing open: no problem is only then a fit. */
	surely(judging: () => Problem[]): Finding;
	/** For work that grows with the schema and the value. */
	budget: Budget;
}

/** What a schema found about a value. */
export interface Finding {
	problems: Problem[];
	/** Whether nothing was left for the service to judge. Problems are certain in any case. */
	isSure: boolean;
}

/** A part of a value: a member of an object by its name, or an item of a list, counted from 0. */
export type Part = string | number;

/**
 * One keyword of JSON Schema: what it demands, applied to a value. A keyword whose own value makes
 * no sense demands nothing.
 */
export type Keyword = (demand: JsonValue, value: JsonValue, judgement: Judgement) => Problem[];
