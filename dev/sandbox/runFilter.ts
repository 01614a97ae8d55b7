import type { Run, Runs } from './runs';

/** The filters of the lists of runs and tasks, as they come in the query. */
export interface RunFilter {
	/** Bot, or workflow in V2. */
	readonly automationId: string | undefined;
	/** Contains match. */
	readonly name: string | undefined;
	readonly status: string | undefined;
	/** ISO-8601, inclusive. */
	readonly createdFrom: string | undefined;
	/** ISO-8601, inclusive. */
	readonly createdTo: string | undefined;
}

/** The runs of a company that fit the filter, newest first. */
export function selectRuns(runs: Runs, company: string, filter: RunFilter): Run[] {
	const { automationId, name, status } = filter;
	const from = filter.createdFrom === undefined ? -Infinity : Date.parse(filter.createdFrom);
	const to = filter.createdTo === undefined ? Infinity : Date.parse(filter.createdTo);
	const wanted = name?.toLowerCase();
	return runs.select(
		company,
		(run) =>
			run.createdAt >= from &&
			run.createdAt <= to &&
			(status === undefined || run.status === status) &&
			(automationId === undefined || run.automation.id === automationId) &&
			(wanted === undefined || run.automation.name.toLowerCase().includes(wanted)),
	);
}
