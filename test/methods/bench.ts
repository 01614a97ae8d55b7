import type { INodeParameters } from 'n8n-workflow';

import { BrowserAutomationApi } from '../../credentials/BrowserAutomationApi.credentials';
import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { startSandbox, type Sandbox } from '../../sandbox/server';
import { createHarness, type Harness } from '../core/harness';

const NODE = 'n8n-nodes-browser-automation.browserAutomation';

/** The action node's methods for the editor, against a sandbox of their own. */
export class EditorBench {
	private constructor(
		readonly sandbox: Sandbox,
		private readonly harness: Harness,
	) {}

	static async open(): Promise<EditorBench> {
		const sandbox = await startSandbox();
		const harness = createHarness({
			nodes: { [NODE]: new BrowserAutomation() },
			credentialTypes: { browserAutomationApi: new BrowserAutomationApi() },
			credentials: { browserAutomationApi: { baseUrl: sandbox.url, apiKey: sandbox.key } },
		});
		return new EditorBench(sandbox, harness);
	}

	/** The methods while the node's panel shows these parameters, optionally with other credentials. */
	methods(
		parameters: INodeParameters = { resource: 'bot', operation: 'run' },
		login: { baseUrl?: string; apiKey?: string } = {},
	): ReturnType<Harness['methods']> {
		const { url, key } = this.sandbox;
		return this.harness.methods({
			nodeType: NODE,
			parameters,
			credentials: { browserAutomationApi: { baseUrl: url, apiKey: key, ...login } },
		});
	}

	async close(): Promise<void> {
		await this.sandbox.close();
	}
}
