import { randomUUID } from 'node:crypto';
import {
	createEmptyRunExecutionData,
	createRunExecutionData,
	NodeConnectionTypes,
	WEBHOOK_NODE_TYPE,
	Workflow,
	type ICredentialType,
	type IDataObject,
	type IExecuteData,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type IWorkflowBase,
} from 'n8n-workflow';
import {
	contextOf,
	createAdditionalData,
	ExecuteContext,
	readBinaryData,
	useBinaryStorage,
	type BinaryStorage,
	type Surroundings,
} from './core-bridge';
import { HarnessCredentials, type CredentialData } from './credentials';
import { Executor, type Run, type StartedRun } from './execution';
import type { OutsideRequest, WebhookResponse } from './http-exchange';
import { NodeMethods } from './node-methods';
import { HarnessNodeTypes } from './nodes';
import { pollOnce, type Poll, type PollResult } from './polling';
import { ExecutionStore, type StoredExecution, type WaitingRow } from './store';
import { TOOL_USER_TYPE } from './tool';
import { AT_ONCE, WaitingExecutions, type Pace } from './waiting';
import { WebhookTrigger } from './webhook-trigger';
import {
	buildNode,
	buildWorkflowData,
	countOutputs,
	START_NAME,
	type NodeOptions,
	type RunOptions,
	type WorkflowOptions,
} from './workflow-data';

export interface HarnessOptions {
	/** The node types under test by full name, e.g. `'n8n-nodes-example.example': new Example()`. */
	nodes: Record<string, INodeType>;
	credentialTypes?: Record<string, ICredentialType>;
	/** Credentials every node gets unless the call says otherwise. */
	credentials?: CredentialData;
	/** Origin of the pretended n8n; default `https://n8n.example.com`. */
	origin?: string;
	/** Where binary data goes; default `inline`. */
	binaryData?: BinaryStorage;
}

export interface Callback {
	response: WebhookResponse;
	/** The execution the request resumed, ended by now or waiting again; else `undefined`. */
	run: Run | undefined;
}

export type PollOptions = NodeOptions & Poll;

type ExecutionReference = Pick<Run, 'executionId'>;

export function toItems(...objects: IDataObject[]): INodeExecutionData[] {
	return objects.map((json) => ({ json }));
}

/** An n8n of the real n8n-core. Simulated is what the server adds: storing and resuming executions, answering webhooks, decrypting credentials. */
export class Harness {
	readonly credentials: HarnessCredentials;
	/** How long this n8n takes for requests to resume URLs. */
	readonly pace: Pace = { ...AT_ONCE };
	readonly readBinary = readBinaryData;
	private readonly nodeTypes: HarnessNodeTypes;
	private readonly store = new ExecutionStore();
	private readonly surroundings: Surroundings;
	private readonly executor: Executor;
	private readonly waiting: WaitingExecutions;
	private readonly storage: BinaryStorage;

	constructor(private readonly options: HarnessOptions) {
		this.nodeTypes = new HarnessNodeTypes(options.nodes);
		this.credentials = new HarnessCredentials(options.credentialTypes ?? {});
		const { origin = 'https://n8n.example.com', binaryData = 'inline' } = options;
		this.surroundings = { origin, credentials: this.credentials };
		this.storage = binaryData;
		const { nodeTypes, store, surroundings, pace } = this;
		this.executor = new Executor(nodeTypes, store, surroundings);
		this.waiting = new WaitingExecutions(nodeTypes, store, surroundings, this.executor, pace);
	}

	/** Runs Start -> node -> one sink per output, until it has ended or waits. For an error of the node see `Run.status` and `Run.error`. */
	async run(options: RunOptions): Promise<Run> {
		const { done } = await this.start(options);
		return await done;
	}

	/** Starts the same and returns at once, for aborting it or calling it back while it runs. */
	async start(options: RunOptions): Promise<StartedRun> {
		const { workflowData, node } = this.build(options, options.alone !== true);
		const start = workflowData.nodes.find(({ name }) => name === START_NAME);
		const { responseMode } = options;
		if (start !== undefined && responseMode !== undefined) {
			Object.assign(start, { type: WEBHOOK_NODE_TYPE, parameters: { responseMode } });
		}
		return await this.launch(workflowData, node, options);
	}

	/** Invokes the node as a tool for each item, as agents up to version 2 do. The run is the agent's, with items `{ answer }` and the tool's error. */
	async runAsTool(options: RunOptions): Promise<Run> {
		const user = { nodeType: TOOL_USER_TYPE, name: 'Tool User', credentials: {} };
		const { workflowData, node: agent } = this.build(user, true);
		const nodeType = `${options.nodeType}Tool`;
		const { node: tool } = this.build({ ...options, nodeType }, false);
		tool.id = 'tool';
		workflowData.nodes.push(tool);
		const type = NodeConnectionTypes.AiTool;
		workflowData.connections[tool.name] = { [type]: [[{ node: agent.name, type, index: 0 }]] };
		const { done } = await this.launch(workflowData, agent, options);
		return await done;
	}

