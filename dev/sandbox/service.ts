import type { Automation } from './automations/automation';
import { makeBots } from './automations/bots';
import { makeTemplates } from './automations/templates';
import { Browsers } from './browsers';
import { Callbacks } from './callbacks';
import { DurationSettings } from './durations';
import type { Durations } from './durations';
import { FaultRules } from './faults';
import { FileLinks } from './fileLinks';
import { HumanAssists } from './humanAssists';
import { ApiKeys, DEFAULT_KEY } from './keys';
import { Lifecycle } from './lifecycle';
import { Recorder } from './recorder';
import { Results } from './results';
import { Runs } from './runs';
import { RunView } from './runView';
import { SignatureCheck } from './signature';
import type { Signing } from './signature';
import { Starter } from './starting';
import { StaticProxies } from './staticProxies';
import { TaskView } from './taskView';

export interface ServiceOptions {
	/** How many runs the default key's plan allows at a time; any number when left out. */
	readonly concurrency?: number;
	/** How long runs stay in their states, in milliseconds. */
	readonly durations?: Partial<Durations>;
	/** Whether callbacks may go to private and local addresses (default true). */
	readonly allowLocalCallbacks?: boolean;
	/** Wait before a callback is repeated, doubled each time (default 1 s). */
	readonly callbackRetryMs?: number;
	/** How the signed public operations are signed. */
	readonly signing?: Partial<Signing>;
	/** Size of the Site Archive's file in bytes (default 100 MB). */
	readonly archiveSize?: number;
	/** How many requests and callbacks are remembered (default 10,000); 0 only counts requests. */
	readonly recordLimit?: number;
}

const ARCHIVE_SIZE = 100 * 1024 * 1024;
const COMPANY = 'sandbox-company';

/** The service without its network side: the state, and what acts on it. */
export class Service {
	readonly keys: ApiKeys;
	readonly durations: DurationSettings;
	readonly faults = new FaultRules();
	readonly recorder: Recorder;
	readonly links = new FileLinks();
	readonly results = new Results();
	readonly runs = new Runs();
	readonly runView: RunView;
	readonly taskView: TaskView;
	readonly callbacks: Callbacks;
	readonly lifecycle: Lifecycle;
	readonly starter: Starter;
	readonly signature: SignatureCheck;
	readonly browsers = new Browsers();
	readonly staticProxies = new StaticProxies();
	readonly humanAssists = new HumanAssists();
	private readonly originals = { bot: makeBots(), template: makeTemplates() };
	readonly bots: Automation[] = [...this.originals.bot];
	readonly templates: Automation[] = [...this.originals.template];
	/** Address of the service; known once it listens. */
	url = '';
	archiveSize: number;
	private readonly originalArchiveSize: number;

	constructor(options: ServiceOptions) {
		const recordLimit = options.recordLimit ?? 10_000;
		this.originalArchiveSize = options.archiveSize ?? ARCHIVE_SIZE;
		this.archiveSize = this.originalArchiveSize;
		this.keys = new ApiKeys({
			key: DEFAULT_KEY,
			company: COMPANY,
			concurrency: options.concurrency,
		});
		this.durations = new DurationSettings(options.durations);
		this.recorder = new Recorder(recordLimit);
		this.runView = new RunView(this.links, this.results, () => this.archiveSize);
		this.taskView = new TaskView(this.runView, this.links);
		this.callbacks = new Callbacks(
			this.runView,
			this.faults,
			options.callbackRetryMs ?? 1000,
			recordLimit,
		);
		this.lifecycle = new Lifecycle(this.durations, (run) => this.callbacks.notify(run));
		this.starter = new Starter(
			this.runs,
			this.lifecycle,
			this.callbacks,
			this.faults,
			options.allowLocalCallbacks ?? true,
		);
		this.signature = new SignatureCheck(options.signing ?? {});
	}

	/** Tells the service where it can be reached. */
	announce(url: string, filesUrl: string): void {
		this.url = url;
		this.runView.serviceUrl = url;
		this.links.origin = filesUrl;
	}

	/** Adds a bot, in the place of the one that has its ID. */
	add(bot: Automation): void {
		const known = this.bots.findIndex(({ id }) => id === bot.id);
		this.bots.splice(known < 0 ? this.bots.length : known, 1, bot);
	}

	/** Back to the state of the start: no runs, no faults, no further keys, nothing recorded. */
	reset(): void {
		this.lifecycle.stop();
		this.runs.reset();
		this.callbacks.clearRecords();
		this.faults.reset();
		this.durations.reset();
		this.keys.reset();
		this.results.reset();
		this.bots.splice(0, Infinity, ...this.originals.bot);
		this.templates.splice(0, Infinity, ...this.originals.template);
		this.browsers.reset();
		this.staticProxies.reset();
		this.humanAssists.reset();
		this.recorder.reset();
		this.archiveSize = this.originalArchiveSize;
	}

	/** Stops everything that goes on by itself. */
	stop(): void {
		this.lifecycle.stop();
		this.callbacks.stop();
	}
}
