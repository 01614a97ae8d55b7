import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { callOwnAddress } from '../../nodes/BrowserAutomation/transport/ownAddress';
import type { Run, TriggerCall, WebhookTrigger } from '../core/harness';
import { forAllTests } from '../fixture';
import { ProcessedData } from '../fixture/processedData';
import { attempts } from '../randomValues';
import { until } from '../timeLapse';
import { passTime, putClock, underOwnClock, usualClock } from './ownClock';
import { callBack, startedWith, Stop, TriggerFixture, warnings } from './triggerFixture';

jest.mock('../../nodes/BrowserAutomation/transport/ownAddress');

jest.mock('n8n-workflow', () =>
	jest.requireActual<{ withOwnPauses(): object }>('./ownClock').withOwnPauses(),
);

/*
 * Stories of callbacks that overlap, come again, come late, too early or never, amid floods of forged ones, while runs go on
 * that may be dated ahead, the trigger checks them by itself, the service fails, lags or refuses the key for long, clocks are put,
 * and n8n is slow, cannot begin executions or is killed.
 */

/** How often n8n is killed in a story at most; it is killed at the end in any case. */
const MAX_KILLS = 3;

const MAX_PROCESSES = 3;

const fixture = forAllTests(new TriggerFixture((MAX_KILLS + 1) * MAX_PROCESSES));

const STATUSES = ['running', 'paused', 'running', 'paused', 'finished'] as const;

const RUNS = 3;

/** Where n8n stops with a callback until the story lets it go on. */
const STOPS = ['nowhere', 'before it begins', 'before it answers'] as const;

/** The service fails, does not know a run, or shows it as it was, once. */
const FAULTS = [
	{ kind: 'serverError' },
	{ kind: 'envelopeError', code: 10112, msg: 'no such run' },
	{ kind: 'lagging' },
] as const;

/** The service refuses the key until it works again. */
const REFUSED = { kind: 'envelopeError', code: 401, msg: 'Invalid authorization' } as const;

/** So many forged runs can be kept with the open ones while the key is refused, and the true ones are kept, too. */
const MAX_FORGED = 300;

/** What the trigger answers where it could not ask, and where the service said that there is no such run. */
const NOT_ASKED = 'could not be asked';
const NOT_KNOWN = 'does not know';

/** The trigger's limit that passes by the clock of the story, in milliseconds. */
const ANSWER_WITHIN_MS = 25_000;

const HOUR_MS = 3_600_000;

const run = fc.nat(RUNS - 1);
const process = fc.nat(MAX_PROCESSES - 1);

const move = fc.record({ kind: fc.constant('move'), run, toEnd: fc.boolean() });

/** A callback, which comes to the address of completions or of statuses, late with the status before the present one. */
const call = fc.record({
	kind: fc.constant('call'),
	run,
	process,
	isCompletion: fc.boolean(),
	isLate: fc.boolean(),
	stop: fc.constantFrom(...STOPS),
});

const letGo = fc.record({ kind: fc.constant('letGo'), which: fc.nat(20), fails: fc.boolean() });

/** What happens now and then. */
const rare = fc.oneof(
	fc.record({ kind: fc.constant('kill') }),
	fc.record({ kind: fc.constant('recheck'), process }),
	fc.record({ kind: fc.constant('fault'), fault: fc.constantFrom(...FAULTS) }),
	fc.record({ kind: fc.constant('key'), works: fc.boolean() }),
	fc.record({ kind: fc.constant('flood'), count: fc.constantFrom(5, 30, 100), process }),
	fc.record({ kind: fc.constant('pass'), ms: fc.constantFrom(1_000, 30_000, 600_000) }),
	fc.record({
		kind: fc.constant('put'),
		ms: fc.integer({ min: -24 * HOUR_MS, max: 24 * HOUR_MS }),
	}),
);