	/** Carries the node out as n8n's module Agents does, without an execution (`EphemeralNodeExecutor`). @returns its items @throws what it throws */
	async runForAgent(options: RunOptions): Promise<INodeExecutionData[]> {
		await useBinaryStorage(this.storage);
		const nodeType = `${options.nodeType}Tool`;
		const { node } = this.build({ ...options, id: randomUUID(), nodeType }, false);
		const { nodeTypes } = this;
		const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
		const items = structuredClone(options.items ?? [{ json: {} }]);
		const input = { main: [items] };
		const context = new ExecuteContext(
			workflow,
			node,
			createAdditionalData(this.surroundings, {}),
			'internal',
			createEmptyRunExecutionData(),
			0,
			items,
			input,
			{ node, data: input, source: null },
			[],
		);
		const { execute } = nodeTypes.getByName(nodeType);
		const outputs = await execute?.call(contextOf(context));
		return Array.isArray(outputs) ? (outputs[0] ?? []) : [];
	}

	/** Sends a request, by default a POST, to any URL below `/webhook-waiting/`, such as one a node gave to a service. */
	async receive(url: string, request: OutsideRequest = {}): Promise<Callback> {
		await useBinaryStorage(this.storage);
		const { response, resumed } = await this.waiting.receive(url, request);
		return { response, run: await resumed?.done };
	}

	/** Lets the time limit of a waiting execution pass, whenever it is. */
	async resumeByTimeout({ executionId }: ExecutionReference): Promise<Run> {
		await useBinaryStorage(this.storage);
		const resumed = await this.waiting.resumeAtLimit(executionId);
		return await resumed.done;
	}

	/** What "Retry" in the list of executions does, with the workflow as it was then. */
	async retry({ executionId }: ExecutionReference): Promise<Run> {
		await useBinaryStorage(this.storage);
		return await this.waiting.retry(executionId).done;
	}

	/** n8n dies and starts again: what is under way is marked `crashed`, and only what was stored is left. Variables of modules are not reset. */
	restart(): void {
		this.store.markCrashed();
		this.executor.stopAll();
	}

	endWaiting({ executionId }: ExecutionReference, how: Parameters<ExecutionStore['end']>[1]): void {
		this.store.end(executionId, how);
	}

	/** Takes over an execution that fell asleep elsewhere. Its credentials are the harness's own. */
	takeWaiting(row: WaitingRow): void {
		this.credentials.store(this.options.credentials ?? {});
		this.store.take(row);
	}

	statusOf({ executionId }: ExecutionReference) {
		return this.store.statusOf(executionId);
	}

	stored({ executionId }: ExecutionReference): StoredExecution {
		const execution = this.store.read(executionId);
		if (execution === undefined) throw new Error(`There is no execution ${executionId}.`);
		return execution;
	}

	/** The static data of a workflow as it is stored. Keys: `global`, `node:<name of the node>`. */
	staticData(workflowId = 'workflow-1'): IDataObject {
		return this.store.readStaticData(workflowId);
	}

	/** Stores static data for a workflow, as importing a workflow through n8n's public API does. */
	importStaticData(data: IDataObject, workflowId = 'workflow-1'): void {
		this.store.saveStaticData(workflowId, data);
	}

	/** Another address of this n8n from now on, as `WEBHOOK_URL` gives it after a restart. */
	moveTo(origin: string): void {
		this.surroundings.origin = origin;
	}

	/** A webhook trigger in a workflow; `isTest`: the editor listens, instead of an active workflow. */
	hooks({ isTest = false, ...options }: NodeOptions & { isTest?: boolean }): WebhookTrigger {
		const { nodeTypes, store, surroundings, executor } = this;
		const built = this.build(options, false);
		return new WebhookTrigger({ nodeTypes, store, surroundings, executor, isTest, ...built });
	}

	async poll(options: PollOptions): Promise<PollResult> {
		await useBinaryStorage(this.storage);
		const { workflowData, node } = this.build(options, false);
		return await pollOnce(this.nodeTypes, this.surroundings, workflowData, node.name, options);
	}

	methods({ parameters = {}, ...options }: NodeOptions): NodeMethods {
		const { node } = this.build(options, false);
		return new NodeMethods(this.nodeTypes, this.surroundings, node, parameters);
	}

	private async launch(
		workflowData: IWorkflowBase,
		node: INode,
		options: RunOptions,
	): Promise<StartedRun> {
		await useBinaryStorage(this.storage);
		const mode = options.mode ?? 'trigger';
		const staticData = this.store.readStaticData(workflowData.id);
		workflowData.staticData = structuredClone(staticData);
		const entry: IExecuteData = {
			node: workflowData.nodes.find(({ name }) => name === START_NAME) ?? node,
			data: { main: [structuredClone(options.items ?? [{ json: {} }])] },
			source: null,
		};
		const data = createRunExecutionData({ executionData: { nodeExecutionStack: [entry] } });
		const signal = options.signal && { signal: options.signal };
		const begun = { nodeName: node.name, workflowData, staticData, data, mode, ...signal };
		return this.executor.begin(begun);
	}

	private build(options: WorkflowOptions, withStart: boolean) {
		const { nodeType, credentials = this.options.credentials ?? {} } = options;
		const type = this.nodeTypes.getByName(nodeType);
		const node = buildNode(options, type, this.credentials.store(credentials));
		const outputs = countOutputs(type, node.onError);
		return { workflowData: buildWorkflowData(options, node, outputs, withStart), node };
	}
}
