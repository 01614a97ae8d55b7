import { isJsonObject, type JsonValue } from '../json';
import type { Judgement, Keyword, Problem } from './keyword';
import { isSchema, schemaList, typesOf, type Schema } from './schema';
import { isOfType } from './values';
import { describeSchema } from './wording';

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
	const findings = schemas.map((schema) => judgement.judge(schema));
	const fitting = schemas.filter((_, index) => isEmpty(findings[index] ?? []));
	if (fitting.length === 0) return fitsNone(schemas, findings, value, judgement);
	if (fitting.length === 1) return [];
	const forms = fitting.map(describeSchema).join('; ');
	return judgement.wrong(`fits more than one of its forms: ${forms}`);
};

function isEmpty(problems: Problem[]): boolean {
	return problems.length === 0;
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
	return wrong(`fits none of its forms: ${schemas.map(describeSchema).join('; ')}`);
}

function isMeantFor(schema: Schema, value: JsonValue): boolean {
	if (!isJsonObject(schema)) return schema;
	const types = typesOf(schema);
	return types.length === 0 || types.some((type) => isOfType(value, type));
}

const not: Keyword = (demand, _, { wrong, judge }) => {
	if (!isSchema(demand) || judge(demand).length > 0) return [];
	return wrong(`must not be ${describeSchema(demand)}`);
};

const condition: Keyword = (demand, _, { schema, judge }) => {
	if (!isSchema(demand)) return [];
	const consequence = judge(demand).length === 0 ? schema.then : schema.else;
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
