import { TtlCache } from './ttlCache';

/**
 * How many of each kind one process of n8n remembers at most, beyond an execution or a call. What they are and for how
 * long stands in docs/develop/security.md (Memory kept).
 */
export const BOUNDS = {
	secrets: 10_000,
	suspensions: 20_000,
	statusPages: 1_000,
	rounds: 20_000,
	givenRows: 20_000,
	ownAddresses: 10,
	recentRuns: 20_000,
	recentStarts: 10_000,
	inputSchemas: 1_000,
	triggers: 1_000,
	uncertainStarts: 1_000,
	reportedEnds: 1_000,
	pollCursors: 1_000,
	nextSteps: 10_000,
	listeningTriggers: 1_000,
	strangeStatuses: 10_000,
} as const;

/** The memory of this process for one kind. */
export function memoryOf<Value>(kind: keyof typeof BOUNDS): TtlCache<Value> {
	return new TtlCache(BOUNDS[kind]);
}
