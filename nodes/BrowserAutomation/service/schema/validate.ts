import type { JsonObject, JsonValue } from '../json/json';
import { COMBINING_KEYWORDS } from './combinations';
import { Budget } from './budget';
import { CHARACTERS_A_STEP } from './equality';
import type { Finding, Judgement, Keyword, Part, Problem } from './keyword';
import { LIST_KEYWORDS } from './lists';
import { NUMBER_KEYWORDS } from './numbers';
import { OBJECT_KEYWORDS, partLabel } from './objects';
import { isFound } from './patterns';
import { isManageable, resolveReference, type Schema } from './schema';
import { TEXT_KEYWORDS } from './texts';
import { VALUE_KEYWORDS } from './values';
import { fieldLabel } from './wording';

const KEYWORDS: Record<string, Keyword> = {
	...VALUE_KEYWORDS,
	...NUMBER_KEYWORDS,
	...TEXT_KEYWORDS,
	...LIST_KEYWORDS,
	...OBJECT_KEYWORDS,
	...COMBINING_KEYWORDS,
};

/** A value and a schema cost so many steps, beside those of the keywords. */
const STEPS_TO_JUDGE = 5;

/** Putting a problem into words costs so many steps. */
const STEPS_TO_TELL = 50;

/** Looking for a pattern costs so many steps, beside the ways through it. */
const STEPS_TO_LOOK = 10;

/** The most ways through patterns that are tried in one go. It takes up to some hundredths of a second. */
const MOST_WAYS = 2_000_000;

/** What one judging of a value keeps. */
interface Run {
	root: Schema;
	budget: Budget;
	/** How often something was left for the service to judge. */
	doubts: number;
	/** How many ways through patterns may still be tried. */
	ways: Budget;
	references: Map<JsonValue, Schema | undefined>;
}

/** A value on its way through the schemas, and what they said about it so far. */
interface Place {
	label: string;
	/** What each schema found; not yet known while it is under way: a schema may refer to itself. */
	findings: Map<JsonObject, Finding>;
	parts: Map<Part, Place>;
}

function newPlace(label: string): Place {
	return { label, findings: new Map(), parts: new Map() };
}

/**
 * Everything that is wrong with a value by a JSON Schema (drafts 4 to 2020-12). Keywords, formats
 * and references that are not known demand nothing, so that a schema newer than this never stands
 * in the way. `$ref` is followed within the schema and applies beside its siblings. A schema whose
 * judgement takes too much work demands nothing either: the service judges anyway.
 *
 * @returns one problem for each fault; none when the value fits, or may fit as far as can be told
 */
export function validate(schema: Schema, value: JsonValue, budget = new Budget()): Problem[] {
	return isManageable(schema) ? findProblems(schema, schema, value, budget) : [];
}

/**
 * Whether a value fits a part of a schema, as far as can be told.
 *
 * @param root the whole schema, which references refer to
 */
export function mayFit(root: Schema, part: Schema, value: JsonValue, budget: Budget): boolean {
	return findProblems(root, part, value, budget).length === 0;
}

function findProblems(root: Schema, schema: Schema, value: JsonValue, budget: Budget): Problem[] {
	const ways = new Budget(MOST_WAYS);
	const run: Run = { root, budget, doubts: 0, ways, references: new Map() };
	return budget.tryTo(() => judge(run, schema, value, newPlace(''))) ?? [];
}

function judge(run: Run, schema: Schema, value: JsonValue, place: Place): Problem[] {
	const { label } = place;
	const { budget } = run;
	budget.spend(STEPS_TO_JUDGE);
	if (schema === true) return [];
	if (schema === false) return [{ label, text: 'is not allowed' }];
	const found = place.findings.get(schema);
	if (found !== undefined) {
		if (!found.isSure) run.doubts++;
		return found.problems;
	}
	place.findings.set(schema, { problems: [], isSure: false });

	const judgement: Judgement = {
		schema,
		label,
		budget,
		wrong: (text) => {
			budget.spend(STEPS_TO_TELL);
			return [{ label, text }];
		},
		judge: (other) => judge(run, other, value, place),
		judgePart: (other, partValue, part) =>
			judge(run, other, partValue, placeOf(run, other, part, place)),
		judgeName: (other, name) => judge(run, other, name, newPlace(label)),
		matches: (pattern, text) => matches(run, pattern, text),
		surely: (judging) => surely(run, judging),
	};

	const applyKeywords = (): Problem[] => {
		const keywords = Object.entries(schema);
		budget.spend(keywords.length);
		return keywords.flatMap(([name, demand]): Problem[] => {
			if (name === '$ref') {
				const target = resolve(run, demand);
				return target === undefined ? [] : judgement.judge(target);
			}
			const keyword = Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name] : undefined;
			return keyword === undefined ? [] : keyword(demand, value, judgement);
		});
	};
	const finding = surely(run, () => withoutRepeats(budget.descend(applyKeywords)));
	place.findings.set(schema, finding);
	return finding.problems;
}

function surely(run: Run, judging: () => Problem[]): Finding {
	const before = run.doubts;
	const problems = judging();
	return { problems, isSure: run.doubts === before };
}

function matches(run: Run, source: JsonValue, text: string): boolean | undefined {
	run.budget.spend(STEPS_TO_LOOK + text.length / CHARACTERS_A_STEP);
	const found = typeof source === 'string' ? isFound(source, text, run.ways) : undefined;
	if (found === undefined) run.doubts++;
	return found;
}

function resolve({ root, references }: Run, reference: JsonValue): Schema | undefined {
	if (!references.has(reference)) references.set(reference, resolveReference(root, reference));
	return references.get(reference);
}

function placeOf(run: Run, schema: Schema, part: Part, parent: Place): Place {
	const known = parent.parts.get(part);
	if (known !== undefined) return known;
	const place = newPlace(labelOf(run, schema, part, parent.label));
	parent.parts.set(part, place);
	return place;
}

function labelOf(run: Run, schema: Schema, part: Part, parent: string): string {
	if (typeof part === 'number') return partLabel(parent, `item ${part + 1}`);
	return partLabel(parent, fieldLabel(part, titled(run, schema)));
}

/** The schema that bears the title: itself, or what it refers to. */
function titled(run: Run, schema: Schema): Schema {
	if (typeof schema === 'boolean' || schema.title !== undefined) return schema;
	return resolve(run, schema.$ref ?? null) ?? schema;
}

/** The same fault may show in two parts of a schema. */
function withoutRepeats(problems: Problem[]): Problem[] {
	const seen = new Set<string>();
	return problems.filter(({ label, text }) => {
		const key = `${label}\n${text}`;
		return !seen.has(key) && seen.add(key);
	});
}
