import { setTimeout } from 'node:timers/promises';

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { callOwnAddress } from '../../nodes/BrowserAutomation/transport/ownAddress';
import type { TriggerCall, WebhookTrigger } from '../core/harness';
import { forAllTests } from '../fixture';
import { attempts } from '../randomValues';
import { callBack, Stop, TriggerFixture, warnings } from './triggerFixture';

jest.mock('../../nodes/BrowserAutomation/transport/ownAddress');

/*
 * Stories of callbacks that overlap, come again, come late or never, while runs go on, the trigger looks at them by
 * itself, the service fails, and n8n is slow, cannot begin executions or is killed.
 */

/** How often n8n is killed in a story at most; it is killed at the end in any case. */
const MOST_KILLS = 3;

const fixture = forAllTests(new TriggerFixture({}, MOST_KILLS));

const STATUSES = ['running', 'paused', 'running', 'paused', 'finished'] as const;

const RUNS = 3;

/** Where n8n stops with a callback until the story lets it go on. */
const STOPS = ['nowhere', 'before it begins', 'before it answers'] as const;

interface CallStep {
	kind: 'call';
	run: number;
	/** Whether it comes to the address of completions, or to the one of statuses. */
	isCompletion: boolean;
	/** Whether it tells of the status before the present one. */
	isLate: boolean;
	stop: (typeof STOPS)[number];
}

type Step =
	| CallStep
	| { kind: 'move'; run: number }
	| { kind: 'letGo'; which: number; fails: boolean }
	| { kind: 'look' }
	| { kind: 'fault' }
	| { kind: 'kill' };

const run = fc.nat(RUNS - 1);

const call: fc.Arbitrary<Step> = fc.record({
	kind: fc.constant('call'),
	run,
	isCompletion: fc.boolean(),
	isLate: fc.boolean(),
	stop: fc.constantFrom(...STOPS),
});

const letGo: fc.Arbitrary<Step> = fc.record({
	kind: fc.constant('letGo'),
	which: fc.nat(20),
	fails: fc.boolean(),
});

const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 3, arbitrary: fc.record({ kind: fc.constant<'move'>('move'), run }) },
	{ weight: 6, arbitrary: call },
	{ weight: 4, arbitrary: letGo },
	{
		weight: 2,
		arbitrary: fc.constantFrom<Step>({ kind: 'look' }, { kind: 'fault' }, { kind: 'kill' }),
	},
);

/** A callback that the service has sent. */
interface Callback {
	process: number;
	taskId: string;
	isAnswered: boolean;
	/** Lets n8n go on, while it stops with this callback. */
	letGo: ((error?: Error) => void) | undefined;
	answer: Promise<TriggerCall>;
	/** The events that n8n has begun an execution with. */
	begun: IDataObject[];
}

class Story {
	private readonly workflowId = fixture.newWorkflowId();
	private readonly runs: Array<{ taskId: string; moves: number }> = [];
	private readonly callbacks: Callback[] = [];
	private kills = 0;
	private isOver = false;

	async play(steps: Step[]): Promise<string[]> {
		await fixture.sandbox.clearFaults();
		jest.mocked(callOwnAddress).mockImplementation(async (_caller, _method, url) => {
			return await this.callItself(new URL(url).searchParams.get('task_id') ?? '');
		});
		for (let count = 0; count < RUNS; count++) {
			this.runs.push({ taskId: await fixture.seedRun('running'), moves: 0 });
		}
		for (const each of steps) await this.take(each);
		await this.end();
		const complaints = this.complaints();
		this.isOver = true;
		for (const callback of this.callbacks) callback.letGo?.();
		await Promise.all(this.callbacks.map(async ({ answer }) => await answer));
		return complaints;
	}

