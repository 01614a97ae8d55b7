import { Readable } from 'node:stream';
import { createRunExecutionData, type IHttpRequestOptions } from 'n8n-workflow';
import type { IRunExecutionData } from 'n8n-workflow';

import { BrowserAutomationApi } from '../../../../credentials/BrowserAutomationApi.credentials';
import { Semaphore } from '../../../../nodes/BrowserAutomation/transport/semaphore';
import { HarnessCredentials } from '../../../core/harness/credentials';
import type { Launch, StartedRun } from '../../../core/harness/execution';
import type { OutsideRequest, WebhookResponse } from '../../../core/harness/http-exchange';
import { ExecutionStore, type StoredExecution } from '../../../core/harness/store';
import { WaitingExecutions, type Pace } from '../../../core/harness/waiting';
import { Process } from './process';
import { NoConnection, SERVICE_URL, type Service } from './service';
import type { Ask, Crash, Delivery, Story } from './story';
import { moment } from './time';
import { copyNameIn, workflowOf, type Deed } from './workflows';

/** Gives a place within n8n's limit back. */
type Leave = () => void;

const SECOND = 1_000;

/** How often n8n checks for dates that are near, and what is near: both as in its `WaitTracker`. */
const TIMER_CHECKS_EVERY = 60 * SECOND;
const TIMER_CHECKS_AHEAD = 70 * SECOND;

/** The places of processes: in queue mode the main process, the workers and the webhook processes. */
const PLACES = {
	regular: { names: ['n8n'], main: 0, workers: [0], webhooks: [0] },
	queue: {
		names: ['main', 'worker 1', 'worker 2', 'webhook 1', 'webhook 2'],
		main: 0,
		workers: [1, 2],
		webhooks: [3, 4],
	},
	manual: { names: ['main', 'webhook 1'], main: 0, workers: [0], webhooks: [0, 1] },
} as const;

/** How a request is handled, where nobody minds. */
export type Handling = Pick<Delivery, 'process' | 'held' | 'claim' | 'fails'>;

/** An n8n of several processes around one database. */
export class N8n {
	readonly store = new ExecutionStore();
	readonly trace: string[] = [];
	/** What the nodes after the waiting ones did. */
	readonly deeds: Deed[] = [];
	readonly log: string[] = [];
	/** How often an execution was resumed from a snapshot that knows less than the one it overwrote. */
	overwritten = 0;
	/** How often a call resumed an execution before its process was done with it: n8n then fails (workflow-runner.js). In queue mode other processes take the calls. */
	tooSoon = 0;
	/** How many runs and deeds of an execution there were when it was stored, and a state of it that was read. */
	private readonly happened = new Map<string, number>();
	private readonly known = new WeakMap<IRunExecutionData, number | undefined>();
	/** Which execution of the workflow each is, as the keywords of its items say. */
	private readonly copies = new Map<string, string>();
	private readonly processes: Process[];
	private readonly effects: number[];
	private readonly past = new Set<Crash>();
	private readonly owners = new Map<string, Process>();
	private readonly credentials = new HarnessCredentials({
		browserAutomationApi: new BrowserAutomationApi(),
	});
	private readonly origin: string;
	/** How many requests this n8n has sent to itself. */
	private asked = 0;
	private storedTimes = 0;
	/** The executions that have a place within n8n's limit, and those that were begun by Retry, which need none. */
	private readonly inside = new Map<string, Leave>();
	private readonly retried = new Set<string>();
	/** n8n's limit of production executions in regular mode (n8n active-executions.js: `add`). */
	private limit: Semaphore;
	/** Executions that have not begun. n8n begins them when it starts (n8n start.js: `runEnqueuedExecutions`). */
	private readonly enqueued = new Map<string, Launch>();

	constructor(
		readonly story: Story,
		private readonly service: Service,
		private readonly chance: () => number,
	) {
		this.origin = story.isPublic ? 'https://n8n.example.com' : 'http://localhost:5678';
		this.processes = this.places.names.map((_, place) => this.createProcess(place));
		this.effects = this.processes.map(() => 0);
		const { production } = story;
		this.limit = new Semaphore(production?.atOnce ?? Infinity);
		for (const { at, lasts } of production?.busy ?? []) {
			const stay = async () => await new Promise<void>((leave) => void setTimeout(leave, lasts));
			setTimeout(() => void this.limit.inTurn(stay), at);
		}
		this.startTimer(this.chance() * TIMER_CHECKS_EVERY);
		for (const crash of story.crashes) {
			const { when } = crash;
			if ('at' in when) setTimeout(() => this.crash(crash), when.at);
		}
	}

