import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Execution, isOver, readSummary, type ExecutionSummary } from './execution';
import { isRecord, textOf } from './json';
import { N8nError, Session, type Owner } from './session';
import { waitUntil } from './waitUntil';
import type { WorkflowDefinition } from './workflow';

export interface Credential {
	credentialId: string;
	name: string;
	type: string;
}

/** A workflow as n8n keeps it. */
export interface StoredWorkflow {
	workflowId: string;
	versionId: string;
	definition: WorkflowDefinition;
}

/** What a node's editor asks the server to look up. */
export interface ParameterLookup {
	/** Type of the node, for example `n8n-nodes-base.httpRequest`. */
	nodeType: string;
	nodeVersion?: number;
	/** The method of the node that looks it up. */
	method: string;
	/** The parameter that asks, for example `botId`. */
	parameter: string;
	/** The node's parameters at this moment. */
	parameters: Record<string, unknown>;
	credential?: Credential;
}

/** Each answer about an execution holds all of its data, so that asking more often would slow n8n down. */
const pollInterval = 250;
/** How long n8n may take from storing a status to storing the data that belongs to it. */
const storingLimit = 2_000;
const defaultLimit = 60_000;

/** What a user does in the editor, as calls of n8n's internal REST interface. Works for both generations of n8n. */
export class N8nClient {
	constructor(readonly session: Session) {}

	/** Logs in at a running n8n; on a new one the owner is set up first. */
	static async signIn(url: string, owner?: Owner): Promise<N8nClient> {
		return new N8nClient(await Session.signIn(url, owner));
	}

	/** Sends any request below `/rest`, for what has no method here. */
	async request(method: string, address: string, body?: object): Promise<unknown> {
		return await this.session.request(method, address, body);
	}

	async createCredential(
		name: string,
		type: string,
		data: Record<string, unknown>,
	): Promise<Credential> {
		const answer = await this.session.request('POST', '/credentials', { name, type, data });
		return { credentialId: textOf(answer, 'id'), name, type };
	}

	/** Saves other data in a credential. */
	async updateCredential(credential: Credential, data: Record<string, unknown>): Promise<void> {
		const { credentialId, name, type } = credential;
		await this.session.request('PATCH', `/credentials/${credentialId}`, { name, type, data });
	}

	/** Runs a credential's test, as the editor does when it is saved. */
	async testCredential(
		credential: Credential,
		data: Record<string, unknown>,
	): Promise<{ isOk: boolean; message: string }> {
		const { credentialId: id, name, type } = credential;
		const answer = await this.session.request('POST', '/credentials/test', {
			credentials: { id, name, type, data },
		});
		return { isOk: textOf(answer, 'status') === 'OK', message: textOf(answer, 'message') };
	}

	/** A key for n8n's public API, with every permission that the user has. */
	async createApiKey(label: string): Promise<string> {
		const scopes = await this.session.request('GET', '/api-keys/scopes');
		const answer = await this.session.request('POST', '/api-keys', {
			label,
			scopes,
			expiresAt: null,
		});
		return textOf(answer, 'rawApiKey');
	}

	async createWorkflow(definition: WorkflowDefinition): Promise<StoredWorkflow> {
		return readWorkflow(
			await this.session.request('POST', '/workflows', {
				settings: { executionOrder: 'v1' },
				...definition,
				active: false,
			}),
			definition,
		);
	}

	/** Saves a new definition of a workflow. On n8n 2 an active workflow keeps running the old one until activated again. */
	async updateWorkflow(
		workflow: StoredWorkflow,
		definition: WorkflowDefinition,
	): Promise<StoredWorkflow> {
		const { workflowId, versionId } = await this.readWorkflow(workflow);
		return readWorkflow(
			await this.session.request('PATCH', `/workflows/${workflowId}`, {
				settings: { executionOrder: 'v1' },
				...definition,
				versionId,
			}),
			definition,
		);
	}

	/** Publishes a workflow, and waits until its triggers work. Throws with their errors when they cannot be activated. */
	async activate(workflow: StoredWorkflow): Promise<void> {
		const { workflowId, versionId } = await this.readWorkflow(workflow);
		await this.session.request('POST', `/workflows/${workflowId}/activate`, { versionId });
		await this.waitForPublication(workflowId);
	}

