import { stringify } from 'flatted';
import type { IContextObject } from 'n8n-workflow';
import { buffer } from 'node:stream/consumers';

import {
	keptLedger,
	type Ledger,
	pendingStarts,
} from '../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import type { RunMove, SandboxRun } from '../../../dev/sandbox/control';
import { toItems, type Callback, type Run, type RunOptions } from '../../core/harness';
import { ACTION, answerJson, Fixture, forAllTests, inGroups } from '../../fixture';
import { Origin, runBot, RUNS_GO_ON } from '../../fixture';
import { endTimeLapse, skipTo, startTimeLapse, until } from '../../timeLapse';

/** Parameters that run the Product Scraper once for each item, with the item's `keyword`. */
export function scrape(further: Record<string, unknown> = {}, options = {}) {
	const input = '={{ { keyword: $json.keyword, max_results: 1 } }}';
	return runBot('1001', { input, ...inGroups(options), ...further });
}

export function keywords(...words: string[]) {
	return toItems(...words.map((keyword) => ({ keyword })));
}

/** The node in the real n8n-core, between an address where n8n takes callbacks and a service that sends them: both over HTTP on this machine. */
export class Scene extends Fixture {
	/** What came of the callbacks that reached n8n since the last reset, oldest first. */
	callbacks: Callback[] = [];

	/** Whether the node's calls to n8n, which are to resume an execution, get an answer. */
	answersCalls = true;

	/** How many of them got none. */
	unanswered = 0;

	/** Whether n8n reaches its own address from inside. */
	private reachesItself = true;

	/** Calls reach n8n when this is so. */
	private reachable: Promise<void> = Promise.resolve();

	private readonly n8n = new Origin();

	/** Runs go on until the test moves them. */
	constructor() {
		super({ service: { ...RUNS_GO_ON, callbackRetryMs: 20 } });
	}

	override async open(): Promise<void> {
		await Promise.all([super.open(), this.n8n.open()]);
		const origin = this.n8n.url;
		this.harness.moveTo(origin);
		this.n8n.answerWith((request, response) => {
			if (request.method === 'OPTIONS') {
				answerJson(response, this.reachesItself ? 204 : 500, {});
				return;
			}
			const url = `${origin}${request.url}`;
			const isOwnCall = new URL(url).searchParams.has('resume');
			if (isOwnCall && !this.answersCalls) {
				this.unanswered += 1;
				request.destroy();
				return;
			}
			void buffer(request)
				.then(async (body) => (isOwnCall ? await this.takeOwn(url) : await this.take(url, body)))
				.then(({ response: { status, body } }) => answerJson(response, status, body));
		});
	}

	override async close(): Promise<void> {
		await super.close();
		await this.n8n.close();
	}

	/** From now on n8n does not reach its own address from inside; it is known under another name, too. */
	cutOff(): void {
		this.reachesItself = false;
		this.harness.moveTo(this.n8n.url.replace('127.0.0.1', 'localhost'));
	}

	async take(url: string, body: Buffer | object): Promise<Callback> {
		const { callbacks } = this;
		await this.reachable;
		const isEmpty = Buffer.isBuffer(body) && body.length === 0;
		const callback = await this.harness.receive(url, isEmpty ? {} : { body });
		callbacks.push(callback);
		return callback;
	}

	/** No call reaches n8n from now on until what this returns is called. */
	holdCalls(): () => void {
		let reach = (): void => undefined;
		this.reachable = new Promise((resolve) => (reach = resolve));
		return reach;
	}

	/** Waits until n8n has stored an execution that falls asleep: for half a minute the node calls again, which the faster clock makes too short on a slow machine. */
	private async takeOwn(url: string): Promise<Callback> {
		const [, executionId = ''] = /\/webhook-waiting\/([^/?]+)/.exec(url) ?? [];
		const isStored = (): boolean => this.harness.statusOf({ executionId }) !== 'running';
		await until(isStored, `execution ${executionId} to be stored`);
		return await this.take(url, {});
	}

	/** A service as at its start, and no callbacks; those that n8n is still at count for what was before. */
	async reset(): Promise<void> {
		await this.sandbox.reset();
		this.callbacks = [];
		this.answersCalls = true;
		this.unanswered = 0;
		this.reachable = Promise.resolve();
		this.reachesItself = true;
		this.harness.moveTo(this.n8n.url);
	}

	/** Runs the node until it ends or sleeps for longer than until n8n has stored what it is to start. */
	async run(options: Partial<RunOptions> = {}): Promise<Run> {
		return await this.untilStarted(await this.begin(options));
	}

	/** Runs the node until it ends or sleeps. */
	async begin(options: Partial<RunOptions> = {}): Promise<Run> {
		return await this.harness.run({ nodeType: ACTION, parameters: scrape(), ...options });
	}

	/** Goes with an execution through its sleeps in which n8n stores what it has started, or is about to. */
	private async untilStarted(run: Run, resumes = 0): Promise<Run> {
		if (run.status !== 'waiting' || !this.isResumedAtOnce(run)) return run;
		const resumed = await until(() => this.resumesOf(run)[resumes], `${run.executionId} to go on`);
		return await this.untilStarted(resumed, resumes + 1);
	}