	/** Carries the story's workflow out for the first time. */
	start(keywords: string[]): string {
		const credential = { baseUrl: SERVICE_URL, apiKey: 'key' };
		const credentials = this.credentials.store({ browserAutomationApi: credential });
		const workflowData = workflowOf(this.story, credentials);
		const [node] = workflowData.nodes;
		if (node === undefined) throw new Error('The workflow has no nodes');
		const items = keywords.map((keyword) => ({ json: { keyword } }));
		const data = createRunExecutionData({
			executionData: { nodeExecutionStack: [{ node, data: { main: [items] }, source: null }] },
		});
		const mode = this.story.deployment === 'manual' ? 'manual' : 'trigger';
		const nodeName = node.name;
		const executionId = this.store.create({ mode, workflowData, nodeName, data });
		const launch = { executionId, nodeName, workflowData, staticData: {}, data, mode } as const;
		this.copies.set(executionId, copyNameIn(keywords[0]));
		this.enqueued.set(executionId, { ...launch, resumed: false });
		void this.begin(executionId);
		return executionId;
	}

	/** Begins an execution within n8n's limit; once n8n runs again, if it does not. */
	private async begin(executionId: string): Promise<void> {
		const leave = await this.enter(executionId);
		const worker = this.processes[this.places.workers[0]];
		const launch = this.enqueued.get(executionId);
		if (worker?.isAlive !== true || launch === undefined) return;
		this.enqueued.delete(executionId);
		this.inside.set(executionId, leave);
		this.carryOut(worker, launch);
	}

	/** What "Retry" in the list of executions does. */
	retry(executionId: string): string {
		const alive = this.processes.find(({ isAlive }) => isAlive);
		if (alive === undefined) throw new Error('No process is there to retry the execution');
		const { executionId: id } = this.waitingIn(alive).retry(executionId);
		this.retried.add(id);
		this.copies.set(id, this.copies.get(executionId) ?? '');
		return id;
	}

	/** Where the status page of an execution is while it sleeps, and the node that does; undefined where it does not. */
	pageOf(executionId: string): { node: string; url: string } | undefined {
		const execution = this.store.read(executionId);
		const node = execution?.data?.resultData.lastNodeExecuted ?? '';
		if (execution?.status !== 'waiting') return undefined;
		const url = execution.data?.resultData.runData[node]?.at(-1)?.metadata?.resumeUrl;
		return url?.includes('/watch') ? { node, url } : undefined;
	}

	get isUp(): boolean {
		return this.processes.some(({ isAlive }) => isAlive);
	}

	/** Whether an execution neither sleeps nor is under way. */
	isOver(executionId: string): boolean {
		const status = this.store.statusOf(executionId);
		return status !== 'running' && status !== 'waiting';
	}

	/** The next date at which the wait timer resumes an execution, in milliseconds since 1970; now if there is none. */
	nextDate(): number {
		const dates = this.store.waiting().flatMap(({ waitTill }) => waitTill?.getTime() ?? []);
		const [next] = dates.filter((date) => date > Date.now()).sort((a, b) => a - b);
		return next ?? Date.now();
	}

	stored(executionId: string): StoredExecution {
		const execution = this.store.read(executionId);
		if (execution === undefined) throw new Error(`There is no execution ${executionId}`);
		return execution;
	}

	/** Takes a request to the resume URL of an execution. @returns undefined when no answer came */
	async receive(url: string, request: OutsideRequest, handling: Handling) {
		const alive = this.aliveAt(this.places.webhooks);
		const process = alive[handling.process % alive.length];
		if (process === undefined) return undefined;
		const takenAt = Date.now();
		const handler = this.waitingIn(process, {
			beforeHandler: async () => await process.pass(handling.held),
			aroundRead: async () => {
				this.note(process, 'reads the execution again');
				await process.pass(this.latency(1, 50, 1_200));
			},
			beforeClaim: async () => {
				const isTooSoon = (one: Process) => this.isTooSoon(url, one, process, takenAt);
				if (this.processes.some(isTooSoon)) this.tooSoon += 1;
				await process.pass(handling.claim);
				if (handling.fails) throw new Error('The database is busy');
			},
		});
		const query = new URL(url).searchParams;
		const what = `${request.method ?? 'POST'} ${query.get('item') ?? query}`;
		this.note(process, `takes ${what} (held ${handling.held}, claims after ${handling.claim})`);
		const answer = await Promise.race([handler.receive(url, request), process.died]);
		if (answer === undefined) return undefined;
		const { response } = answer;
		this.note(process, `answers ${what}: ${response.status} ${JSON.stringify(response.body)}`);
		return response;
	}

	/**
	 * Whether a process is still suspending the execution that another, or it, is to resume: for others, most of a second has to be
	 * enough. In the editor, one that took the call before has a stale snapshot, which may be written where nothing is lost.
	 */
	private isTooSoon(url: string, one: Process, by: Process, takenAt: number): boolean {
		const isStale = (at: number) => this.story.deployment === 'manual' && takenAt < at;
		const begun = url.split('/').flatMap((part) => one.suspending.get(part) ?? []);
		const isEarly = (at: number) => !isStale(at) && Date.now() < at + 900;
		return one.isAlive && begun.some((at) => one === by || isEarly(at));
	}

