import { describeAdded } from './automations/automation';
import type { AddedAutomation } from './automations/automation';
import { requireSchema } from './automations/input';
import type { CallbackRecord } from './callbacks';
import type {
	KeySetting,
	OutputSetting,
	RequestFilter,
	RunMove,
	SandboxInfo,
	SandboxRun,
	SeedRuns,
} from './control';
import type { DurationSetting } from './durations';
import type { CallbackFaults, Fault } from './faults';
import type { Load, RecordedRequest } from './recorder';
import { isTerminal } from './runs';
import type { Run } from './runs';
import type { Service } from './service';

const DAY = 86_400_000;
const SEEDED_DURATION = 60_000;

/** Everything a test can ask of a sandbox or do to it. Wrong arguments are an error. */
export class ServiceControls {
	constructor(
		private readonly service: Service,
		private readonly defaultKey: string,
	) {}

	async info(): Promise<SandboxInfo> {
		const { url, links, bots, templates } = this.service;
		return {
			url,
			filesUrl: links.origin,
			key: this.defaultKey,
			bots: bots.map(({ id, name, type, publishedAt }) => ({
				id,
				name,
				type,
				published: publishedAt !== undefined,
			})),
			templates: templates.map(({ id, name, type }) => ({ id, name, type })),
		};
	}

	/** Back to the state of the start: no runs, faults, further keys or records. */
	async reset(): Promise<void> {
		this.service.reset();
	}

	/** What the service and the file server received, oldest first. */
	async requests(filter: RequestFilter = {}): Promise<RecordedRequest[]> {
		const path = new RegExp(filter.path ?? '');
		return this.service.recorder
			.requests()
			.filter(
				(request) =>
					path.test(request.path) &&
					(filter.method === undefined || filter.method.toUpperCase() === request.method) &&
					(filter.operation === undefined || filter.operation === request.operation) &&
					(filter.key === undefined || filter.key === request.key),
			);
	}

	/** Connections and requests, now and at most, and counts since the last reset. */
	async load(): Promise<Load> {
		return this.service.recorder.load();
	}

	/** Forgets requests and counts, and starts the peaks again. */
	async clearRequests(): Promise<void> {
		this.service.recorder.reset();
	}

	/** Adds a key or changes one. */
	async setKey({ key, concurrency, company }: KeySetting): Promise<void> {
		const known = this.service.keys.find(key);
		this.service.keys.add({ key, concurrency, company: company ?? known?.company ?? key });
	}

	async removeKey({ key }: { readonly key: string }): Promise<void> {
		this.service.keys.remove(key);
	}

	async addFault(fault: Fault): Promise<void> {
		this.service.faults.add(fault);
	}

	/** Ends the faults of a key, or all of them. */
	async clearFaults({ key }: { readonly key?: string } = {}): Promise<void> {
		this.service.faults.clear(key);
	}

	/** What is done to the callbacks of a key (the default key when left out) from now on. */
	async setCallbackFaults(faults: CallbackFaults & { readonly key?: string }): Promise<void> {
		this.service.faults.setCallbackFaults(faults.key ?? this.defaultKey, faults);
	}

	async setDurations(setting: DurationSetting): Promise<void> {
		this.service.durations.set(setting);
	}

	/** Adds a bot of any ID and schema, until the next reset. Error: the schema is none. */
	async addBot(bot: AddedAutomation): Promise<void> {
		const automation = describeAdded(bot, Date.now());
		requireSchema(automation);
		this.service.add(automation);
	}

	/** Gives the runs of a bot another output from now on, whatever their input. */
	async setOutput({ bot, ...output }: OutputSetting): Promise<void> {
		this.service.results.fix(bot, output);
	}

