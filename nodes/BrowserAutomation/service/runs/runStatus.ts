import type { JsonValue } from '../json/json';

/** Public lifecycle of a run (docs/service.md: States and transitions). */
export const RUN_STATUSES = [
	'created',
	'running',
	'finished',
	'canceled',
	'pausing',
	'paused',
	'failed',
] as const;

/** A run's status. A V2 task may also say `unknown`, and a newer service may say more. */
export type RunStatus = (typeof RUN_STATUSES)[number] | 'unknown';

/** Reads a status; whatever is not in the interface counts as `unknown`. */
export function toRunStatus(value: JsonValue | undefined): RunStatus {
	return RUN_STATUSES.find((status) => status === value) ?? 'unknown';
}

/** Whether a run has ended: finished, failed or canceled. */
export function isTerminal(status: RunStatus): boolean {
	return status === 'finished' || status === 'failed' || status === 'canceled';
}

/** Whether a run ended without doing its work. */
export function isUnsuccessful(status: RunStatus): boolean {
	return status === 'failed' || status === 'canceled';
}
