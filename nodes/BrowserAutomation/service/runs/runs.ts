import type { Callbacks } from '../events/callback';
import { limitsOf, withDeadline, type ServiceClient } from '../http/client';
import type { ServiceRequest } from '../http/request';
import type { JsonObject } from '../json/json';
import { cancelRun, readEndedRun, readRun, startRun, type StartedRun } from './oneRun';
import { runApi, type RunApiName, type RunStatus } from './runApi';
import { readRunning, readStatuses, type ReadingOptions, type StatusAnswer } from './statuses';

export { isUncertainStart, type StartedRun } from './oneRun';
export { isTerminal, isUnsuccessful, toRunStatus, type RunApiName, type RunStatus } from './runApi';
export { withProfile } from './runFields';
export type { StatusAnswer } from './statuses';

/**
 * How waiting uses the runs of a service. Whoever waits for the work of another service
 * writes this anew (docs/develop/architecture.md: The path of one item). Each throws as the function of the same name (oneRun.ts, statuses.ts).
 */
export interface Runs {
	/** The field of their records that has the ID. */
	readonly idName: string;
	/** How many requests may be sent at a time. */
	readonly concurrency: number;
	/** Sends the start once. */
	start(request: ServiceRequest, callbacks?: Callbacks): Promise<StartedRun>;
	readStatuses(taskIds: string[], options?: ReadingOptions): Promise<Map<string, StatusAnswer>>;
	/** The IDs of some runs that go on. Never throws. */
	readRunning(): Promise<Set<string>>;
	/** The whole run. */
	read(taskId: string): Promise<JsonObject>;
	/** The whole run, after its status has shown that it ended. */
	readEnded(taskId: string, known: RunStatus): Promise<JsonObject>;
	/** Does nothing if it has ended. @returns whether it had not */
	cancel(taskId: string): Promise<boolean>;
	/** Has a paused run go on. */
	resume(taskId: string): Promise<void>;
	/** The same runs, with requests that are over by a moment, in milliseconds since 1970. */
	endingBy(moment: number): Runs;
}

/** The runs of an account in one of the service's two APIs. */
export function runsOf(client: ServiceClient, name: RunApiName): Runs {
	const api = runApi(name);
	return {
		idName: api.idName,
		concurrency: limitsOf(client).concurrency,
		start: async (...start) => await startRun(client, api, ...start),
		readStatuses: async (...which) => await readStatuses(client, api, ...which),
		readRunning: async () => await readRunning(client),
		read: async (taskId) => await readRun(client, api, taskId),
		readEnded: async (...which) => await readEndedRun(client, api, ...which),
		cancel: async (taskId) => await cancelRun(client, api, taskId),
		resume: async (taskId) => void (await client.send(api.resumeRequest(taskId))),
		endingBy: (moment) => runsOf(withDeadline(client, moment), name),
	};
}
