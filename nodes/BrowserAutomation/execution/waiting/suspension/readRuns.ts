import type { ServiceClient } from '../../../service/http/client';
import type { RunApi } from '../../../service/runs/runApi';
import { readStatuses } from '../../../service/runs/statuses';
import { recordAnswers, type Suspension } from './suspensions';

/** How many runs that the list does not show are read one by one in a poll. */
const SINGLES = 20;

/**
 * Reads runs that suspended executions wait for.
 *
 * @param taskIds those of their open runs that are asked about
 * @returns those that have ended since
 * @throws ServiceError, ConnectionError or CanceledError when the service could not be asked
 */
export async function readRuns(
	client: ServiceClient,
	api: RunApi,
	suspensions: Suspension[],
	taskIds: string[],
): Promise<string[]> {
	const starts = suspensions.map(({ firstStartedAt }) => firstStartedAt);
	const since = starts.every((start) => start !== undefined) ? Math.min(...starts) : undefined;
	const answers = await readStatuses(client, api, taskIds, { since, maxSingles: SINGLES });
	return suspensions.flatMap((suspension) => recordAnswers(suspension, answers));
}
