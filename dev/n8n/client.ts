import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Execution, isOver, readSummary, type ExecutionSummary } from './execution';
import { isRecord, textOf } from './json';
import { N8nError, Session } from './session';
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
	definition: WorkflowDefinition;
}

/** What a node's editor asks the server to look up. */
export interface ParameterLookup {
	/** Type of the node, for example `n8n-nodes-base.httpRequest`. */
	nodeType: string;
	/** The method of the node that looks it up. */
	method: string;
	/** The parameter that asks, for example `botId`. */
	parameter: string;
	/** The node's parameters at this moment. */
	parameters: Record<string, unknown>;
	credential: Credential;
}

/** Each answer about an execution holds all of its data, so that asking more often would slow n8n down. */
const pollInterval = 250;
const longestInterval = 2_500;
/** How long n8n may take from storing a status to storing the data that belongs to it. */
const storingLimit = 30_000;
const defaultLimit = 60_000;

/** What a user does in the editor, as calls of n8n's internal REST interface. Works for both generations of n8n. */
export class N8nClient {
	constructor(readonly session: Session) {}

	/** Logs in at a running n8n; on a new one the owner is set up first. */
	static async signIn(url: string): Promise<N8nClient> {
		return new N8nClient(await Session.signIn(url));
	}

	/** Sends any request below `/rest`, for what has no method here. */
	async request(...given: Parameters<Session['request']>): Promise<unknown> {
		return await this.session.request(...given);
	}

	async createCredential(
		name: string,
		type: string,
		data: Record<string, unknown>,
	): Promise<Credential> {
		const answer = await this.request('POST', '/credentials', { name, type, data });
		return { credentialId: textOf(answer, 'id'), name, type };
	}

	/** Saves other data in a credential. */
	async updateCredential(credential: Credential, data: Record<string, unknown>): Promise<void> {
		const { credentialId, name, type } = credential;
		await this.request('PATCH', `/credentials/${credentialId}`, { name, type, data });
	}

	/** Runs a credential's test, as the editor does when it is saved. */
	async testCredential(
		credential: Credential,
		data: Record<string, unknown>,
	): Promise<{ isOk: boolean; message: string }> {
		const { credentialId: id, name, type } = credential;
		const answer = await this.request('POST', '/credentials/test', {
			credentials: { id, name, type, data },
		});
		return { isOk: textOf(answer, 'status') === 'OK', message: textOf(answer, 'message') };
	}

	/** A key for n8n's public API, with every permission that the user has. */
	async createApiKey(label: string): Promise<string> {
		const scopes = await this.request('GET', '/api-keys/scopes');
		const answer = await this.request('POST', '/api-keys', { label, scopes, expiresAt: null });
		return textOf(answer, 'rawApiKey');
	}

	async createWorkflow(definition: WorkflowDefinition): Promise<StoredWorkflow> {
		const settings = { executionOrder: 'v1' };
		const given = { settings, ...definition, active: false };
		return {
			workflowId: textOf(await this.request('POST', '/workflows', given), 'id'),
			definition,
		};
	}

	/** Saves a new definition of a workflow. On n8n 2 an active workflow keeps running the old one until activated again. */
	async updateWorkflow(
		{ workflowId }: StoredWorkflow,
		definition: WorkflowDefinition,
	): Promise<StoredWorkflow> {
		const versionId = await this.versionOf(workflowId);
		const given = { settings: { executionOrder: 'v1' }, ...definition, versionId };
		await this.request('PATCH', `/workflows/${workflowId}`, given);
		return { workflowId, definition };
	}

	/** Publishes a workflow, and waits until its triggers work. Throws with their errors when they cannot be activated. */
	async activate({ workflowId }: StoredWorkflow): Promise<void> {
		const versionId = await this.versionOf(workflowId);
		await this.request('POST', `/workflows/${workflowId}/activate`, { versionId });
		await this.waitForPublication(workflowId);
	}

	/** Stores a workflow and publishes it. */
	async publish(definition: WorkflowDefinition): Promise<StoredWorkflow> {
		const workflow = await this.createWorkflow(definition);
		await this.activate(workflow);
		return workflow;
	}

	/** Takes a workflow back, and waits until its triggers are gone. */
	async deactivate({ workflowId }: StoredWorkflow): Promise<void> {
		await this.request('POST', `/workflows/${workflowId}/deactivate`, {});
		await this.waitForPublication(workflowId);
	}

