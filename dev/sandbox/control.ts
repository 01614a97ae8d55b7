import type { AddedAutomation } from './automations/automation';
import type { CallbackRecord } from './callbacks';
import type { DurationSetting } from './durations';
import type { CallbackFaults, Fault } from './faults';
import type { AssistStatus } from './humanAssists';
import type { JsonObject } from './json';
import type { Load, RecordedRequest } from './recorder';
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

/**
 * Everything a test can ask of a sandbox or do to it, in the same process (the object that
 * `startSandbox` returns) or in another (`SandboxControl`). Wrong arguments are an error.
 */
export interface SandboxControls {
	info(): Promise<SandboxInfo>;
	/** Back to the state of the start: no runs, faults, further keys or records. */
	reset(): Promise<void>;

	/** What the service and the file server received, oldest first. */
	requests(filter?: RequestFilter): Promise<RecordedRequest[]>;
	/** Connections and requests, now and at most, and counts since the last reset. */
	load(): Promise<Load>;
	/** Forgets requests and counts, and starts the peaks again. */
	clearRequests(): Promise<void>;

	/** Adds a key or changes one. */
	setKey(key: KeySetting): Promise<void>;
	removeKey(key: { readonly key: string }): Promise<void>;

	addFault(fault: Fault): Promise<void>;
	/** Ends the faults of a key, or all of them. */
	clearFaults(of?: { readonly key?: string }): Promise<void>;
	/** What is done to the callbacks of a key (the default key when left out) from now on. */
	setCallbackFaults(faults: CallbackFaults & { readonly key?: string }): Promise<void>;

	/** Adds a bot of any ID and schema, until the next reset. Error: the schema is none. */
	addBot(bot: AddedAutomation): Promise<void>;
	/** Adds an official template likewise. */
	addTemplate(template: AddedAutomation): Promise<void>;
	setDurations(setting: DurationSetting): Promise<void>;
	/** Gives the runs of a bot another output from now on, whatever their input. */
	setOutput(setting: OutputSetting): Promise<void>;
	/** Sets the service's clock that far ahead of (or behind) the machine's. */
	setClock(clock: { readonly skewMs: number }): Promise<void>;

	/** Adds runs without any request; they send no callbacks. Unended ones stay as they are. */
	seedRuns(seed: SeedRuns): Promise<{ taskIds: string[] }>;
	/** Moves a run that has not ended to a status at once; its callbacks are sent. */
	moveRun(move: RunMove): Promise<void>;
	/** Makes the service forget a run, whose ID it then refuses with 10112. No callback is sent. */
	removeRun(run: { readonly taskId: string }): Promise<void>;
	/** Makes V2 report the status `unknown` for a run, or no longer. */
	setUnknown(run: { readonly taskId: string; readonly unknown: boolean }): Promise<void>;
	/** All runs, or those of a key, in the order in which they were started. */
	runs(of?: { readonly key?: string }): Promise<SandboxRun[]>;

	/** Callbacks sent, repeated or lost, oldest first. */
	callbacks(of?: { readonly taskId?: string; readonly key?: string }): Promise<CallbackRecord[]>;
	/** Resolves once no callback is on its way, waiting to be repeated, or held back. */
	callbacksSettled(): Promise<void>;

	/** Makes all download links given so far worthless. */
	expireFileLinks(): Promise<void>;
	setFiles(setting: { readonly linkTtlMs?: number; readonly archiveSize?: number }): Promise<void>;
	/** What the viewer or the passing of time does to a human assist session. */
	setAssist(assist: { readonly uuid: string; readonly status: AssistStatus }): Promise<void>;
	/** Names of the static proxies by ID. */
	staticProxies(): Promise<Record<string, string>>;
}

export type ControlName = keyof SandboxControls;

/** Controls a sandbox of another process over HTTP. */
export class SandboxControl implements SandboxControls {
	constructor(private readonly url: string) {}

	info = (): Promise<SandboxInfo> => this.call('info');
	reset = (): Promise<void> => this.call('reset');
	requests = (filter?: RequestFilter): Promise<RecordedRequest[]> => this.call('requests', filter);
	load = (): Promise<Load> => this.call('load');
	clearRequests = (): Promise<void> => this.call('clearRequests');
	setKey = (key: KeySetting): Promise<void> => this.call('setKey', key);
	removeKey = (key: { readonly key: string }): Promise<void> => this.call('removeKey', key);
	addFault = (fault: Fault): Promise<void> => this.call('addFault', fault);
	clearFaults = (of?: { readonly key?: string }): Promise<void> => this.call('clearFaults', of);
	setCallbackFaults = (faults: CallbackFaults & { readonly key?: string }): Promise<void> =>
		this.call('setCallbackFaults', faults);
	setDurations = (setting: DurationSetting): Promise<void> => this.call('setDurations', setting);
	addBot = (bot: AddedAutomation): Promise<void> => this.call('addBot', bot);
	addTemplate = (template: AddedAutomation): Promise<void> => this.call('addTemplate', template);
	setOutput = (setting: OutputSetting): Promise<void> => this.call('setOutput', setting);
	setClock = (clock: { readonly skewMs: number }): Promise<void> => this.call('setClock', clock);
	seedRuns = (seed: SeedRuns): Promise<{ taskIds: string[] }> => this.call('seedRuns', seed);
	moveRun = (move: RunMove): Promise<void> => this.call('moveRun', move);
	removeRun = (run: { readonly taskId: string }): Promise<void> => this.call('removeRun', run);
	setUnknown = (run: { readonly taskId: string; readonly unknown: boolean }): Promise<void> =>
		this.call('setUnknown', run);
	runs = (of?: { readonly key?: string }): Promise<SandboxRun[]> => this.call('runs', of);
	callbacks = (of?: {
		readonly taskId?: string;
		readonly key?: string;
	}): Promise<CallbackRecord[]> => this.call('callbacks', of);
	callbacksSettled = (): Promise<void> => this.call('callbacksSettled');
	expireFileLinks = (): Promise<void> => this.call('expireFileLinks');
	setFiles = (setting: {
		readonly linkTtlMs?: number;
		readonly archiveSize?: number;
	}): Promise<void> => this.call('setFiles', setting);
	setAssist = (assist: { readonly uuid: string; readonly status: AssistStatus }): Promise<void> =>
		this.call('setAssist', assist);
	staticProxies = (): Promise<Record<string, string>> => this.call('staticProxies');

	/** The answer's shape is that of the control with this name: both sides share this file. */
	private async call<T>(name: ControlName, argument: object = {}): Promise<T> {
		const response = await fetch(`${this.url}/sandbox/${name}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(argument),
		});
		const text = await response.text();
		if (!response.ok) throw new Error(`The sandbox refused ${name}: ${text}`);
		const answer: T = text === '' ? undefined : JSON.parse(text);
		return answer;
	}
}