	private get places(): (typeof PLACES)[Story['deployment']] {
		return PLACES[this.story.deployment];
	}

	private aliveAt(places: readonly number[]): Process[] {
		return this.processes.filter(({ place, isAlive }) => isAlive && places.includes(place));
	}

	get surroundings() {
		return { origin: this.origin, credentials: this.credentials };
	}

	/** What resumes executions in a process. */
	private waitingIn(process: Process, pace?: Pace): WaitingExecutions {
		const { nodeTypes, store } = process;
		const executor = { launch: (launch: Launch) => this.launch(process, launch) };
		return new WaitingExecutions(nodeTypes, store, this.surroundings, executor, pace);
	}

	/** Waits until n8n's limit of production executions lets one go on: in regular mode alone, and not where it was retried. */
	async enter(executionId: string): Promise<Leave> {
		const isLimited = this.story.deployment === 'regular' && !this.retried.has(executionId);
		if (!isLimited) return () => undefined;
		const inside = async (enter: (leave: Leave) => void) => await new Promise<void>(enter);
		return await new Promise((enter) => void this.limit.inTurn(async () => await inside(enter)));
	}

	/** Carries a claimed execution on: here, or in queue mode in a worker that reads it anew. */
	private launch(claimer: Process, launch: Launch): StartedRun {
		const { executionId } = launch;
		if (this.story.deployment !== 'queue') return this.carryOut(claimer, launch);
		void this.enqueue(claimer, launch);
		const never = new Promise<never>(() => undefined);
		return { executionId, resumeUrl: '', done: never, abort: () => undefined };
	}

	private async enqueue(claimer: Process, launch: Launch): Promise<void> {
		await claimer.pass(5 + this.chance() * 100);
		for (;;) {
			const alive = this.aliveAt(this.places.workers);
			const worker = alive[Math.floor(this.chance() * alive.length)];
			const data = worker && this.stored(launch.executionId).data;
			if (worker !== undefined && data !== undefined) {
				this.carryOut(worker, { ...launch, data });
				return;
			}
			await new Promise((resolve) => setTimeout(resolve, SECOND));
		}
	}

	private carryOut(process: Process, launch: Launch): StartedRun {
		this.owners.set(launch.executionId, process);
		this.note(process, `carries execution ${launch.executionId} out`);
		return process.executor.launch(launch);
	}

	private createProcess(place: number): Process {
		return new Process(this.places.names[place] ?? '', place, this);
	}

	beforeEffect(process: Process, what: string): void {
		this.note(process, what);
		this.crashAt(process, false);
	}

	afterEffect(process: Process): void {
		this.crashAt(process, true);
		this.effects[process.place] = (this.effects[process.place] ?? 0) + 1;
	}

	onRead(executionId: string, state: IRunExecutionData): void {
		this.known.set(state, this.happened.get(executionId));
	}

	onClaim(process: Process, executionId: string, state: IRunExecutionData, leave: Leave): void {
		this.inside.set(executionId, leave);
		if (this.known.get(state) !== this.happened.get(executionId)) {
			this.note(process, `OVERWRITES execution ${executionId} WITH AN OLD STATE`);
			this.overwritten += 1;
		}
		this.owners.set(executionId, process);
		this.note(process, `has claimed execution ${executionId}`);
	}

	/** How long it takes to store the end of an execution, in milliseconds. */
	storingTime(): number {
		return this.latency(5, 300, 3 * SECOND);
	}

	stores(): boolean {
		return this.story.lostStores?.includes(this.storedTimes++) !== true;
	}

	/** n8n is done with storing the end of an execution, or its sleep. */
	onStored(executionId: string): void {
		const name = this.copies.get(executionId);
		const all = [...this.service.runs, ...this.deeds];
		const count = all.filter(({ keyword }) => copyNameIn(keyword) === name).length;
		this.happened.set(executionId, count);
	}

	/** n8n is done with the run of an execution, whose place is free now. */
	onDone(executionId: string): void {
		this.inside.get(executionId)?.();
		this.inside.delete(executionId);
	}

	/** A node has logged something that is not for debugging alone. */
	onLog(process: Process, text: string): void {
		this.log.push(text);
		this.note(process, text);
	}

	private crashAt(process: Process, done: boolean): void {
		for (const crash of this.story.crashes) {
			const { when } = crash;
			const isHere = crash.process % this.processes.length === process.place;
			if (!isHere || !('effect' in when) || when.done !== done) continue;
			if (when.effect !== this.effects[process.place] || this.past.has(crash)) continue;
			this.past.add(crash);
			this.crash(crash);
		}
	}

