import type { JsonObject, JsonValue } from '../json/json';
import { Budget } from './budget';
import { wrong, type Judgement, type Problem } from './keyword';
import { KEYWORDS } from './keywords';
import { budgetFor, ownMember, type Schema } from './schema';

/** A value and a schema cost so many steps, beside those of the keywords. */
const STEPS_TO_JUDGE = 5;

/** Telling a problem, of a value or of a part of it, costs so many steps. */
const STEPS_TO_TELL = 25;

/** The most ways through patterns that are tried in one go. It takes up to some hundredths of a second. */
const MOST_WAYS = 2_000_000;

/**
 * What is wrong with a value by a JSON Schema (drafts 4 to 2020-12), as far as `KEYWORDS` tell. Other
 * keywords, unknown formats and references to elsewhere demand nothing, so that a schema newer than
 * this never stands in the way: the service judges every input anyway. `$ref` is followed within the
 * schema and applies beside its siblings. A schema whose judgement takes too much work demands
 * nothing either.
 *
 * @param root the whole schema, which references refer to
 * @param part the schema to judge by
 * @returns one problem for each fault; none when the value fits, or may fit as far as can be told
 */
export function validate(
	root: Schema,
	value: JsonValue,
	budget = budgetFor(root),
	part = root,
): Problem[] {
	const ways = new Budget(MOST_WAYS);

	/** @param under the schemas that the value is being judged by: one may lead back to itself */
	const judge = (schema: Schema, given: JsonValue, under = new Set<JsonObject>()): Problem[] => {
		budget.spend(STEPS_TO_JUDGE);
		if (typeof schema === 'boolean') return schema ? [] : wrong('is not allowed');
		if (under.has(schema)) return [];
		under.add(schema);
		const demands = Object.entries(schema);
		budget.spend(demands.length);
		const judgement: Judgement = {
			root,
			schema,
			budget,
			ways,
			judge: (other, part) => judge(other, part, part === given ? under : undefined),
		};
		const problems = budget.descend(() =>
			demands.flatMap(([name, demand]) => {
				const found = ownMember(KEYWORDS, name)?.(demand, given, judgement) ?? [];
				budget.spend(found.length * STEPS_TO_TELL);
				return found;
			}),
		);
		under.delete(schema);
		return problems;
	};

	return withoutRepeats(budget.tryTo(() => judge(part, value)) ?? []);
}

/** The same fault may show in two parts of a schema. */
function withoutRepeats(problems: Problem[]): Problem[] {
	return [
		...new Map(problems.map((problem) => [`${problem.label}\n${problem.text}`, problem])).values(),
	];
}
