import { callWebhook } from '../../dev/n8n/callWebhook';
import { N8nClient, type Credential } from '../../dev/n8n/client';
import { startN8n, type N8nServer } from '../../dev/n8n/server';
import { startWithPackage } from '../../dev/n8n/startWithPackage';
import { waitUntil } from '../../dev/n8n/waitUntil';
import { workflowOf, type NodeSketch } from '../../dev/n8n/workflow';
import { newestN8n } from '../../dev/n8n/versions';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../dev/sandbox/server';

/** A service, and the credential for it in an n8n. */
export interface Service {
	client: N8nClient;
	sandbox: Sandbox;
	credential: Credential;
	close(): Promise<void>;
}

/** A real n8n with this package in it, and a service for it. */
export interface Setup extends Service {
	server: N8nServer;
	/** Whether to measure a little of everything, to see that it works. */
	isQuick: boolean;
}

/** How a setup differs from n8n as it comes and a service that remembers nothing. */
export interface SetupOptions {
	isQuick?: boolean;
	environment?: Record<string, string>;
	service?: SandboxOptions;
}

/** Starts both; they are gone after `close`. */
export async function openSetup({
	isQuick = false,
	environment = {},
	service: options,
}: SetupOptions = {}): Promise<Setup> {
	const server = await startWithPackage(
		async (given) => await startN8n({ version: newestN8n(), environment, ...given }),
	);
	const service = await openService(await N8nClient.signIn(server.url), options);
	return {
		server,
		isQuick,
		...service,
		close: async () => {
			await service.close();
			await server.remove();
		},
	};
}

/** The same n8n with a service of its own, for what is measured at the same time as something else. */
export async function openBeside(setup: Setup): Promise<Setup> {
	return { ...setup, ...(await openService(setup.client)) };
}

export async function openService(
	client: N8nClient,
	options: SandboxOptions = { recordLimit: 0 },
): Promise<Service> {
	const sandbox = await startSandbox(options);
	const credential = await client.createCredential('Service', 'browserAutomationApi', {
		baseUrl: sandbox.url,
		apiKey: sandbox.key,
		allowedHttpRequestDomains: 'all',
	});
	return { client, sandbox, credential, close: async () => await sandbox.close() };
}

/** Feeds `count` items (`{ index }`) from a call of a webhook at `path` to what follows. */
export function feeding(path: string): NodeSketch[] {
	return [
		webhookNode(path, { responseMode: 'lastNode' }),
		{
			name: 'Split',
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'body.items', options: {} },
		},
	];
}

/** What a webhook is called with, so that `count` items are fed. */
export function fed(count: number): { items: Array<{ index: number }> } {
	return { items: Array.from({ length: count }, (_, index) => ({ index })) };
}

/** Answers the webhook's call when the last node is done, with one of its items. */
export const LAST: NodeSketch = {
	name: 'Last',
	type: 'n8n-nodes-base.limit',
	parameters: { maxItems: 1 },
};

/** How a node's run went: its time and n8n's CPU time in milliseconds. */
export interface NodeMeasure {
	time: number;
	cpu: number;
	items: Array<Record<string, unknown>>;
}

/** The setup's credential, as a node names it. */
export function credentialsOf({
	credential,
}: Pick<Setup, 'credential'>): NodeSketch['credentials'] {
	return { [credential.type]: { id: credential.credentialId, name: credential.name } };
}

/** The CPU time in milliseconds that n8n at rest may take in the time between two checks of it. */
const AT_REST = { cpu: 20, interval: 300 };

/**
 * Waits until n8n has nothing left to do. It makes an isolate for the expressions of the next execution while one runs, which
 * takes 0.1 to 0.2 s of CPU time: what is measured right after that would be charged with it.
 */
export async function untilAtRest({ server }: Pick<Setup, 'server'>): Promise<void> {
	let before = -Infinity;
	await waitUntil(
		async () => {
			const now = server.cpu();
			const isAtRest = now - before <= AT_REST.cpu;
			before = now;
			return isAtRest || undefined;
		},
		{ interval: AT_REST.interval, timeout: 60_000, describe: () => 'n8n does not come to rest' },
	);
}

/** n8n's HTTP Request node, with the setup's credential. */
export function httpRequest(
	setup: Pick<Setup, 'credential'>,
	url: string,
	options: Record<string, unknown> = {},
): NodeSketch {
	return {
		name: 'Node',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			url,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: setup.credential.type,
			options,
		},
		credentials: credentialsOf(setup),
	};
}

/** n8n's Webhook node, which starts executions at `/webhook/PATH`. */
export function webhookNode(path: string, parameters: Record<string, unknown> = {}): NodeSketch {
	return {
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		webhookId: path,
		parameters: { httpMethod: 'POST', path, options: {}, ...parameters },
	};
}

/** What a user has chosen by its ID. */
export function chosen(value: string): Record<string, unknown> {
	return { __rl: true, mode: 'id', value };
}

/** Our node, with the setup's credential. */
export function ourNode(
	setup: Pick<Setup, 'credential'>,
	parameters: Record<string, unknown>,
): NodeSketch {
	return {
		name: 'Node',
		type: 'n8n-nodes-browser-automation.browserAutomation',
		typeVersion: 1.1,
		parameters: { options: {}, ...parameters },
		credentials: credentialsOf(setup),
	};
}

/** Our trigger, with the setup's credential; it reports ends of runs. */
export function ourTrigger(
	setup: Pick<Setup, 'credential'>,
	parameters: Record<string, unknown> = { source: 'elsewhere' },
): NodeSketch {
	return {
		name: 'Trigger',
		type: 'n8n-nodes-browser-automation.browserAutomationTrigger',
		typeVersion: 1.1,
		parameters: { events: ['runFinished', 'runFailed', 'runCanceled'], ...parameters },
		credentials: credentialsOf(setup),
	};
}

/**
 * A workflow that feeds `count` items (`{ index }`) to a node. Each call of what it returns runs the
 * workflow once in production and measures the node alone; CPU time is that of the whole
 * execution, which is alike for all candidates but for the node.
 */
export async function feed(
	setup: Setup,
	node: NodeSketch,
	count: number,
): Promise<() => Promise<NodeMeasure>> {
	const path = `bench-${crypto.randomUUID()}`;
	const workflow = await setup.client.publish(workflowOf(path, [...feeding(path), node, LAST]));
	return async () => {
		const cpuBefore = setup.server.cpu();
		await callWebhook(setup.server.url, path, fed(count));
		const cpu = setup.server.cpu() - cpuBefore;
		const [summary] = await setup.client.executions(workflow);
		if (summary === undefined) throw new Error('The benchmark’s workflow left no execution');
		const execution = await setup.client.waitForExecution(summary.executionId);
		const [run] = execution.runs(node.name);
		if (run === undefined) throw new Error(`${node.name} did not run`);
		return { time: run.duration, cpu, items: execution.json(node.name) };
	};
}