	/** Adds runs without any request; they send no callbacks. Unended ones stay as they are. */
	async seedRuns(seed: SeedRuns): Promise<{ taskIds: string[] }> {
		const { bots, templates, runs } = this.service;
		const wanted = seed.bot ?? '1001';
		const automation = [...bots, ...templates].find(({ id }) => id === wanted);
		if (!automation) throw new Error(`There is no bot or template ${wanted}.`);
		const key = this.service.keys.find(seed.key ?? this.defaultKey);
		if (!key) throw new Error(`There is no key ${String(seed.key)}.`);
		const to = seed.createdTo === undefined ? Date.now() : Date.parse(seed.createdTo);
		const from = seed.createdFrom === undefined ? to - DAY : Date.parse(seed.createdFrom);
		const statuses = seed.statuses ?? ['finished'];
		const taskIds: string[] = [];
		for (let index = 0; index < seed.count; index += 1) {
			const createdAt = Math.round(from + ((to - from) * index) / Math.max(1, seed.count - 1));
			const run = runs.add({
				automation,
				company: key.company,
				key: key.key,
				input: seed.input ?? { keyword: `item ${index + 1}`, max_results: 5 },
				createdAt,
			});
			this.settle(run, statuses[index % statuses.length] ?? 'finished');
			taskIds.push(run.taskId);
		}
		return { taskIds };
	}

	/** Moves a run that has not ended to a status at once; its callbacks are sent. */
	async moveRun({ taskId, status, failure }: RunMove): Promise<void> {
		const run = this.findRun(taskId);
		if (isTerminal(run.status)) throw new Error(`The run ${taskId} has already ended.`);
		this.service.lifecycle.move(run, status, failure);
	}

	/** Makes V2 report the status `unknown` for a run, or no longer. */
	async setUnknown({ taskId, unknown }: { taskId: string; unknown: boolean }): Promise<void> {
		this.findRun(taskId).unknownInV2 = unknown;
	}

	/** All runs, or those of a key, in the order in which they were started. */
	async runs({ key }: { readonly key?: string } = {}): Promise<SandboxRun[]> {
		return this.service.runs
			.all()
			.filter((run) => key === undefined || run.key === key)
			.map(showRun);
	}

	/** Callbacks sent, repeated or lost, oldest first. */
	async callbacks(
		of: { readonly taskId?: string; readonly key?: string } = {},
	): Promise<CallbackRecord[]> {
		return this.service.callbacks
			.records()
			.filter(
				({ taskId, key }) =>
					(of.taskId === undefined || of.taskId === taskId) &&
					(of.key === undefined || of.key === key),
			);
	}

	/** Resolves once no callback is on its way, waiting to be repeated, or held back. */
	async callbacksSettled(): Promise<void> {
		await this.service.callbacks.settled();
	}

	async setFiles({ archiveSize }: { readonly archiveSize: number }): Promise<void> {
		this.service.archiveSize = archiveSize;
	}

	/** Names of the static proxies by ID. */
	async staticProxies(): Promise<Record<string, string>> {
		return this.service.staticProxies.all();
	}

	private findRun(taskId: string): Run {
		const run = this.service.runs.find(taskId);
		if (!run) throw new Error(`There is no run ${taskId}.`);
		return run;
	}

	/** Gives a seeded run the look of one that came to its status by itself. */
	private settle(run: Run, status: Run['status']): void {
		run.status = status;
		if (status === 'created') return;
		run.startedAt = run.createdAt;
		run.updatedAt = run.createdAt + SEEDED_DURATION;
		if (isTerminal(status)) run.finishedAt = run.updatedAt;
		if (status === 'failed') {
			run.failure = run.automation.failure ?? {
				code: 20001,
				message: 'The task ended with an error.',
			};
		}
	}
}

function showRun(run: Run): SandboxRun {
	return {
		taskId: run.taskId,
		botId: run.automation.id,
		key: run.key,
		status: run.status,
		input: run.input,
		callbackUrl: run.callbackUrl ?? null,
		statusCallbackUrl: run.statusCallbackUrl ?? null,
		proxyRegion: run.proxyRegion ?? null,
		bizCode: run.bizCode ?? null,
		createdAt: run.createdAt,
		finishedAt: run.finishedAt ?? null,
	};
}