	private async take(each: Step): Promise<void> {
		if (each.kind === 'move') {
			await this.move(each.run);
		} else if (each.kind === 'call') {
			await this.call(each);
		} else if (each.kind === 'letGo') {
			const held = this.alive().filter((callback) => callback.letGo !== undefined);
			await this.letGo(held[each.which % held.length], each.fails);
		} else if (each.kind === 'look') {
			await this.look();
		} else if (each.kind === 'fault') {
			await fixture.sandbox.addFault({ kind: 'serverError', path: '/runs/', times: 1 });
		} else if (this.kills + 1 < MOST_KILLS) {
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

	/** Sends a callback, and waits until n8n has answered it, stops with it, or leaves it to wait for another. */
	private async call({ run: index, isCompletion, isLate, stop }: CallStep): Promise<Callback> {
		const { taskId, moves } = this.runs[index] ?? { taskId: '', moves: 0 };
		const hasPredecessor = this.alive().some((other) => other.taskId === taskId);
		const status = STATUSES[isLate ? Math.max(0, moves - 1) : moves];
		const { callback, isReached } = this.send(taskId, stop, async (trigger) =>
			isCompletion
				? await callBack(trigger, { task_id: taskId, status })
				: await callBack(trigger, { task_id: taskId, status }, 'setup'),
		);
		if (!hasPredecessor) await Promise.race([callback.answer, isReached]);
		return callback;
	}

	/** Calls the trigger, where n8n stops with the call when it is told to, or is killed. */
	private send(
		taskId: string,
		stop: CallStep['stop'],
		ask: (trigger: WebhookTrigger) => Promise<TriggerCall>,
	): { callback: Callback; isReached: Promise<unknown> } {
		const trigger = this.trigger();
		const held = new Stop();
		const pass = async (place: CallStep['stop']): Promise<void> => {
			const isDead = callback.process < this.kills;
			if ((stop !== place && !isDead) || this.isOver) return;
			callback.letGo = (error) => held.letGo(error);
			await held.wait();
			callback.letGo = undefined;
		};
		trigger.beforeBegin = async (items) => {
			await pass('before it begins');
			callback.begun.push(...items.flat().map(({ json }) => json));
		};
		trigger.beforeAnswer = async () => await pass('before it answers');
		const answer = ask(trigger).finally(() => (callback.isAnswered = true));
		const callback: Callback = {
			process: this.kills,
			taskId,
			isAnswered: false,
			letGo: undefined,
			answer,
			begun: [],
		};
		this.callbacks.push(callback);
		return { callback, isReached: held.isReached };
	}

	/** The trigger looks at its open runs, and calls itself about those that have gone on. */
	private async look(): Promise<void> {
		const { response } = await this.trigger().callWebhook({ query: { look: '' } });
		if (![200, 503].includes(response.status)) throw new Error(`The look: ${response.status}`);
	}

	private async callItself(taskId: string): Promise<{ status: number; body: object }> {
		if (this.isOver || !this.runs.some((each) => each.taskId === taskId)) {
			return { status: 200, body: {} };
		}
		const { callback } = this.send(
			taskId,
			'nowhere',
			async (trigger) => await trigger.callWebhook({ query: { look: '', task_id: taskId } }),
		);
		const { response } = await callback.answer;
		return { status: response.status, body: {} };
	}

	/** The trigger in the n8n of now, for one callback. */
	private trigger(): WebhookTrigger {
		const parameters = { events: ['runFinished', 'runStatusChanged'] };
		const setup = { workflowId: this.workflowId };
		return this.kills === 0
			? fixture.trigger(parameters, setup)
			: fixture.restartedTrigger(parameters, setup, this.kills);
	}

	/** The callbacks that the n8n of now has not answered yet. */
	private alive(): Callback[] {
		return this.callbacks.filter(
			({ process, isAnswered }) => process === this.kills && !isAnswered,
		);
	}

	/** Lets n8n go on with a callback. An execution that has begun does not fail to begin any more. */
	private async letGo(callback: Callback | undefined, fails: boolean): Promise<void> {
		if (callback === undefined) return;
		const isToFail = fails && callback.begun.length === 0;
		callback.letGo?.(isToFail ? new Error('the database is down') : undefined);
		await callback.answer;
	}

	/** Everything goes on, n8n is started anew, and the last callbacks come again, as nobody knows of an answer. */
	private async end(): Promise<void> {
		await fixture.sandbox.clearFaults();
		for (let left = this.alive(); left.length > 0; left = this.alive()) {
			const held = left.find((callback) => callback.letGo !== undefined);
			if (held === undefined) await setTimeout(1);
			else await this.letGo(held, false);
		}
		this.kills += 1;
		await this.look();
		for (const run of this.runs.keys()) {
			for (const isCompletion of [false, true]) {
				const last = { kind: 'call', run, isCompletion, isLate: false, stop: 'nowhere' } as const;
				const { answer } = await this.call(last);
				const { response } = await answer;
				if (response.status !== 200) throw new Error(`The last callback: ${response.status}`);
			}
		}
	}

	private complaints(): string[] {
		return this.runs.flatMap(({ taskId, moves }) => {
			const visited = STATUSES.slice(0, moves + 1);
			const now = visited.at(-1);
			const wanted = [...new Set(visited)].map((status) => `runStatusChanged ${status}`);
			if (now === 'finished') wanted.push('runFinished finished');
			const told = this.callbacks
				.flatMap(({ begun }) => begun)
				.filter(of(taskId))
				.map(nameOf);
			const unwanted = told.filter((name) => !wanted.includes(name));
			return [
				...unwanted.map((name) => `${taskId}: ${name} did not happen`),
				...wanted.flatMap((name) => {
					const count = told.filter((other) => other === name).length;
					const [, status] = name.split(' ');
					const happened = visited.filter((each) => each === status).length;
					const most = happened + this.killedWith(taskId, name);
					if (count > most) return [`${taskId}: ${name} was told ${count} times, at most ${most}`];
					if (count === 0 && status === now) return [`${taskId}: ${name} was not told`];
					return [];
				}),
			];
		});
	}

	/** How often n8n was killed when it had begun an execution with an event but had not answered. */
	private killedWith(taskId: string, name: string): number {
		const killed = this.callbacks.filter(
			({ process, isAnswered }) => process < this.kills && !isAnswered,
		);
		return killed
			.flatMap(({ begun }) => begun)
			.filter((event) => of(taskId)(event) && nameOf(event) === name).length;
	}
}

function of(taskId: string): (event: IDataObject) => boolean {
	return (event) => event.task_id === taskId;
}

function nameOf({ event, status }: IDataObject): string {
	return `${String(event)} ${String(status)}`;
}

it('whatever happens, each event starts the workflow, and once', async () => {
	warnings();
	const stories = fc.array(step, { minLength: 5, maxLength: 25 });
	await fc.assert(
		fc.asyncProperty(stories, async (steps) => {
			expect(await new Story().play(steps)).toEqual([]);
		}),
		attempts(40),
	);
}, 3_600_000);
