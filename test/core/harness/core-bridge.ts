import { userFolder } from './environment';

import { join } from 'node:path';
import { Container } from '@n8n/di';
import { BinaryDataConfig, BinaryDataService, ExternalSecretsProxy } from 'n8n-core';
import type { IBinaryData, IWorkflowExecuteAdditionalData } from 'n8n-workflow';
import type { HarnessCredentials } from './credentials';

/*
 * The only file of the harness that imports n8n-core, and the only one with casts.
 */
export {
	CredentialTestContext,
	ExecuteContext,
	ExecutionLifecycleHooks,
	getAdditionalKeys,
	HookContext,
	LoadOptionsContext,
	PollContext,
	TriggerContext,
	WAITING_TOKEN_QUERY_PARAM,
	WebhookContext,
	WorkflowExecute,
} from 'n8n-core';

/** What an n8n instance gives to every execution. */
export interface Surroundings {
	/** Origin under which the instance is reached, e.g. `https://n8n.example.com`. */
	origin: string;
	credentials: HarnessCredentials;
}

/** What the server's `WorkflowExecuteAdditionalData.getBase()` builds. */
export function createAdditionalData(
	{ origin, credentials }: Surroundings,
	own: Partial<IWorkflowExecuteAdditionalData>,
): IWorkflowExecuteAdditionalData {
	return {
		currentNodeExecutionIndex: 0,
		credentialsHelper: credentials,
		restApiUrl: `${origin}/rest`,
		instanceBaseUrl: `${origin}/`,
		formBaseUrl: `${origin}/form`,
		formWaitingBaseUrl: `${origin}/form-waiting`,
		formTestBaseUrl: `${origin}/form-test`,
		webhookBaseUrl: `${origin}/webhook`,
		webhookWaitingBaseUrl: `${origin}/webhook-waiting`,
		webhookTestBaseUrl: `${origin}/webhook-test`,
		mcpBaseUrl: `${origin}/mcp`,
		mcpTestBaseUrl: `${origin}/mcp-test`,
		variables: {},
		externalSecretsProxy: Container.get(ExternalSecretsProxy),
		setExecutionStatus: () => undefined,
		logAiEvent: () => undefined,
		executeWorkflow: async () => refuse('sub-workflows'),
		getRunExecutionData: async () => refuse('reading other executions'),
		getRuntimeCredential: async () => refuse('runtime credentials'),
		startRunnerTask: async () => refuse('task runners'),
		...own,
	};
}

/** Where binary data goes. `inline`: inside the items, base64. `filesystem`: into files, written as the data streams in. */
export type BinaryStorage = 'inline' | 'filesystem';

/**
 * Sets the storage, as `N8N_DEFAULT_BINARY_DATA_MODE` does. n8n-core has one binary data service in a
 * process, so harnesses with different storages must not run at the same time.
 */
export async function useBinaryStorage(storage: BinaryStorage): Promise<void> {
	const config = Container.get(BinaryDataConfig);
	config.mode = storage === 'inline' ? 'default' : 'filesystem';
	config.localStoragePath = join(userFolder, 'binary-data');
	await Container.get(BinaryDataService).init();
}

export async function readBinaryData(binary: IBinaryData): Promise<Buffer> {
	return await Container.get(BinaryDataService).getAsBuffer(binary);
}

function refuse(what: string): never {
	throw new Error(`The harness does not simulate ${what}.`);
}

/**
 * One of n8n-core's contexts, for what takes the interface of n8n-workflow. The classes implement these as checked by n8n's own,
 * looser compiler settings; under `exactOptionalPropertyTypes` they do not match in details such as `getWorkflow().name`.
 */
export function contextOf<T>(context: object): T {
	return context as T;
}