	/** Stores a workflow and publishes it. */
	async publish(definition: WorkflowDefinition): Promise<StoredWorkflow> {
		const workflow = await this.createWorkflow(definition);
		await this.activate(workflow);
		return workflow;
	}

	/** Takes a workflow back, and waits until its triggers are gone. */
	async deactivate(workflow: StoredWorkflow): Promise<void> {
		const { workflowId } = workflow;
		await this.session.request('POST', `/workflows/${workflowId}/deactivate`, {});
		await this.waitForPublication(workflowId);
	}

	/** The static data that the workflow's nodes left. */
	async staticData(workflow: StoredWorkflow): Promise<Record<string, unknown>> {
		const answer = await this.session.request('GET', `/workflows/${workflow.workflowId}`);
		return isRecord(answer) && isRecord(answer.staticData) ? answer.staticData : {};
	}

	/**
	 * "Execute workflow", or with a destination "Execute step", in the editor. Answers with the execution's ID; undefined when
	 * n8n now listens for a test event instead.
	 */
	async runManually(
		workflow: StoredWorkflow,
		options: { trigger?: string; destination?: string; pushRef?: string } = {},
	): Promise<string | undefined> {
		const { trigger, destination, pushRef = randomUUID() } = options;
		const workflowData = { ...workflow.definition, id: workflow.workflowId, active: false };
		const destinationNode = { nodeName: destination, mode: 'inclusive' };
		const answer = await this.session.request(
			'POST',
			`/workflows/${workflow.workflowId}/run`,
			{
				workflowData,
				...(trigger === undefined ? {} : { triggerToStartFrom: { name: trigger } }),
				...(destination === undefined ? {} : { destinationNode }),
			},
			{ 'push-ref': pushRef },
		);
		return isRecord(answer) && typeof answer.executionId === 'string'
			? answer.executionId
			: undefined;
	}

	async execution(executionId: string): Promise<Execution> {
		const end = Date.now() + storingLimit;
		for (;;) {
			const answer = await this.session.request('GET', `/executions/${executionId}`);
			const execution = new Execution(answer);
			if (execution.isConsistent || Date.now() > end) return execution;
			await sleep(pollInterval);
		}
	}