	private isResumedAtOnce(run: Run): boolean {
		const { status } = this.harness.stored(run);
		const ledger = this.ledgerOf(run);
		if (status !== 'waiting' || ledger === undefined) return status === 'running';
		const isWave = pendingStarts(ledger).length > 0 && ledger.waveEnd !== undefined;
		return (isWave || ledger.waitMethod === 'inPlace') && ledger.queuedAt === undefined;
	}

	/** An execution after each of its resumes, ended or suspended again; not where n8n's wait timer resumed it. */
	resumesOf({ executionId }: Pick<Run, 'executionId'>): Run[] {
		return this.callbacks
			.flatMap(({ run }) => run ?? [])
			.filter((run) => run.executionId === executionId);
	}

	/** What the node keeps with an execution, as n8n has stored it. */
	ledgerOf(run: Pick<Run, 'executionId'>): Ledger | undefined {
		const { contextData } = this.harness.stored(run).data?.executionData ?? {};
		return Object.values(contextData ?? {}).flatMap((kept) => keptLedger(kept) ?? [])[0];
	}

	/** No process knows of an execution's sleep, as after a restart. */
	forget(asleep: Pick<Run, 'executionId'>): void {
		this.storeAgain(asleep, (kept) => {
			const suspension = keptLedger(kept)?.suspension;
			if (suspension !== undefined) suspension.id = `another ${asleep.executionId}`;
		});
	}

	/** Stores a sleeping execution anew, as something has changed what its nodes keep with it. */
	storeAgain({ executionId }: Pick<Run, 'executionId'>, change: (kept: IContextObject) => void) {
		const { data, ...row } = this.harness.stored({ executionId });
		Object.values(data?.executionData?.contextData ?? {}).forEach(change);
		this.harness.takeWaiting({ ...row, data: stringify(data) });
	}

	/** The run's end, after these keywords' runs have, and callbacks resumed it where it sleeps; throws when it does not end soon. */
	async end(asleep: Run, ...words: string[]): Promise<Run> {
		await this.finish(...words);
		if (asleep.status !== 'waiting') return asleep;
		const ended = () => this.resumesOf(asleep).find(({ status }) => status !== 'waiting');
		return await until(ended, `the end of execution ${asleep.executionId}`);
	}

	async started(count: number): Promise<void> {
		await until(async () => (await this.runs()).length >= count, `${count} runs`);
	}

	/** n8n's wait timer resumes the execution at the date of its suspension. */
	async resumeByTimer(asleep: Pick<Run, 'executionId'>): Promise<Run> {
		await until(() => this.harness.stored(asleep).status === 'waiting', 'the execution to sleep');
		const { status, waitTill } = this.harness.stored(asleep);
		// Its watcher has had it resumed in this very moment.
		if (status !== 'waiting') return await this.resumeByTimer(asleep);
		skipTo(waitTill?.getTime() ?? 0);
		return await this.harness.resumeByTimeout(asleep);
	}

	/** The run's end where nothing but n8n's wait timer resumes it, however often it has to. */
	async endByTimer(run: Run): Promise<Run> {
		return run.status === 'waiting' ? await this.endByTimer(await this.resumeByTimer(run)) : run;
	}

	/** The runs in the service, in the order in which they were started. */
	async runs(): Promise<SandboxRun[]> {
		return await this.sandbox.runs();
	}

	/** How the runs in the service stand, in that order. */
	async statuses(): Promise<string[]> {
		return (await this.runs()).map(({ status }) => status);
	}

	async runFor(keyword: string): Promise<SandboxRun> {
		const runs = (await this.runs()).filter(({ input }) => input.keyword === keyword);
		const run = runs.at(-1);
		if (run === undefined) throw new Error(`There is no run for ${keyword}`);
		return run;
	}

	async idsFor(...words: string[]): Promise<string[]> {
		return await Promise.all(words.map(async (word) => (await this.runFor(word)).taskId));
	}

	/** Moves the run for a keyword to another status. @returns its ID */
	async move(word: string, status: RunMove['status'], more: Partial<RunMove> = {}) {
		const { taskId } = await this.runFor(word);
		await this.sandbox.moveRun({ taskId, status, ...more });
		return taskId;
	}

	async finish(...words: string[]): Promise<void> {
		for (const word of words) await this.move(word, 'finished');
	}

	async asked(operation: string): Promise<number> {
		return (await this.sandbox.load()).byOperation[operation] ?? 0;
	}
}

export const finished: unknown = expect.objectContaining({ status: 'finished' });

/** What becomes known of which item an output item is paired with. */
export const PAIRED = { probe: '{{ $("Start").item.json.keyword }}' };

export function idsOf(run: Run): unknown[] {
	return passedOn(run).map(({ task_id }) => task_id);
}

/** The JSON of what the node passed on at an output. */
export function passedOn(run: Run, output = 0): Array<Record<string, unknown>> {
	return (run.passedOn[output] ?? []).map(({ json }) => json);
}

/** A scene for all tests of a file. Each finds a service as at its start, and time that passes quickly. */
export function useScene(): Scene {
	afterEach(endTimeLapse);
	const scene = forAllTests(new Scene());
	beforeEach(async () => {
		await scene.reset();
		startTimeLapse();
	});
	return scene;
}
