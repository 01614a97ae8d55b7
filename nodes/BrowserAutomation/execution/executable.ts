import type { IBinaryKeyData, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { ServiceClient } from '../service/http/client';
import type { JsonObject } from '../service/json/json';
import type { ServiceRequest } from '../service/http/request';
import type { RunApi } from '../service/runs/runApi';
import type { Field, ReadParam } from '../fields/field';
import type { NewRows } from '../fields/output';

/** What an operation can use for one input item. */
interface ItemCall {
	client: ServiceClient;
	values: ReadParam;
	itemIndex: number;
	context: IExecuteFunctions;
}

/** What becomes one output item. */
export interface ItemResult {
	json: JsonObject;
	binary?: IBinaryKeyData;
	/** Where it is a row, and to be compared with earlier ones before it is output. */
	row?: Row;
}

/** What is compared of a row; `identity` is the same for rows that count as the same. */
export interface Row extends IDataObject {
	identity: string;
	taskId: string;
	firstTime: NewRows['firstTime'];
	/** The list of its run's files where one is missing, which goes on with the first row that stays. */
	files?: IDataObject[];
}

/** Sends a request and makes output items of its answer. */
export interface Handler {
	(request: ServiceRequest, call: ItemCall): Promise<ItemResult[]>;
	/** What a user can fill in for it. */
	fields?: ReadonlyArray<Field<unknown>>;
}

/** What an operation needs of the user: the API key, the signing secret, or nothing (docs/service.md: Authentication). */
export type Access = 'apiKey' | 'signed' | 'none';

/** An operation that makes one request (or pages through it) for each item. */
export interface RequestOperation {
	fields: ReadonlyArray<Field<unknown>>;
	/** With the API key unless said otherwise. */
	access?: Access;
	request(values: ReadParam): ServiceRequest;
	answer: Handler;
}

/** How an operation starts a run for each item. */
export interface Starting {
	api: RunApi;
	/** The path of the bot or template whose schema the input is to fit; without it none is read. */
	inputOwner?(values: ReadParam): string;
	/** All that the user gave for a start, where a schema shapes the request: that may be another one at a retry, or not be read. */
	given?(values: ReadParam): unknown;
	/**
	 * The request that starts the run, with the user's own callbacks. A suspended execution adds its own.
	 *
	 * @param schema of the input, where one could be read
	 */
	start(values: ReadParam, schema?: JsonObject): ServiceRequest;
}

/** An operation that starts runs, or waits for them, for all items together. */
export interface RunOperation {
	fields: ReadonlyArray<Field<unknown>>;
	run: RunSource;
}

/** The runs that are waited for: those that the operation starts, or existing ones, whose IDs `attach` gives. */
export type RunSource = Starting | { api: RunApi; attach(values: ReadParam): string };

/** How an operation is carried out. What it is called and how it looks is the resources' part. */
export type ExecutableOperation = RequestOperation | RunOperation;
