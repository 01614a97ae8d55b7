import type { ServiceRequest } from '../../service/request';
import type { RunFace } from '../../service/runs';
import type { Values } from '../field';

/** An operation that starts a run for each item. */
export interface Starting {
	face: RunFace;
	/** The request that starts the run, with the user's own callbacks; ours are added where we sleep. */
	start(values: Values): ServiceRequest;
}

/** An operation that waits for runs which exist already. */
export interface Attaching {
	face: RunFace;
	/** The ID of the run to wait for. */
	attach(values: Values): string;
}

/** How an operation comes by the runs it waits for. */
export type RunBehaviour = Starting | Attaching;