	private crash({ process: of, downtime }: Crash): void {
		const process = this.processes[of % this.processes.length];
		if (process === undefined || !process.isAlive) return;
		this.note(process, 'dies');
		process.kill();
		setTimeout(() => this.restart(process), downtime);
	}

	private restart(dead: Process): void {
		const { place } = dead;
		this.processes[place] = this.createProcess(place);
		this.note(dead, 'runs again');
		this.store.markCrashed((executionId) => this.owners.get(executionId) === dead);
		if (place === this.places.main) {
			// What waited for a place has died with the process that it waited in.
			this.limit = new Semaphore(Infinity);
			this.startTimer(0);
		}
		for (const executionId of this.enqueued.keys()) void this.begin(executionId);
	}

	/** Resumes executions at their dates, as n8n's `WaitTracker` does: in the main process alone. */
	private startTimer(firstCheck: number): void {
		const process = this.processes[this.places.main];
		if (process === undefined) return;
		const timers = new Set<string>();
		const check = (): void => {
			if (!process.isAlive) return;
			setTimeout(check, TIMER_CHECKS_EVERY);
			for (const { executionId, waitTill } of this.store.waiting()) {
				const left = (waitTill?.getTime() ?? Infinity) - Date.now();
				if (left > TIMER_CHECKS_AHEAD || timers.has(executionId)) continue;
				timers.add(executionId);
				setTimeout(
					() => {
						timers.delete(executionId);
						if (process.isAlive) void this.resumeByTimer(process, executionId);
					},
					Math.max(0, left),
				);
			}
		};
		setTimeout(check, firstCheck);
	}

	private async resumeByTimer(process: Process, executionId: string): Promise<void> {
		await process.pass(this.latency(5, 100, SECOND));
		const waiting = this.waitingIn(process, {
			beforeHandler: async () => undefined,
			beforeClaim: async () => await process.pass(this.latency(5, 100, 900)),
		});
		this.note(process, `its clock takes execution ${executionId} up`);
		await waiting.resumeAtLimit(executionId).catch((error: unknown) => {
			this.note(process, String(error));
		});
	}

	/** Carries out a request of the waiting node: to the service, or to n8n's own address. */
	async send(process: Process, options: IHttpRequestOptions): Promise<unknown> {
		const { method = 'GET', url } = options;
		if (!url.startsWith(SERVICE_URL)) return await this.callMyself(process, options);
		await process.pass(this.latency(10, 200, SECOND));
		const what = `${method} ${new URL(url).pathname}`;
		const answer = await process.effect(what, () => {
			try {
				return this.service.answer(options);
			} catch (error) {
				return error;
			}
		});
		await process.pass(this.latency(5, 200, SECOND));
		if (answer instanceof NoConnection) throw answer;
		const { body, ...head } = Object(answer);
		return { ...head, body: Readable.from([Buffer.from(String(body))]) };
	}

	private async callMyself(process: Process, options: IHttpRequestOptions): Promise<unknown> {
		const { method = 'GET', url } = options;
		await process.effect(`${method} own address`, () => undefined);
		const { asks } = this.story;
		const ask: Partial<Ask> = asks[this.asked++ % asks.length] ?? {};
		const { there = 0, held = 0, back = 0, again } = ask;
		await process.pass(there);
		const isReached = url.startsWith(this.origin) && this.story.hairpin;
		const isQuestion = String(method) === 'OPTIONS';
		if (isQuestion && isReached) return { statusCode: 204, headers: {}, body: '' };
		const request = { method };
		const handOn = async (time: number): Promise<WebhookResponse | undefined> =>
			await this.receive(url, request, {
				process: Math.floor(this.chance() * 2),
				held: time,
				claim: this.latency(5, 50, 900),
				fails: false,
			});
		const answer = isReached ? handOn(held) : undefined;
		if (isReached && again !== undefined) setTimeout(() => void handOn(again.held), again.after);
		let limit: NodeJS.Timeout | undefined;
		const late = new Promise<undefined>((resolve) => {
			limit = setTimeout(() => resolve(undefined), options.timeout);
		});
		const response = await Promise.race([answer, late]);
		clearTimeout(limit);
		await process.pass(back);
		if (response === undefined) throw new NoConnection('connect ECONNREFUSED');
		const { status, headers, body } = response;
		return { statusCode: status, headers, body };
	}

	/** Mostly from `least` to `usual` milliseconds, seldom up to `most`. */
	private latency(least: number, usual: number, max: number): number {
		const up = this.chance() < 0.9 ? usual : max;
		return Math.round(least + this.chance() * (up - least));
	}

	private note(process: Process, text: string): void {
		this.trace.push(`${moment()} ${process.name}: ${text}`);
	}
}