const step = fc.oneof(
	{ weight: 3, arbitrary: move },
	{ weight: 6, arbitrary: call },
	{ weight: 4, arbitrary: letGo },
	{ weight: 4, arbitrary: rare },
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type CallStep = Extract<Step, { kind: 'call' }>;

/** A callback that the service has sent, or a call that the trigger has made of itself. */
interface Callback {
	/** How often n8n was killed before. */
	life: number;
	taskId: string;
	isAnswered: boolean;
	/** What the n8n that it came to has answered. */
	reading: string;
	/** Lets n8n go on, while it stops with this callback. */
	letGo: ((error?: Error) => void) | undefined;
	answer: Promise<TriggerCall>;
	/** The events that n8n has begun an execution with, and when that was among all. */
	begun: IDataObject[];
	begunAs: number;
}

class Story {
	private readonly oddities: string[] = [];
	private readonly workflowId = fixture.newWorkflowId();
	private readonly runs: Array<{ taskId: string; moves: number }> = [];
	private readonly callbacks: Callback[] = [];
	/** Calls of itself under way, and how many there were. */
	private checks = 0;
	private begun = 0;
	private kills = 0;
	private floods = 0;
	private forged = 0;
	private isOver = false;

	constructor(private readonly processes: number) {}

	async play(steps: Step[]): Promise<string[]> {
		await fixture.sandbox.clearFaults();
		ProcessedData.install();
		underOwnClock({ [ANSWER_WITHIN_MS]: ANSWER_WITHIN_MS });
		jest.mocked(callOwnAddress).mockImplementation(async (_caller, _method, url) => {
			return await this.callItself(new URL(url).searchParams.get('task_id'));
		});
		const ahead = new Date(Date.now() + 30 * 24 * HOUR_MS).toISOString();
		for (let count = 0; count < RUNS; count++) {
			const dates = count === 0 ? { createdFrom: ahead, createdTo: ahead } : {};
			const seeds = { count: 1, statuses: ['running'] as const, ...dates };
			const { taskIds } = await fixture.sandbox.seedRuns(seeds);
			this.runs.push({ taskId: taskIds[0] ?? '', moves: 0 });
		}
		for (const each of steps) await this.take(each);
		const missed = await this.end();
		const complaints = [
			...missed,
			...this.runs.flatMap((each) => this.complaintsOf(each)),
			...this.oddities,
		];
		const executions = this.callbacks.filter(({ begun }) => begun.length > 0);
		this.isOver = true;
		for (const callback of this.callbacks) callback.letGo?.();
		await Promise.all(this.callbacks.map(async ({ answer }) => await answer));
		usualClock();
		const calls = await Promise.all(executions.map(async ({ answer }) => await answer));
		return [
			...complaints,
			...this.complaintsOfEnds(calls.flatMap((each) => startedWith(each) ?? [])),
		];
	}

	private async take(each: Step): Promise<void> {
		if (each.kind === 'move') {
			await this.move(each.run);
			for (let left = 3; each.toEnd && left > 0; left--) await this.move(each.run);
		} else if (each.kind === 'call') {
			await this.call(each);
		} else if (each.kind === 'letGo') {
			const held = this.alive().filter((callback) => callback.letGo !== undefined);
			await this.letGo(held[each.which % held.length], each.fails);
		} else if (each.kind === 'recheck') {
			await this.recheck(each.process);
		} else if (each.kind === 'fault') {
			await fixture.sandbox.addFault({ ...each.fault, path: '/runs/', times: 1 });
		} else if (each.kind === 'key') {
			await fixture.sandbox.clearFaults();
			if (!each.works) await fixture.sandbox.addFault({ ...REFUSED, path: '/runs' });
		} else if (each.kind === 'flood') {
			await this.flood(each.count, each.process);
		} else if (each.kind === 'pass') {
			passTime(each.ms);
		} else if (each.kind === 'put') {
			putClock(each.ms);
		} else if (this.kills + 1 < MAX_KILLS) {
			this.kills += 1;
		}
	}

	private async move(index: number): Promise<void> {
		const run = this.runs[index];
		const status = STATUSES[(run?.moves ?? 0) + 1];
		if (run === undefined || status === undefined) return;
		run.moves += 1;
		await fixture.sandbox.moveRun({ taskId: run.taskId, status });
	}

	/** Sends forged callbacks, all at once. */
	private async flood(count: number, process: number): Promise<void> {
		const trigger = this.trigger(process);
		this.forged += count;
		const name = `forged-${this.workflowId}-${++this.floods}`;
		const calls = Array.from({ length: count }, async (_, index) => {
			return await callBack(trigger, { task_id: `${name}-${index}`, status: 'finished' });
		});
		for (const { response, run: started } of await Promise.all(calls)) {
			const isRefused = response.status === 503 && started === undefined;
			if (!isRefused && !isOfKey(started)) throw new Error('One was believed');
		}
	}

	/** Sends a callback, and waits until n8n has answered it, stops with it, or leaves it to wait for another. */
	private async call(each: CallStep): Promise<Callback> {
		const { run: index, isCompletion, isLate, stop } = each;
		const { taskId, moves } = this.runs[index] ?? { taskId: '', moves: 0 };
		const hasPredecessor = this.alive().some((other) => other.taskId === taskId);
		const status = STATUSES[isLate ? Math.max(0, moves - 1) : moves];
		const address = isCompletion ? 'default' : 'setup';
		const { callback, isReached } = this.send(taskId, each.process, stop, async (trigger) => {
			return await callBack(trigger, { task_id: taskId, status }, address);
		});
		if (!hasPredecessor) await Promise.race([callback.answer, isReached]);
		return callback;
	}

	/** Calls the trigger, where n8n stops with the call when it is told to, or is killed. */
	private send(
		taskId: string,
		process: number,
		stop: CallStep['stop'],
		ask: (trigger: WebhookTrigger) => Promise<TriggerCall>,
	): { callback: Callback; isReached: Promise<unknown> } {
		const trigger = this.trigger(process);
		const held = new Stop();
		const pass = async (place: CallStep['stop']): Promise<void> => {
			const isDead = callback.life < this.kills;
			if ((stop !== place && !isDead) || this.isOver) return;
			callback.letGo = (error) => held.letGo(error);
			await held.wait();
			callback.letGo = undefined;
		};
		trigger.beforeBegin = async (items) => {
			await pass('before it begins');
			callback.begun.push(...items.flat().map(({ json }) => json));
			callback.begunAs = ++this.begun;
		};
		trigger.beforeAnswer = async () => await pass('before it answers');
		trigger.isAlive = () => callback.life === this.kills;
		const answer = ask(trigger)
			.then((call) => {
				const reading = isOfKey(call.run) ? NOT_ASKED : JSON.stringify(call.response.body);
				if (callback.life === this.kills) callback.reading = reading;
				return call;
			})
			.finally(() => (callback.isAnswered = true));
		const callback: Callback = {
			life: this.kills,
			taskId,
			isAnswered: false,
			reading: '',
			letGo: undefined,
			answer,
			begun: [],
			begunAs: 0,
		};
		this.callbacks.push(callback);
		return { callback, isReached: held.isReached };
	}

	/** The trigger checks its open runs, and calls itself about those that have gone on. */
	private async recheck(process: number): Promise<void> {
		const { response } = await this.trigger(process).callWebhook({ query: { check: '' } });
		if (![200, 503].includes(response.status)) throw new Error(`The check: ${response.status}`);
	}

	/** Any process takes the call. */
	private async callItself(taskId: string | null): Promise<{ status: number; body: object }> {
		if (taskId === null || this.isOver || !this.runs.some((each) => each.taskId === taskId)) {
			return { status: 200, body: {} };
		}
		const { callback } = this.send(
			taskId,
			this.checks++,
			'nowhere',
			async (trigger) => await trigger.callWebhook({ query: { check: '', task_id: taskId } }),
		);
		const { response } = await callback.answer;
		return { status: response.status, body: {} };
	}

	/** The trigger in a process of the n8n of now, for one callback. */
	private trigger(process: number): WebhookTrigger {
		const parameters = { events: ['runFinished', 'runStatusChanged'] };
		const setup = { workflowId: this.workflowId };
		const restarts = this.kills * MAX_PROCESSES + (process % this.processes);
		return restarts === 0
			? fixture.trigger(parameters, setup)
			: fixture.restartedTrigger(parameters, setup, restarts);
	}

	/** The callbacks that the n8n of now has not answered yet. */
	private alive(): Callback[] {
		return this.callbacks.filter(({ life, isAnswered }) => life === this.kills && !isAnswered);
	}

	/** Lets n8n go on with a callback. An execution that has begun does not fail to begin any more. */
	private async letGo(callback: Callback | undefined, fails: boolean): Promise<void> {
		if (callback === undefined) return;
		const isToFail = fails && callback.begun.length === 0;
		callback.letGo?.(isToFail ? new Error('the database is down') : undefined);
		await callback.answer;
	}

	/**
	 * Everything goes on, and n8n is started anew. A single process finds out by itself how the runs stand that it has heard of.
	 * Then the last callbacks come again, as nobody knows of an answer.
	 *
	 * @returns what it did not find out
	 */
	private async end(): Promise<string[]> {
		await fixture.sandbox.clearFaults();
		await until(async () => {
			const held = this.alive().find((callback) => callback.letGo !== undefined);
			await this.letGo(held, false);
			return this.alive().length === 0;
		}, 'all to be answered');
		const isBegun = ({ taskId }: { taskId: string }): boolean =>
			this.callbacks.some(({ begun, isAnswered }) => isAnswered && begun.some(of(taskId)));
		const heard = this.runs.filter((each) => isBegun(each) || this.isUnread(each.taskId));
		this.kills += 1;
		// Of several processes each may have forgotten a run: nobody knows then for how long to wait.
		const missed = this.processes === 1 ? await this.notFound(heard) : [];
		for (const run of this.runs.keys()) {
			for (const isCompletion of [false, true]) {
				const last = { kind: 'call', run, process: 0, isLate: false, stop: 'nowhere' } as const;
				const { answer } = await this.call({ ...last, isCompletion });
				const { response } = await answer;
				if (response.status !== 200) throw new Error(`The last callback: ${response.status}`);
			}
		}
		return missed;
	}

	/** Which of these runs a check does not report as they are now. */
	private async notFound(runs: Array<{ taskId: string; moves: number }>): Promise<string[]> {
		await this.recheck(0);
		const found = await Promise.allSettled(
			runs.map(async ({ taskId, moves }) => {
				const isReported = () =>
					this.reading(taskId).some(({ status }) => status === STATUSES[moves]);
				await until(isReported, 'a check');
			}),
		);
		await until(() => this.alive().length === 0, 'the checks to be over');
		const missed = runs.filter((_, index) => found[index]?.status === 'rejected');
		return missed.map(({ taskId }) => `${taskId}: was not looked at`);
	}

	/** Whether a call about a run could not be checked, and none has shown since that there is no such run. */
	private isUnread(taskId: string): boolean {
		if (this.forged > MAX_FORGED) return false;
		const all = this.callbacks.filter((each) => each.taskId === taskId && each.isAnswered);
		const reading = all.map((each) => each.reading);
		return (
			reading.some((each) => each.includes(NOT_ASKED)) &&
			!reading.some((each) => each.includes(NOT_KNOWN))
		);
	}

	/** An end comes out of one execution, whichever processes have begun some with it. @param out all that came out */
	private complaintsOfEnds(out: IDataObject[]): string[] {
		const ended = this.runs.filter(({ moves }) => STATUSES[moves] === 'finished');
		return ended.flatMap(({ taskId }) => {
			const names = out.filter(of(taskId)).map(nameOf);
			const ends = names.filter((name) => name.endsWith(' finished')).sort();
			const isOnce = ends.join() === 'runFinished finished,runStatusChanged finished';
			return isOnce ? [] : [`${taskId}: of its end came out: ${ends.join(', ')}`];
		});
	}

	/** What the workflow was started with about a run, in that order. */
	private reading(taskId: string): IDataObject[] {
		const inOrder = [...this.callbacks].sort((a, b) => a.begunAs - b.begunAs);
		return inOrder.flatMap(({ begun }) => begun).filter(of(taskId));
	}

	private complaintsOf({ taskId, moves }: { taskId: string; moves: number }): string[] {
		const visited = STATUSES.slice(0, moves + 1);
		const now = visited.at(-1);
		const reading = this.reading(taskId);
		const told = reading.map(nameOf);
		const killed = this.killedWith(taskId).map(nameOf);
		const wanted = [...new Set(visited)].map((status) => `runStatusChanged ${status}`);
		if (now === 'finished') wanted.push('runFinished finished');
		const unwanted = told.filter((name) => !wanted.includes(name));
		const complaints = unwanted.map((name) => `${name} did not happen`);
		const isTold = reading.at(-1)?.status === now || killed.length > 0;
		if (!isTold && this.processes === 1) complaints.push(`that it is ${now} was not reported`);
		for (const name of wanted) {
			const count = told.filter((other) => other === name).length;
			const happened = visited.filter((status) => name.endsWith(` ${status}`)).length;
			const again = killed.filter((other) => other === name).length;
			// Where processes store at the same moment, one may forget over a restart what the other has reported.
			const tellers = this.processes > 1 ? this.processes * (this.kills + 1) : 1;
			const max = tellers * (happened + again);
			if (count > max) complaints.push(`${name} was told ${count} times, at most ${max}`);
			if (count === 0 && name.endsWith(` ${now}`)) complaints.push(`${name} was not told`);
		}
		return complaints.map((complaint) => `${taskId}: ${complaint}`);
	}

	/** The events of a run with which n8n had begun an execution, but had not answered, when it was killed. */
	private killedWith(taskId: string): IDataObject[] {
		const killed = this.callbacks.filter(
			({ life, isAnswered }) => life < this.kills && !isAnswered,
		);
		return killed.flatMap(({ begun }) => begun).filter(of(taskId));
	}
}

function of(taskId: string): (event: IDataObject) => boolean {
	return (event) => event.task_id === taskId;
}

/** Whether an execution has failed because the service refuses the key. */
function isOfKey(run: Run | undefined): boolean {
	return run?.error?.message.includes('does not accept the API key') === true;
}

function nameOf({ event, status }: IDataObject): string {
	return `${String(event)} ${String(status)}`;
}

afterEach(() => {
	jest.restoreAllMocks();
	usualClock();
});

it.each([
	['each event starts the workflow, and once', 1],
	['each starts it, at most once a process where there are three, and an end comes out once', 3],
])(
	'whatever happens, %s',
	async (_, processes) => {
		warnings();
		const stories = fc.array(step, { minLength: 5, maxLength: 25 });
		await fc.assert(
			fc.asyncProperty(stories, async (steps) => {
				expect(await new Story(processes).play(steps)).toEqual([]);
			}),
			attempts(25),
		);
	},
	3_600_000,
);
