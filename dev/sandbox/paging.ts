import type { JsonObject } from './json';

/** The page wrapper of the lists: `items`, `page`, `limit`, `total_count`, `total_pages`. */
export function pageOf<T>(
	all: readonly T[],
	query: Readonly<Record<string, string>>,
	defaultLimit: number,
	show: (one: T) => unknown,
): JsonObject {
	const page = Number(query['page'] ?? 1);
	const limit = Number(query['limit'] ?? defaultLimit);
	return {
		items: all.slice((page - 1) * limit, page * limit).map(show),
		page,
		limit,
		total_count: all.length,
		total_pages: Math.ceil(all.length / limit),
	};
}
