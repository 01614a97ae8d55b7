import { isJsonObject, type JsonValue } from '../json/json';
import type { Finding, Judgement, Keyword, Problem } from './keyword';
import { isSchema, schemaList, typesOf, type Schema } from './schema';
import { isOfType } from './values';
import { describeSchema, describeSchemas } from './wording';

const allOf: Keyword = (demand, _, { judge }) =>
	schemaList(demand).flatMap((schema) => judge(schema));

const anyOf: Keyword = (demand, value, judgement) => {
	const schemas = schemaList(demand);
	if (schemas.length === 0) return [];
	const findings = schemas.map((schema) => judgement.judge(schema));
	return findings.some(isEmpty) ? [] : fitsNone(schemas, findings, value, judgement);
};

const oneOf: Keyword = (demand, value, judgement) => {
	const schemas = schemaList(demand);
	if (schemas.length === 0) return [];
	const findings = schemas.map((schema) => judgement.surely(() => judgement.judge(schema)));
	if (!findings.some(({ problems }) => isEmpty(problems))) {
		const problems = findings.map((finding) => finding.problems);
		return fitsNone(schemas, problems, value, judgement);
	}
	const fitting = schemas.filter((_, index) => isFit(findings[index]));
	if (fitting.length <= 1) return [];
	return judgement.wrong(`fits more than one of its forms: ${describeSchemas(fitting)}`);
};

function isEmpty(problems: Problem[]): boolean {
	return problems.length === 0;
}

/** Whether a value fits for certain. */
function isFit(finding: Finding | undefined): boolean {
	return finding !== undefined && finding.isSure && isEmpty(finding.problems);
}

/** Where only one form is meant for values of this type, what keeps the value from it tells most. */
function fitsNone(
	schemas: Schema[],
	findings: Problem[][],
	value: JsonValue,
	{ wrong }: Judgement,
): Problem[] {
	const near = findings.filter((_, index) => isMeantFor(schemas[index] ?? false, value));
	const [only] = near;
	if (only !== undefined && near.length === 1) return only;
	return wrong(`fits none of its forms: ${describeSchemas(schemas)}`);
}

function isMeantFor(schema: Schema, value: JsonValue): boolean {
	if (!isJsonObject(schema)) return schema;
	const types = typesOf(schema);
	return types.length === 0 || types.some((type) => isOfType(value, type));
}

const not: Keyword = (demand, _, { wrong, judge, surely }) => {
	if (!isSchema(demand) || !isFit(surely(() => judge(demand)))) return [];
	return wrong(`must not be ${describeSchema(demand)}`);
};

const condition: Keyword = (demand, _, { schema, judge, surely }) => {
	if (!isSchema(demand)) return [];
	const { problems, isSure } = surely(() => judge(demand));
	if (isEmpty(problems) && !isSure) return [];
	const consequence = isEmpty(problems) ? schema.then : schema.else;
	return isSchema(consequence) ? judge(consequence) : [];
};

/** Keywords that combine schemas. */
export const COMBINING_KEYWORDS: Record<string, Keyword> = {
	allOf,
	anyOf,
	oneOf,
	not,
	if: condition,
};
