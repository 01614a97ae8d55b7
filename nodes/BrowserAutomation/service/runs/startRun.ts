import { callbackFields, type Callbacks } from '../events/callback';
import type { ServiceClient } from '../http/client';
import { ConnectionError, type HelpfulError, ServiceError } from '../errors';
import { isJsonObject, textAt } from '../json/json';
import type { ServiceRequest } from '../http/request';
import type { RunApi } from './runApi';
import { toRunStatus, type RunStatus } from './runStatus';

/** A run that was just started, as far as the answer to its start tells. */
export interface StartedRun {
	taskId: string;
	status: RunStatus;
	/** The browser profile that it runs in, where the answer names one. */
	profileId?: string;
}

/**
 * Starts a run with one request, which is never repeated. Callbacks that the request has already
 * stay, where these leave room for them.
 *
 * @param request the start without, or with somebody else's, callbacks
 * @throws ServiceError, ConnectionError or CanceledError; `isUncertainStart` says which of them leave
 * open whether a run was started
 */
export async function startRun(
	client: ServiceClient,
	api: RunApi,
	request: ServiceRequest,
	callbacks: Callbacks = {},
): Promise<StartedRun> {
	const body = isJsonObject(request.body) ? request.body : {};
	const created = await client.send({
		...request,
		body: { ...body, ...callbackFields(callbacks) },
	});
	const taskId = textAt(created, api.idName);
	if (taskId === undefined) {
		throw new ServiceError(
			'The service’s answer to the start names no run',
			'Look for the run in the service’s own list of runs before you start it again.',
		);
	}
	// The interface does not show a status in this answer. A run without one was just created.
	const status = toRunStatus(textAt(created, 'status') ?? 'created');
	const profileId = textAt(created, 'profile_id') ?? textAt(created, 'profileId');
	return { taskId, status, ...(profileId !== undefined && { profileId }) };
}

/**
 * Whether a start may have begun a run although no answer named one: it may have arrived before the
 * connection broke, the service had a fault (5xx), a gateway gave up waiting (408, 425, 499), or its
 * answer cannot be used. Starting again could begin a second run.
 */
export function isUncertainStart(error: unknown): error is HelpfulError {
	if (error instanceof ConnectionError) return error.mayHaveArrived;
	if (!(error instanceof ServiceError)) return false;
	const { httpStatus = 500 } = error.facts;
	return [408, 425, 499].includes(httpStatus) || httpStatus >= 500;
}
