import type { INodeParameters } from 'n8n-workflow';

import { BrowserAutomationApi } from '../../credentials/BrowserAutomationApi.credentials';
import { BrowserAutomationSigningApi } from '../../credentials/BrowserAutomationSigningApi.credentials';
import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/server';
import {
	createHarness,
	type CredentialData,
	type Harness,
	type Run,
	type RunOptions,
} from '../core/harness';

const NODE = 'n8n-nodes-browser-automation.browserAutomation';

/** The node in n8n's core, with a service on this machine. */
export interface Bench {
	sandbox: Sandbox;
	harness: Harness;
	/** The API key's credential. */
	apiCredential: CredentialData;
	/** Runs one operation, with the API key unless said otherwise. */
	run(
		resource: string,
		operation: string,
		parameters: INodeParameters,
		options?: Partial<RunOptions>,
	): Promise<Run>;
	close(): Promise<void>;
}

export async function openBench(options: SandboxOptions = {}): Promise<Bench> {
	const sandbox = await startSandbox({ durations: { created: 0, running: 50 }, ...options });
	const harness = createHarness({
		nodes: { [NODE]: new BrowserAutomation() },
		credentialTypes: {
			browserAutomationApi: new BrowserAutomationApi(),
			browserAutomationSigningApi: new BrowserAutomationSigningApi(),
		},
	});
	const apiCredential = { browserAutomationApi: { baseUrl: sandbox.url, apiKey: sandbox.key } };
	return {
		sandbox,
		harness,
		apiCredential,
		run: async (resource, operation, parameters, further = {}) =>
			await harness.run({
				nodeType: NODE,
				parameters: { resource, operation, ...parameters },
				credentials: apiCredential,
				...further,
			}),
		close: async () => await sandbox.close(),
	};
}

/** A thing chosen by its ID. */
export function chosen(value: string): INodeParameters {
	return { __rl: true, mode: 'id', value };
}

/** The JSON of the items at the first output. */
export function jsonOf({ outputs }: Run): unknown[] {
	return (outputs[0] ?? []).map(({ json }) => json);
}
