import { EventEmitter, once } from 'node:events';

import { Logger } from '@n8n/backend-common';
import * as workflow from 'n8n-workflow';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { type BrowserAutomationTrigger } from '../../nodes/BrowserAutomation/BrowserAutomationTrigger.node';
import { END_EVENTS } from '../../nodes/BrowserAutomation/service/events/runEvents';
import type { NodeOptions, PollOptions, RunOptions } from '../core/harness';
import type { TriggerCall, WebhookTrigger } from '../core/harness';
import { actionNode, chosen, Fixture, POLLING_TRIGGER, RUNS_GO_ON, TRIGGER } from '../fixture';

/** The same trigger in an n8n that was started anew: it remembers nothing but what was stored. */
const restartedType = (restart: number): string => `restarted${restart}.browserAutomationTrigger`;

/** An address of n8n on this machine where nobody listens: callbacks come from the tests alone. */
export const ORIGIN = 'http://127.0.0.1:1';

/** The trigger starts a run itself. */
export const OWN = {
	source: 'own',
	start: 'bot',
	botId: chosen('1001'),
	inputMode: 'json',
	input: '{ "keyword": "lamp" }',
};

/** A refusal that is not worth trying again. */
export const REFUSAL = { kind: 'envelopeError', code: 99001, msg: 'no' } as const;

/** The service does not know the run. */
export const UNKNOWN = { kind: 'envelopeError', code: 10112, msg: 'no such run' } as const;

type NodeSetup = Partial<NodeOptions>;

/** A fixture for both triggers, whose runs go on until the test moves them. */
export class TriggerFixture extends Fixture {
	private workflows = 0;
	private readonly polled = new WeakMap<object, string>();

	/** @param restarts how often n8n can be started anew */
	constructor(restarts = 1) {
		const types = Array.from({ length: restarts }, (_, index) => restartedType(index + 1));
		super({
			service: RUNS_GO_ON,
			n8n: { origin: ORIGIN, nodes: Object.fromEntries(types.map((type) => [type, anew()])) },
		});
	}

	/** The ID of a workflow that no other test has. */
	newWorkflowId(): string {
		return `workflow-${++this.workflows}`;
	}

	/** The trigger, by default in a workflow of its own, listening to the ends of runs. */
	trigger(
		parameters: INodeParameters = {},
		{ isTest = false, ...setup }: NodeSetup & { isTest?: boolean } = {},
	): WebhookTrigger {
		return this.harness.hooks({
			nodeType: TRIGGER,
			workflowId: this.newWorkflowId(),
			name: 'Trigger',
			...setup,
			isTest,
			parameters: { source: 'elsewhere', events: [...END_EVENTS], ...parameters },
		});
	}

	/** The trigger of a workflow after a restart of n8n, or several. */
	restartedTrigger(
		parameters: INodeParameters,
		setup: NodeSetup & { isTest?: boolean },
		restarts = 1,
	): WebhookTrigger {
		return this.trigger(parameters, { nodeType: restartedType(restarts), ...setup });
	}

	/** The input form that the editor shows for the trigger, as the names of its fields. */
	async formOf(parameters: INodeParameters): Promise<string[]> {
		const methods = this.harness.methods({ nodeType: TRIGGER, parameters });
		const { fields } = await methods.resourceMapping('getInputFields');
		return fields.map(({ id }) => id);
	}

	/** Polls once, for a workflow of its own for each static data. */
	async poll(parameters: INodeParameters = {}, setup: Omit<PollOptions, 'nodeType'> = {}) {
		const { keep = {} } = setup;
		const workflowId = this.polled.get(keep) ?? this.newWorkflowId();
		this.polled.set(keep, workflowId);
		return await this.harness.poll({
			nodeType: POLLING_TRIGGER,
			workflowId,
			...setup,
			parameters: { events: ['runStarted', 'runStatusChanged', ...END_EVENTS], ...parameters },
		});
	}

	/** Starts a bot with the action node, which notifies a trigger of its workflow. */
	async runAndNotify(parameters: INodeParameters = {}, setup: Partial<RunOptions> = {}) {
		const { botId, inputMode, input } = OWN;
		const notifying = { waitForCompletion: 'none', notify: 'trigger', ...parameters };
		const bot = { botId, inputMode, input, ...notifying };
		return await this.harness.run(actionNode('bot', 'run', bot, setup));
	}

	/** A run in the service that nobody is notified of. */
	async seedRun(status: 'running' | 'paused' | 'finished' | 'failed' = 'finished') {
		const { taskIds } = await this.sandbox.seedRuns({ count: 1, statuses: [status] });
		return taskIds[0] ?? '';
	}

	async latestRun(): Promise<string> {
		return (await this.sandbox.runs()).at(-1)?.taskId ?? '';
	}

	/** How many reads of runs the service has got since `sandbox.clearRequests()`. */
	async reads(): Promise<number> {
		return (await this.sandbox.requests({ method: 'GET' })).length;
	}
}

/** A callback as anybody may send it. */
export async function callBack(
	trigger: WebhookTrigger,
	body: object | string,
	name: 'default' | 'setup' = 'default',
): Promise<TriggerCall> {
	return await trigger.callWebhook({ body }, name);
}

/** A place at which something stops until it is let go. */
export class Stop {
	private readonly steps = new EventEmitter();

	readonly isReached = once(this.steps, 'reached');

	private readonly isLetGo = once(this.steps, 'let go');

	/** @throws the error that it is let go with, if any */
	async wait(): Promise<void> {
		this.steps.emit('reached');
		const [error]: unknown[] = await this.isLetGo;
		if (error !== undefined) throw error;
	}

	letGo(error?: Error): void {
		this.steps.emit('let go', error);
	}
}

/** Has n8n stop before it begins an execution for the trigger's next callback. */
export function hold(trigger: WebhookTrigger): Stop {
	const stop = new Stop();
	trigger.beforeBegin = async () => {
		trigger.beforeBegin = async () => {};
		await stop.wait();
	};
	return stop;
}

/** The items that a callback has started the workflow with; undefined when it has not. */
export function startedWith({ run }: TriggerCall): IDataObject[] | undefined {
	return run?.outputs[0]?.map(({ json }) => json);
}

/** What n8n's log is warned of from now on. */
export function warnings(): string[] {
	const lines: string[] = [];
	jest.spyOn(Logger.prototype, 'warn').mockImplementation((line) => void lines.push(line));
	return lines;
}

function anew(): BrowserAutomationTrigger {
	let fresh: BrowserAutomationTrigger | undefined;
	jest.isolateModules(() => {
		// All nodes of an n8n have this of it in common.
		jest.doMock('n8n-workflow', () => workflow);
		const module: { BrowserAutomationTrigger: typeof BrowserAutomationTrigger } =
			jest.requireActual('../../nodes/BrowserAutomation/BrowserAutomationTrigger.node');
		fresh = new module.BrowserAutomationTrigger();
	});
	if (fresh === undefined) throw new Error('The trigger could not be loaded');
	return fresh;
}
