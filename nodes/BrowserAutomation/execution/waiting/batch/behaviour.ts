import type { JsonObject } from '../../../service/json/json';
import type { ServiceRequest } from '../../../service/http/request';
import type { RunApi } from '../../../service/runs/runApi';
import type { Values } from '../../../fields/field';

/** An operation that starts a run for each item. */
export interface Starting {
	api: RunApi;
	/** The path of the bot or template whose schema the input is to fit; without it none is read. */
	inputOwner?(values: Values): string;
	/**
	 * The request that starts the run, with the user's own callbacks; ours are added where we sleep.
	 *
	 * @param schema of the input, where one could be read
	 */
	start(values: Values, schema?: JsonObject): ServiceRequest;
}

/** An operation that waits for runs which exist already. */
export interface Attaching {
	api: RunApi;
	/** The ID of the run to wait for. */
	attach(values: Values): string;
}

/** How an operation comes by the runs it waits for. */
export type RunBehaviour = Starting | Attaching;
