import type { JsonObject, JsonValue } from '../json/json';
import type { Budget } from './budget';
import type { Schema, SchemaDocument } from './schema';

/** What is wrong with a value, e.g. `{ label: "Shop URL (url)", text: "is missing" }`. */
export interface Problem {
	/** What the wrong part is called as seen from the value; empty for the value itself. */
	label: string;
	/** The rest of a sentence that begins with the label. */
	text: string;
}

/** What a keyword can use to judge a value. */
export interface Judgement extends SchemaDocument {
	/** The schema that the keyword stands in. */
	schema: JsonObject;
	/** How many ways through patterns may still be tried. */
	ways: Budget;
	/** Judges a value, or a part of one, by another schema. */
	judge(schema: Schema, value: JsonValue): Problem[];
}

/**
 * One keyword of JSON Schema: what it demands, applied to a value. A keyword whose own value makes
 * no sense demands nothing.
 */
export type Keyword = (demand: JsonValue, value: JsonValue, judgement: Judgement) => Problem[];

/** Says that the value itself is wrong. */
export function wrong(text: string): Problem[] {
	return [{ label: '', text }];
}
