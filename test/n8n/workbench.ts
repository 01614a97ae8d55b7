import type { Credential, N8nClient, StoredWorkflow } from '../../dev/n8n/client';
import type { Execution } from '../../dev/n8n/execution';
import { workflowOf, type NodeSketch } from '../../dev/n8n/workflow';
import { waitUntil } from '../../dev/n8n/waitUntil';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../dev/sandbox/server';
import { ACTION } from '../fixture/nodeTypes';
import { chosen } from '../fixture/parameters';

export { runBot } from '../fixture/parameters';

/** How long n8n may take for anything while many scenes are played in it, in milliseconds. */
export const PATIENCE = 300_000;

/** Waits until something is found, or is so, for so many milliseconds at the most. */
export async function until<T>(
	find: () => Promise<T | undefined | false> | T | undefined | false,
	what: string,
	timeout = PATIENCE,
	interval = 100,
): Promise<T> {
	const describe = (): string => `Waited in vain: ${what}`;
	const ask = async (): Promise<T | undefined> => (await find()) || undefined;
	return await waitUntil(ask, { timeout, interval, describe });
}

export const manualTrigger: NodeSketch = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };

/** A node at which a workflow is called by POST at `/webhook/<path>`. */
export function webhookNode(path: string, further: object = {}, name = 'Hook'): NodeSketch {
	return {
		name,
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		webhookId: path,
		parameters: { path, httpMethod: 'POST', ...further },
	};
}

/** A node that answers the caller of a webhook with all items. */
export const respondNode: NodeSketch = {
	name: 'Answer',
	type: 'n8n-nodes-base.respondToWebhook',
	typeVersion: 1.4,
	parameters: { respondWith: 'allIncomingItems', options: {} },
};

/** The node with which a workflow begins that another one calls. */
export const calledTrigger: NodeSketch = {
	name: 'Called',
	type: 'n8n-nodes-base.executeWorkflowTrigger',
	typeVersion: 1.1,
	parameters: { inputSource: 'passthrough' },
};

/** What a node has of its credential. */
export function refersTo({ type, credentialId: id, name }: Credential) {
	return { [type]: { id, name } };
}

/** An n8n with a service of its own and a credential for it. */
export class Workbench {
	constructor(
		readonly client: N8nClient,
		readonly sandbox: Sandbox,
		readonly credential: Credential,
	) {}

	/** A Browser Automation node with the workbench's credential. */
	botNode = (parameters: object, further: Partial<NodeSketch> = {}): NodeSketch => ({
		name: 'Bot',
		type: ACTION,
		parameters: { ...parameters },
		credentials: refersTo(this.credential),
		...further,
	});

	/** Stores a workflow of these nodes in a line, runs it in the editor, and waits until it is over. */
	runLine = async (nodes: NodeSketch[]): Promise<Execution> => {
		const definition = workflowOf('Test', [manualTrigger, ...nodes]);
		return await runInEditor(this.client, await this.client.createWorkflow(definition));
	};

	/** The input fields of a bot, as n8n's editor asks for them: for the node, or for the tool of an agent. */
	formOf = async (botId: string, nodeType: string = ACTION) =>
		await this.client.resourceMapperFields({
			...{ nodeType, method: 'getInputFields', parameter: 'inputFields' },
			parameters: { resource: 'bot', operation: 'run', botId: chosen(botId), inputMode: 'fields' },
			credential: this.credential,
		});

	async close(): Promise<void> {
		await this.sandbox.close();
	}
}

/** The service, and what n8n's credential says of it: where it is, if not at its own address, and how many requests it takes at a time. */
export type BenchOptions = SandboxOptions & { baseUrl?: string; requestsAtATime?: number };

export async function openWorkbench(
	client: N8nClient,
	{ baseUrl, requestsAtATime = 20, ...options }: BenchOptions = {},
): Promise<Workbench> {
	const sandbox = await startSandbox({ durations: { created: 50, running: 1_000 }, ...options });
	const data = { baseUrl: baseUrl ?? sandbox.url, apiKey: sandbox.key, requestsAtATime };
	const credential = await client
		.createCredential('Browser Automation account', 'browserAutomationApi', data)
		.catch(async (error: unknown) => {
			await sandbox.close();
			throw error;
		});
	return new Workbench(client, sandbox, credential);
}

/** Runs a workflow that begins with `manualTrigger` in the editor, and waits until it is over. */
export async function runInEditor(client: N8nClient, workflow: StoredWorkflow): Promise<Execution> {
	const executionId = await client.runManually(workflow, { trigger: manualTrigger.name });
	if (executionId === undefined) throw new Error('n8n waits for a test event');
	return await client.waitForExecution(executionId, { timeout: 90_000 });
}