	/** The static data that the workflow's nodes left. */
	async staticData(workflow: StoredWorkflow): Promise<Record<string, unknown>> {
		const answer = await this.request('GET', `/workflows/${workflow.workflowId}`);
		return isRecord(answer) && isRecord(answer.staticData) ? answer.staticData : {};
	}

	/**
	 * "Execute workflow", or with a destination "Execute step", in the editor. Answers with the execution's ID; undefined when
	 * n8n now listens for a test event instead.
	 */
	async runManually(
		workflow: StoredWorkflow,
		{ trigger, destination }: { trigger: string; destination?: string },
	): Promise<string | undefined> {
		const workflowData = { ...workflow.definition, id: workflow.workflowId, active: false };
		const destinationNode = { nodeName: destination, mode: 'inclusive' };
		const answer = await this.request(
			'POST',
			`/workflows/${workflow.workflowId}/run`,
			{
				workflowData,
				triggerToStartFrom: { name: trigger },
				...(destination !== undefined && { destinationNode }),
			},
			{ 'push-ref': randomUUID() },
		);
		return isRecord(answer) && typeof answer.executionId === 'string'
			? answer.executionId
			: undefined;
	}

	async execution(executionId: string): Promise<Execution> {
		const end = Date.now() + storingLimit;
		for (;;) {
			const answer = await this.request('GET', `/executions/${executionId}`);
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
		const answer = await this.request('GET', `/executions?limit=100&filter=${filter}`);
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
		const answer = await this.request('GET', `/executions?limit=1&filter=${filter}`);
		const count = isRecord(answer) ? Number(answer.count) : -1;
		if (count >= 0) return count;
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
		await this.request('POST', `/executions/${executionId}/stop`);
	}

	/**
	 * "Retry" in the list of executions, with the workflow as it was then. n8n cannot where it has thrown the execution's data away.
	 *
	 * @returns the ID of the new execution
	 */
	async retryExecution(executionId: string): Promise<string> {
		const answer = await this.request('POST', `/executions/${executionId}/retry`, {
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
				longest: longestInterval,
				describe: () =>
					`Execution ${executionId} is ${last?.status} after ${timeout / 1_000} s (last node: ${last?.lastNode}, failure: ${last?.failure?.message})`,
			},
		);
	}

	/** Waits until so many executions of a workflow are over; answers with them. */
	async waitForExecutions(workflow: StoredWorkflow, count: number): Promise<ExecutionSummary[]> {
		let seen: ExecutionSummary[] = [];
		return await waitUntil(
			async () => {
				seen = await this.executions(workflow);
				const ended = seen.filter(({ status }) => isOver(status));
				return ended.length >= count ? ended : undefined;
			},
			{
				timeout: defaultLimit,
				interval: pollInterval,
				longest: longestInterval,
				describe: () =>
					`Of ${count} executions there are after a minute: ${seen.map(({ status }) => status).join(', ')}`,
			},
		);
	}

	/** The fields of a resource mapper. */
	async resourceMapperFields(lookup: ParameterLookup): Promise<Array<Record<string, unknown>>> {
		const { type, credentialId: id, name } = lookup.credential;
		const answer = await this.request('POST', '/dynamic-node-parameters/resource-mapper-fields', {
			path: `parameters.${lookup.parameter}`,
			methodName: lookup.method,
			nodeTypeAndVersion: { name: lookup.nodeType, version: 1 },
			currentNodeParameters: lookup.parameters,
			credentials: { [type]: { id, name } },
		});
		return isRecord(answer) && Array.isArray(answer.fields) ? answer.fields.filter(isRecord) : [];
	}

	/** n8n 2 publishes in the background and tells how far it is; n8n 1 is done when it answers. */
	private async waitForPublication(workflowId: string): Promise<void> {
		const publication = await waitUntil(
			async () => {
				const address = `/workflows/${workflowId}/publication-status`;
				const answer = await this.request('GET', address).catch((error: unknown) => {
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
		const triggers = isRecord(answer) && Array.isArray(answer.triggers) ? answer.triggers : [];
		const errors = triggers.filter(isRecord).flatMap(({ errorMessage }) => errorMessage ?? []);
		throw new Error(`The workflow could not be activated: ${errors.join('; ')}`);
	}

	/** The version of a workflow that n8n has stored last. */
	private async versionOf(workflowId: string): Promise<string> {
		return textOf(await this.request('GET', `/workflows/${workflowId}`), 'versionId');
	}
}
