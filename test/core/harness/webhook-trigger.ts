import {
	createRunExecutionData,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeTypes,
	type IWebhookData,
	type IWorkflowBase,
	type IWorkflowExecuteAdditionalData,
	type WebhookType,
	type Workflow,
	type WorkflowActivateMode,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import {
	contextOf,
	createAdditionalData,
	HookContext,
	TriggerContext,
	type Surroundings,
} from './core-bridge';
import { createWorkflow, type Executor, type Run, type StartedRun } from './execution';
import {
	CapturedResponse,
	IncomingRequest,
	type OutsideRequest,
	type WebhookResponse,
} from './http-exchange';
import type { ExecutionStore } from './store';
import { answerWebhook, getNodeWebhooks } from './webhook-call';

export interface TriggerCall {
	response: WebhookResponse;
	/** The execution the request started, ended by now; `undefined` if the trigger let it pass. */
	run: Run | undefined;
}

interface TriggerParts {
	nodeTypes: INodeTypes;
	store: ExecutionStore;
	surroundings: Surroundings;
	executor: Executor;
	workflowData: IWorkflowBase;
	node: INode;
	/** Whether the editor listens for a test event, instead of an active workflow. */
	isTest: boolean;
}

type Method = 'checkExists' | 'create' | 'delete';

/**
 * A webhook trigger in a workflow. Each call builds the workflow anew from what is stored, as the
 * server does, and stores its static data afterwards; nothing else survives between calls.
 * While the editor listens (`isTest`), static data lives in the registration alone.
 */
export class WebhookTrigger {
	private testStaticData: IDataObject = {};

	/** What n8n does before an execution begins, with the items of the trigger. It does not begin if that fails. */
	beforeBegin: (items: INodeExecutionData[][]) => Promise<void> = async () => {};

	/** What n8n does after an execution has begun, before static data is stored and the request answered. */
	beforeAnswer: () => Promise<void> = async () => {};

	/** Whether n8n has not been killed meanwhile: a dead one stores nothing. */
	isAlive: () => boolean = () => true;

	constructor(private readonly parts: TriggerParts) {}

	/** Static data as stored. Keys: `global`, `node:<name of the node>`. */
	get staticData(): IDataObject {
		const { store, workflowData, isTest } = this.parts;
		return isTest ? this.testStaticData : store.readStaticData(workflowData.id);
	}

	/** The node, for workflows in which it stands beside others. */
	get node(): INode {
		return structuredClone(this.parts.node);
	}

	/** The URL of a webhook, by name and under the path n8n gives it. */
	url(name: WebhookType = 'default'): string {
		const { workflow, additionalData } = this.open();
		const { path } = this.find(name, workflow, additionalData);
		const base = this.parts.isTest
			? additionalData.webhookTestBaseUrl
			: additionalData.webhookBaseUrl;
		return `${base}/${path}`;
	}

	async create(name: WebhookType = 'default'): Promise<boolean> {
		return await this.callMethod('create', name, ...this.activationModes());
	}

	async delete(name: WebhookType = 'default'): Promise<boolean> {
		return await this.callMethod('delete', name, 'internal', 'update');
	}

	/**
	 * What activating the workflow does for each webhook: `checkExists`, and `create` if that says no.
	 * If one fails, n8n calls its `delete`, ignores errors of that, and rejects with the first error.
	 *
	 * @param activation why n8n does it, e.g. `init` as it starts
	 */
	async activate(activation?: WorkflowActivateMode): Promise<void> {
		for (const name of this.names()) {
			try {
				const [mode, usual] = this.activationModes();
				const modes = [mode, activation ?? usual] as const;
				if (!(await this.callMethod('checkExists', name, ...modes))) {
					await this.callMethod('create', name, ...modes);
				}
			} catch (error) {
				await this.delete(name).catch(() => undefined);
				throw error;
			}
		}
	}

	/** What an active workflow does in the one process that holds triggers. @returns what ends it */
	async listen(): Promise<() => Promise<void>> {
		const { workflow, node, additionalData } = this.open();
		const [mode, activation] = this.activationModes();
		const { trigger } = this.parts.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
		const context = new TriggerContext(workflow, node, additionalData, mode, activation);
		const response = await trigger?.call(contextOf(context));
		return async () => await response?.closeFunction?.();
	}

	async deactivate(): Promise<void> {
		for (const name of this.names()) await this.delete(name);
	}

	/** Sends a request to a webhook, by default a POST, and starts the workflow if the node says so. */
	async callWebhook(
		request: OutsideRequest = {},
		name: WebhookType = 'default',
	): Promise<TriggerCall> {
		const { executor, workflowData, isTest } = this.parts;
		const { workflow, node, additionalData } = this.open();
		const webhook = this.find(name, workflow, additionalData);
		const mode: WorkflowExecuteMode = isTest ? 'manual' : 'webhook';
		const response = new CapturedResponse();
		let started: StartedRun | undefined;
		await answerWebhook({
			workflow,
			node,
			webhook,
			additionalData,
			mode,
			data: null,
			request: new IncomingRequest(this.url(name), { method: webhook.httpMethod, ...request }),
			response,
			beforeResponse: () => {
				if (this.isAlive()) this.saveStaticData(workflow);
			},
			proceed: async (items) => {
				await this.beforeBegin(items);
				const entry = { node, data: { main: items }, source: null };
				const data = createRunExecutionData({ executionData: { nodeExecutionStack: [entry] } });
				const { staticData } = this;
				started = executor.begin({ nodeName: node.name, workflowData, staticData, data, mode });
				await this.beforeAnswer();
			},
		});
		return { response: response.read(), run: await started?.done };
	}

	private names(): WebhookType[] {
		const { nodeTypes, node } = this.parts;
		const { description } = nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
		const webhooks = description.webhooks ?? [];
		return webhooks.flatMap(({ name, restartWebhook }) => (restartWebhook === true ? [] : name));
	}

	private activationModes(): [WorkflowExecuteMode, WorkflowActivateMode] {
		return this.parts.isTest ? ['manual', 'manual'] : ['trigger', 'activate'];
	}

	private async callMethod(
		method: Method,
		name: WebhookType,
		mode: WorkflowExecuteMode,
		activation: WorkflowActivateMode,
	): Promise<boolean> {
		const { workflow, node, additionalData } = this.open();
		const webhook = this.find(name, workflow, additionalData);
		const type = workflow.nodeTypes.getByNameAndVersion(node.type, node.typeVersion);
		const run = type.webhookMethods?.[name]?.[method];
		if (run === undefined) return false;
		try {
			return await run.call(
				contextOf(new HookContext(workflow, node, additionalData, mode, activation, webhook)),
			);
		} finally {
			this.saveStaticData(workflow);
		}
	}

	private find(
		name: WebhookType,
		workflow: Workflow,
		additionalData: IWorkflowExecuteAdditionalData,
	): IWebhookData {
		const webhooks = getNodeWebhooks(workflow, this.parts.node, additionalData);
		const webhook = webhooks.find(({ webhookDescription }) => webhookDescription.name === name);
		if (webhook === undefined) throw new Error(`The node has no webhook "${name}".`);
		return this.parts.isTest ? { ...webhook, isTest: true } : webhook;
	}

	private open() {
		const { nodeTypes, surroundings, workflowData, node } = this.parts;
		const fresh: IWorkflowBase = structuredClone(workflowData);
		const workflow = createWorkflow(fresh, nodeTypes, structuredClone(this.staticData));
		const additionalData = createAdditionalData(surroundings, { workflowId: workflowData.id });
		return { workflow, node: workflow.getNode(node.name) ?? node, additionalData };
	}

	private saveStaticData({ id, staticData }: Workflow): void {
		if (staticData['__dataChanged'] !== true) return;
		if (this.parts.isTest) this.testStaticData = JSON.parse(JSON.stringify(staticData));
		else this.parts.store.saveStaticData(id, staticData);
	}
}
