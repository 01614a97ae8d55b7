import type { JsonValue } from '../json/json';
import { fingerprint } from './equality';
import type { Keyword, Problem } from './keyword';
import { isSchema, schemaList } from './schema';
import { counted } from './texts';

const minItems: Keyword = (demand, value, { wrong }) => {
	if (!Array.isArray(value) || typeof demand !== 'number' || value.length >= demand) return [];
	return wrong(`has ${counted(value.length, 'item')}, fewer than ${demand}`);
};

const maxItems: Keyword = (demand, value, { wrong }) => {
	if (!Array.isArray(value) || typeof demand !== 'number' || value.length <= demand) return [];
	return wrong(`has ${counted(value.length, 'item')}, more than ${demand}`);
};

const uniqueItems: Keyword = (demand, value, { wrong, budget }) => {
	if (demand !== true || !Array.isArray(value)) return [];
	const isUnique = new Set(value.map((item) => fingerprint(item, budget))).size === value.length;
	return isUnique ? [] : wrong('has the same item twice');
};

const contains: Keyword = (demand, value, { schema, wrong, judgePart, surely }) => {
	if (!Array.isArray(value) || !isSchema(demand)) return [];
	const least = typeof schema.minContains === 'number' ? schema.minContains : 1;
	const most = typeof schema.maxContains === 'number' ? schema.maxContains : Infinity;
	const fitting = value
		.map((item, index) => surely(() => judgePart(demand, item, index)))
		.filter(({ problems }) => problems.length === 0);
	if (fitting.length < least) return wrong(`has fewer than ${counted(least, 'fitting item')}`);
	if (fitting.filter(({ isSure }) => isSure).length <= most) return [];
	return wrong(`has more than ${counted(most, 'fitting item')}`);
};

/** How many items at the front of a list have schemas of their own. */
function placesOf(schema: { [name: string]: JsonValue }): number {
	if (Array.isArray(schema.prefixItems)) return schema.prefixItems.length;
	return Array.isArray(schema.items) ? schema.items.length : 0;
}

/** Schemas for the first items, each for its place. */
const byPlace: Keyword = (demand, value, { judgePart }) => {
	if (!Array.isArray(value)) return [];
	return schemaList(demand).flatMap((schema, index): Problem[] => {
		const item = value[index];
		return item === undefined ? [] : judgePart(schema, item, index);
	});
};

/** One schema for all items from a place on. */
function fromPlace(first: number): Keyword {
	return (demand, value, { judgePart }) => {
		if (!Array.isArray(value) || !isSchema(demand)) return [];
		return value.slice(first).flatMap((item, index) => judgePart(demand, item, first + index));
	};
}

/** Of the items behind those with schemas of their own; in older schemas, the list of those. */
const items: Keyword = (demand, value, judgement) =>
	Array.isArray(demand)
		? byPlace(demand, value, judgement)
		: fromPlace(placesOf(judgement.schema))(demand, value, judgement);

const additionalItems: Keyword = (demand, value, judgement) =>
	Array.isArray(judgement.schema.items)
		? fromPlace(judgement.schema.items.length)(demand, value, judgement)
		: [];

/** Keywords for lists. */
export const LIST_KEYWORDS: Record<string, Keyword> = {
	minItems,
	maxItems,
	uniqueItems,
	contains,
	prefixItems: byPlace,
	items,
	additionalItems,
};
