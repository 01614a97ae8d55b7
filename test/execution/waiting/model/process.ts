import { join } from 'node:path';
import { buildSync, stop } from 'esbuild';
import type { IExecuteFunctions, IHttpRequestOptions, INodeExecutionData } from 'n8n-workflow';
import type { INodeType, IWebhookFunctions, IWebhookResponseData, Logger } from 'n8n-workflow';

import type { remember } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspensions';
import { Executor } from '../../../core/harness/execution';
import { HarnessNodeTypes } from '../../../core/harness/nodes';
import type { Executions } from '../../../core/harness/store';
import { ACTION } from '../../../fixture/nodeTypes';
import { asleepWith } from '../ledgerOf';
import type { N8n } from './n8n';
import { otherNodes } from './workflows';

type Action = INodeType & {
	execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]>;
	webhook(this: IWebhookFunctions): Promise<IWebhookResponseData>;
};

interface Bundle {
	BrowserAutomation: new () => Action;
	remember: typeof remember;
}

/** A process of n8n: memory of its own, which is gone when it dies. A dead process gets no further than its next pause or effect on the world outside. */
export class Process {
	isAlive = true;
	readonly died: Promise<void>;
	readonly executor: Executor;
	readonly nodeTypes: HarnessNodeTypes;
	/** The store, as far as this process is alive. */
	readonly store: Executions;
	/** Executions that it has stored as waiting and is not done with, and when it began to store them. */
	readonly suspending = new Map<string, number>();
	private end: () => void = () => undefined;

	constructor(
		readonly name: string,
		/** Its place in the deployment, which stays the same when it is started again. */
		readonly place: number,
		private readonly outside: N8n,
	) {
		const { store, surroundings } = outside;
		this.died = new Promise((resolve) => (this.end = resolve));
		this.nodeTypes = new HarnessNodeTypes({
			...otherNodes(this, (deed) => outside.deeds.push(deed)),
			[ACTION]: this.waitingNode(),
		});
		this.store = {
			create: (execution) => store.create(execution),
			read: (executionId) => {
				const execution = store.read(executionId);
				if (execution?.data !== undefined) outside.onRead(executionId, execution.data);
				return execution;
			},
			statusOf: (executionId) => store.statusOf(executionId),
			readStaticData: (workflowId) => store.readStaticData(workflowId),
			saveStaticData: () => undefined,
			claim: async (executionId, data) => {
				const leave = await outside.enter(executionId);
				return await this.effect('claim', () => {
					const isTaken = store.claim(executionId, data);
					if (isTaken) outside.onClaim(this, executionId, data, leave);
					else leave();
					return isTaken;
				});
			},
			finish: async (executionId, end) => {
				const begun = Date.now();
				await this.pass(outside.storingTime());
				await this.effect(`store ${end.status}`, () => {
					if (outside.stores()) store.finish(executionId, end);
					outside.onStored(executionId);
					if (end.status === 'waiting') this.suspending.set(executionId, begun);
				});
				await this.pass(outside.storingTime());
				setTimeout(() => {
					this.suspending.delete(executionId);
					outside.onDone(executionId);
				});
			},
		};
		this.executor = new Executor(this.nodeTypes, this.store, surroundings);
	}

	/** Ends the process at once, as SIGKILL does. */
	kill(): void {
		this.isAlive = false;
		this.end();
	}

	async pass(milliseconds: number): Promise<void> {
		await new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
		await this.liveOn();
	}

	/** Does something that the world outside notices. */
	async effect<T>(what: string, act: () => T): Promise<T> {
		await this.liveOn();
		this.outside.beforeEffect(this, what);
		await this.liveOn();
		const result = act();
		this.outside.afterEffect(this);
		await this.liveOn();
		return result;
	}

	/** Never returns in a dead process. */
	private async liveOn(): Promise<void> {
		if (!this.isAlive) await new Promise(() => undefined);
	}

	/** The waiting node, which is loaded when the process needs it, with memory of the process's own. */
	private waitingNode(): INodeType {
		const load = (): Action =>
			(loaded ??= loadFresh(async (time) => await this.pass(time), this.outside.story.others));
		let loaded: Action | undefined;
		const send = async (options: IHttpRequestOptions): Promise<unknown> =>
			await this.outside.send(this, options);
		const log = (text: string): void => this.outside.onLog(this, text);
		const logger: Logger = { debug: () => undefined, info: log, warn: log, error: log };
		const rewire = (context: IExecuteFunctions | IWebhookFunctions): void => {
			Object.defineProperty(context, 'logger', { value: logger });
			const { helpers } = context;
			helpers.httpRequest = send;
			helpers.httpRequestWithAuthentication = async (_type, options) => await send(options);
		};
		return {
			...template,
			async execute(this: IExecuteFunctions) {
				rewire(this);
				return await load().execute.call(this);
			},
			async webhook(this: IWebhookFunctions) {
				rewire(this);
				return await load().webhook.call(this);
			},
		};
	}
}

const workflow: object = jest.requireActual('n8n-workflow');

const ROOT = join(__dirname, '../../../..');

/** The node in one file, with its memory, which is loaded for each process much sooner than its modules. */
const BUNDLE = join(ROOT, `node_modules/.cache/model/node${process.env['JEST_WORKER_ID']}.js`);

const SUSPENDING_NODES = './execution/waiting/suspension/suspensions';

buildSync({
	stdin: {
		contents: `export * from './BrowserAutomation.node'; export * from '${SUSPENDING_NODES}';`,
		resolveDir: join(ROOT, 'nodes/BrowserAutomation'),
	},
	bundle: true,
	platform: 'node',
	target: 'node20',
	external: ['n8n-workflow'],
	sourcemap: 'inline',
	outfile: BUNDLE,
});
void stop();

/** What n8n reads of the node without carrying it out: the same in all processes. */
const template = loadFresh(async () => undefined);

/** Loads the node anew, with everything in its modules' memory, where so many other executions sleep for good. */
function loadFresh(sleep: (milliseconds: number) => Promise<void>, others = 0): Action {
	let node: Action | undefined;
	jest.isolateModules(() => {
		jest.doMock('n8n-workflow', () => ({ ...workflow, sleep }));
		const bundle = jest.requireActual<Bundle>(BUNDLE);
		jest.dontMock('n8n-workflow');
		node = new bundle.BrowserAutomation();
		for (let other = 0; other < others; other++) {
			const id = `other ${other}`;
			const called = [{ taskId: id, status: 'running' as const }];
			const asleep = { resumeUrl: '', timerAt: Infinity };
			const ledger = asleepWith(called, { executionId: id, deadline: Infinity }, asleep);
			bundle.remember(ledger, { account: '', isProduction: true, ready: Promise.resolve() });
		}
	});
	if (node === undefined) throw new Error('The node could not be loaded');
	return node;
}