	/**
	 * The newest executions of a workflow, newest first, at most 100. n8n reads those that run apart from
	 * those that have ended, and shows one that ends meanwhile in both (1.123 and 2.41:
	 * `findLatestCurrentAndCompleted` in executions/execution.service.js): it counts once, as ended.
	 */
	async executions(workflow: StoredWorkflow): Promise<ExecutionSummary[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId: workflow.workflowId }));
		const answer = await this.session.request('GET', `/executions?limit=100&filter=${filter}`);
		const results = isRecord(answer) && Array.isArray(answer.results) ? answer.results : [];
		const byId = results.map(readSummary).map((summary) => [summary.executionId, summary] as const);
		return [...new Map(byId).values()];
	}

	/** How many executions have one of these statuses, of one workflow or of all; any status where none is named. */
	async countExecutions(
		status: string[],
		{ workflowId }: Partial<StoredWorkflow> = {},
	): Promise<number> {
		const wanted = { workflowId, status: status.length > 0 ? status : undefined };
		const filter = encodeURIComponent(JSON.stringify(wanted));
		const answer = await this.session.request('GET', `/executions?limit=1&filter=${filter}`);
		if (isRecord(answer) && typeof answer.count === 'number' && answer.count >= 0) {
			return answer.count;
		}
		throw new Error(`n8n does not count executions: ${JSON.stringify(answer)}`);
	}

	/** Waits until so many executions of a workflow have a status; n8n may be too busy to answer for a while. */
	async untilCounted(
		workflow: StoredWorkflow,
		status: string,
		count: number,
		interval = pollInterval,
	): Promise<void> {
		let found = 0;
		await waitUntil(
			async () => {
				found = await this.countExecutions([status], workflow).catch(() => found);
				return found >= count || undefined;
			},
			{
				timeout: 600_000,
				interval,
				describe: () => `${found} of ${count} executions are ${status} after ten minutes`,
			},
		);
	}

	/** Stops an execution, running or waiting. */
	async stopExecution(executionId: string): Promise<void> {
		await this.session.request('POST', `/executions/${executionId}/stop`);
	}

	/**
	 * "Retry" in the list of executions, with the workflow as it was then. n8n cannot where it has thrown the execution's data away.
	 *
	 * @returns the ID of the new execution
	 */
	async retryExecution(executionId: string): Promise<string> {
		const answer = await this.session.request('POST', `/executions/${executionId}/retry`, {
			loadWorkflow: false,
		});
		return textOf(answer, 'id');
	}

	/** Waits until an execution fits, by default until it is over. Throws after the time limit in milliseconds. */
	async waitForExecution(
		executionId: string,
		options: { until?: (execution: Execution) => boolean; timeout?: number } = {},
	): Promise<Execution> {
		const { until = (execution) => execution.isOver, timeout = defaultLimit } = options;
		let last: Execution | undefined;
		return await waitUntil(
			async () => {
				last = await this.execution(executionId);
				return until(last) ? last : undefined;
			},
			{
				timeout,
				interval: pollInterval,
				describe: () =>
					`Execution ${executionId} is ${last?.status} after ${timeout / 1_000} s (last node: ${last?.lastNode}, failure: ${last?.failure?.message})`,
			},
		);
	}

	/** Waits until a workflow has this many executions that fit, by default that are over; answers with them. */
	async waitForExecutions(
		workflow: StoredWorkflow,
		count: number,
		options: { until?: (execution: ExecutionSummary) => boolean; timeout?: number } = {},
	): Promise<ExecutionSummary[]> {
		const { until = (execution) => isOver(execution.status), timeout = defaultLimit } = options;
		let seen: ExecutionSummary[] = [];
		return await waitUntil(
			async () => {
				seen = await this.executions(workflow);
				const fitting = seen.filter(until);
				return fitting.length >= count ? fitting : undefined;
			},
			{
				timeout,
				interval: pollInterval,
				describe: () =>
					`Expected ${count} executions; after ${timeout / 1_000} s there are: ${seen.map((execution) => execution.status).join(', ') || 'none'}`,
			},
		);
	}

	/** The fields of a resource mapper. */
	async resourceMapperFields(lookup: ParameterLookup): Promise<Array<Record<string, unknown>>> {
		const { credential } = lookup;
		const answer = await this.session.request(
			'POST',
			'/dynamic-node-parameters/resource-mapper-fields',
			{
				path: `parameters.${lookup.parameter}`,
				methodName: lookup.method,
				nodeTypeAndVersion: { name: lookup.nodeType, version: lookup.nodeVersion ?? 1 },
				currentNodeParameters: lookup.parameters,
				...(credential !== undefined && {
					credentials: {
						[credential.type]: { id: credential.credentialId, name: credential.name },
					},
				}),
			},
		);
		return isRecord(answer) && Array.isArray(answer.fields) ? answer.fields.filter(isRecord) : [];
	}

	/** n8n 2 publishes in the background and tells how far it is; n8n 1 is done when it answers. */
	private async waitForPublication(workflowId: string): Promise<void> {
		const publication = await waitUntil(
			async () => {
				const answer = await this.session
					.request('GET', `/workflows/${workflowId}/publication-status`)
					.catch((error: unknown) => {
						if (error instanceof N8nError && error.httpStatus === 404) return undefined;
						throw error;
					});
				const status = isRecord(answer) ? answer.status : 'published';
				return status === 'in_progress' ? undefined : { status, answer };
			},
			{
				timeout: defaultLimit,
				interval: pollInterval,
				describe: () => `Workflow ${workflowId} is still being published after a minute`,
			},
		);
		const { status, answer } = publication;
		if (status !== 'failed' && status !== 'partial') return;
		const triggers: unknown[] =
			isRecord(answer) && Array.isArray(answer.triggers) ? answer.triggers : [];
		const errors = triggers.flatMap((trigger) =>
			isRecord(trigger) && typeof trigger.errorMessage === 'string' ? [trigger.errorMessage] : [],
		);
		throw new Error(`The workflow could not be activated: ${errors.join('; ')}`);
	}

	/** Reads the version that n8n has stored last. */
	private async readWorkflow(workflow: StoredWorkflow): Promise<StoredWorkflow> {
		const answer = await this.session.request('GET', `/workflows/${workflow.workflowId}`);
		return readWorkflow(answer, workflow.definition);
	}
}

function readWorkflow(answer: unknown, definition: WorkflowDefinition): StoredWorkflow {
	return {
		workflowId: textOf(answer, 'id'),
		versionId: textOf(answer, 'versionId'),
		definition,
	};
}
