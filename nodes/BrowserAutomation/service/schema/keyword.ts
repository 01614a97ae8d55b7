import type { JsonObject, JsonValue } from '../json';
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
}

/** A part of a value: a member of an object by its name, or an item of a list, counted from 0. */
export type Part = string | number;

/**
 * One keyword of JSON Schema: what it demands, applied to a value. A keyword whose own value makes
 * no sense demands nothing.
 */
export type Keyword = (demand: JsonValue, value: JsonValue, judgement: Judgement) => Problem[];
