import type { JsonObject, JsonValue } from '../json';
import { COMBINING_KEYWORDS } from './combinations';
import type { Judgement, Keyword, Part, Problem } from './keyword';
import { LIST_KEYWORDS } from './lists';
import { NUMBER_KEYWORDS } from './numbers';
import { OBJECT_KEYWORDS, partLabel } from './objects';
import { resolveReference, type Schema } from './schema';
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

/** A value on its way through the schemas, and what they said about it so far. */
interface Place {
	label: string;
	/** What each schema found; nothing while it is still at it, since a schema may refer to itself. */
	findings: Map<JsonObject, Problem[]>;
	parts: Map<Part, Place>;
}

function newPlace(label: string): Place {
	return { label, findings: new Map(), parts: new Map() };
}

/**
 * Everything that is wrong with a value by a JSON Schema (drafts 4 to 2020-12). Keywords, formats
 * and references that are not known demand nothing, so that a schema newer than this never stands
 * in the way. `$ref` is followed within the schema and applies beside its siblings.
 *
 * @returns one problem for each fault; none when the value fits
 */
export function validate(schema: Schema, value: JsonValue): Problem[] {
	return judge(schema, schema, value, newPlace(''));
}

function judge(root: Schema, schema: Schema, value: JsonValue, place: Place): Problem[] {
	const { label } = place;
	if (schema === true) return [];
	if (schema === false) return [{ label, text: 'is not allowed' }];
	const found = place.findings.get(schema);
	if (found !== undefined) return found;
	place.findings.set(schema, []);

	const judgement: Judgement = {
		schema,
		label,
		wrong: (text) => [{ label, text }],
		judge: (other) => judge(root, other, value, place),
		judgePart: (other, partValue, part) =>
			judge(root, other, partValue, placeOf(root, other, part, place)),
		judgeName: (other, name) => judge(root, other, name, newPlace(label)),
	};

	const problems = Object.entries(schema).flatMap(([name, demand]): Problem[] => {
		if (name === '$ref') {
			const target = resolveReference(root, demand);
			return target === undefined ? [] : judgement.judge(target);
		}
		const keyword = Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name] : undefined;
		return keyword === undefined ? [] : keyword(demand, value, judgement);
	});
	const findings = withoutRepeats(problems);
	place.findings.set(schema, findings);
	return findings;
}

function placeOf(root: Schema, schema: Schema, part: Part, parent: Place): Place {
	const known = parent.parts.get(part);
	if (known !== undefined) return known;
	const place = newPlace(labelOf(root, schema, part, parent.label));
	parent.parts.set(part, place);
	return place;
}

function labelOf(root: Schema, schema: Schema, part: Part, parent: string): string {
	if (typeof part === 'number') return partLabel(parent, `item ${part + 1}`);
	return partLabel(parent, fieldLabel(part, titled(root, schema)));
}

/** The schema that bears the title: itself, or what it refers to. */
function titled(root: Schema, schema: Schema): Schema {
	if (typeof schema === 'boolean' || schema.title !== undefined) return schema;
	return resolveReference(root, schema.$ref ?? null) ?? schema;
}

/** The same fault may show in two parts of a schema. */
function withoutRepeats(problems: Problem[]): Problem[] {
	const seen = new Set<string>();
	return problems.filter(({ label, text }) => {
		const key = `${label}\n${text}`;
		return !seen.has(key) && seen.add(key);
	});
}
