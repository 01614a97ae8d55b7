import type { JsonObject } from './json';
import type { FixedOutput } from './results';
import type { RunStatus } from './runs';

/** What to know about a sandbox in order to use it. */
export interface SandboxInfo {
	/** Base URL of the service, e.g. http://127.0.0.1:4010. */
	readonly url: string;
	/** Origin of the file downloads. */
	readonly filesUrl: string;
	/** The default API key. */
	readonly key: string;
	readonly bots: ReadonlyArray<{ id: string; name: string; type: string; published: boolean }>;
	readonly templates: ReadonlyArray<{ id: string; name: string; type: string }>;
}

/** Which recorded requests; all conditions given must be met. */
export interface RequestFilter {
	readonly method?: string;
	/** Regular expression on the path. */
	readonly path?: string;
	/** operationId of the OpenAPI document, or `file`. */
	readonly operation?: string;
	readonly key?: string;
}

export interface KeySetting {
	readonly key: string;
	/** How many runs may be active at a time; any number when left out. */
	readonly concurrency?: number;
	/** Keys of one company see the same runs. A company of its own when left out. */
	readonly company?: string;
}

export interface SeedRuns {
	readonly count: number;
	/** The default key when left out. */
	readonly key?: string;
	/** ID of a bot or template; the Product Scraper when left out. */
	readonly bot?: string;
	/** Given to the runs in turn; `finished` when left out. */
	readonly statuses?: readonly RunStatus[];
	/** ISO-8601; the creation times are spread evenly between the two. One day before `createdTo`. */
	readonly createdFrom?: string;
	/** ISO-8601; now when left out. */
	readonly createdTo?: string;
	readonly input?: JsonObject;
}

/** The output that a bot's runs have, and what the bot tells of it. */
export interface OutputSetting extends FixedOutput {
	readonly bot: string;
}

export interface RunMove {
	readonly taskId: string;
	readonly status: RunStatus;
	/** For `failed`. */
	readonly failure?: { readonly code: number; readonly message: string };
}

/** A run as the sandbox knows it. */
export interface SandboxRun {
	readonly taskId: string;
	readonly botId: string;
	readonly key: string;
	readonly status: RunStatus;
	readonly input: JsonObject;
	readonly callbackUrl: string | null;
	readonly statusCallbackUrl: string | null;
	readonly proxyRegion: string | null;
	readonly bizCode: number | null;
	/** Epoch milliseconds. */
	readonly createdAt: number;
	/** Epoch milliseconds. */
	readonly finishedAt: number | null;
}
